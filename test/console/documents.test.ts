/**
 * Goal: the console shows and does nothing that `/graphql` does not (issue 12). Method: every document over `/graphql` with a
 * key, and in process with the same rights, gives the same data.
 */
import { isEnumType } from 'graphql';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { ACTS, type Act } from '../../src/base/acts.ts';
import { apiKeyHash } from '../../src/base/api-key.ts';
import { OPERATIONS, type Operation } from '../../src/console/operations.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { graphqlServer } from '../../src/server/graphql.ts';
import { OpenStreams } from '../../src/server/open-streams.ts';
import { findValidKey } from '../../src/store/account/api-keys.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const operations = [...OPERATIONS.values()];
const QUERIES = operations.filter(({ isMutation }) => !isMutation);
const MUTATIONS = operations.filter(({ isMutation }) => isMutation);
const SCHEMA = buildSchema(REGISTRY);

/** A value of the type of a variable that no act takes: an empty text, an amount of nothing. */
function refusable(type: string): unknown {
  const named = SCHEMA.getType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  return { Int: -1, Boolean: true, Decimal: '0', ID: '0' }[type] ?? '';
}

/** Variables of an act that it refuses: whatever is required, and of the rest what names a record. */
function refusedVariables({ variables }: Operation): Record<string, unknown> {
  const given = variables.filter(({ name, isRequired }) => isRequired || name === 'endpointId');
  return Object.fromEntries(
    given.map(({ name, type, isList }) => [name, isList ? [refusable(type)] : refusable(type)]),
  );
}

/** What a screen asks its document with; a document without variables needs none. */
const VARIABLES: Readonly<Record<string, () => Record<string, unknown>>> = {
  Transactions: () => ({ families: ['CHECKOUTS'], filter: { statusCodes: ['SUCCESS'] }, first: 25 }),
  Search: () => ({ text: 'order-1042', isAsked: true }),
  Transaction: () => ({ end2end: 'CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ', isAdmin: true }),
  Developers: () => ({ isAdmin: true, first: 25 }),
  Operator: () => ({ state: 'OPEN', first: 25, hasBooks: true, hasRisk: true }),
  PlatformToday: () => ({ hasRisk: true, hasBooks: true, hasNews: true }),
  Account: () => ({ accountId: String(app.accountId), seesCustomers: true, first: 25 }),
  Rails: () => ({ state: 'PENDING', first: 25 }),
};
/** Screens of the operator. */
const OF_PLATFORM = ['Operator', 'PlatformToday', 'Rails', 'Accounts', 'Account'];

async function inProcess(name: string, key: string): Promise<unknown> {
  const operation = OPERATIONS.get(name);
  const caller = await findValidKey(app.database, apiKeyHash(key));
  if (!operation || !caller) throw new Error('there is neither document nor key');
  const streams = new OpenStreams(async () => new Set());
  const { execute } = graphqlServer(SCHEMA, streams, pino({ level: 'silent' }));
  const context = {
    ...(await app.services.forAccount(caller.accountId)),
    caller,
    origin: { requestId: 'test', address: null },
  };
  const exchange = { requestId: 'test', noted: {} } as never;
  const limits = { takeWrites: () => {}, enter: async () => () => {} };
  const variables = VARIABLES[name]?.() ?? {};
  return execute(exchange, context, { query: operation.text, operationName: name, variables }, limits);
}

describe('documents', () => {
  test('there is one for every screen, and each act is one mutation', () => {
    expect(QUERIES.length).toBeGreaterThan(8);
    expect(
      MUTATIONS.filter(({ name, field }) => field === '' || name.toLowerCase() !== field.toLowerCase()),
    ).toEqual([]);
  });

  test.each(
    MUTATIONS.map((operation) => [operation.name, operation] as const),
  )('%s is done over /graphql as it stands: what it refuses, its act refuses', async (_name, operation) => {
    const scopeOf = Object.values<Act>(ACTS).find(({ mutations }) => mutations.includes(operation.field));
    const key = scopeOf?.scope.startsWith('platform:') ? app.platformKey : app.apiKey;
    const { json } = await app.graphql(operation.text, refusedVariables(operation), { key });
    // An answer with data was executed: the document fits the schema, and its variables their types.
    expect(json).toHaveProperty('data');
    expect(['NOT_FOUND', 'INVALID_PARAMETER']).toContain(json.errors?.[0]?.extensions.code);
  });

  test.each(QUERIES.map(({ name }) => name))('%s gives over /graphql what it gives here', async (name) => {
    const key = OF_PLATFORM.includes(name) ? app.platformKey : app.apiKey;
    const { text } = OPERATIONS.get(name) ?? { text: '' };
    const over = await app.graphql(text, VARIABLES[name]?.() ?? {}, { key });
    expect(over.json.errors).toBeUndefined();
    const here = JSON.parse(JSON.stringify(await inProcess(name, key)));
    // The time of last use is that of the request before.
    const still = (value: unknown) => JSON.stringify(value).replace(/"lastUsedAt":("[^"]*"|null)/g, '');
    expect(still(here)).toBe(still(over.json));
  });
});
