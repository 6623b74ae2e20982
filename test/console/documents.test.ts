/**
 * Goal: the console shows and does nothing that `/graphql` does not (issue 12). Method: every document over `/graphql` with a
 * key, and in process with the same rights, gives the same data.
 */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { apiKeyHash } from '../../src/base/api-key.ts';
import { OPERATIONS } from '../../src/console/operations.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { graphqlServer } from '../../src/server/graphql.ts';
import { OpenStreams } from '../../src/server/open-streams.ts';
import { findValidKey } from '../../src/store/account/api-keys.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const operations = [...OPERATIONS.values()];
const QUERIES = operations.filter(({ isMutation }) => !isMutation);

/** What a screen asks its document with; a document without variables needs none. */
const VARIABLES: Readonly<Record<string, () => Record<string, unknown>>> = {
  Transactions: () => ({ families: ['CHECKOUTS'], filter: { statusCodes: ['SUCCESS'] }, first: 25 }),
  Search: () => ({ text: 'order-1042', isAsked: true }),
  Transaction: () => ({ end2end: 'CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ', isAdmin: true }),
  Developers: () => ({ isAdmin: true, first: 25 }),
  Operator: () => ({ state: 'OPEN', first: 25, hasBooks: true }),
};

async function inProcess(name: string, key: string): Promise<unknown> {
  const operation = OPERATIONS.get(name);
  const caller = await findValidKey(app.database, apiKeyHash(key));
  if (!operation || !caller) throw new Error('there is neither document nor key');
  const streams = new OpenStreams(async () => new Set());
  const { execute } = graphqlServer(buildSchema(REGISTRY), streams, pino({ level: 'silent' }));
  const context = {
    ...(await app.services.forAccount(caller.accountId)),
    caller,
    origin: { requestId: 'test', address: null },
  };
  const exchange = { requestId: 'test' } as never;
  const limits = { takeWrites: () => {}, enter: async () => () => {} };
  const variables = VARIABLES[name]?.() ?? {};
  return execute(exchange, context, { query: operation.text, operationName: name, variables }, limits);
}

describe('documents', () => {
  test('there is one for every screen, and each act is one mutation', () => {
    expect(QUERIES.length).toBeGreaterThan(8);
    const acts = operations.filter(({ isMutation }) => isMutation);
    expect(
      acts.filter(({ name, field }) => field === '' || name.toLowerCase() !== field.toLowerCase()),
    ).toEqual([]);
  });

  test.each(QUERIES.map(({ name }) => name))('%s gives over /graphql what it gives here', async (name) => {
    const key = name === 'Operator' ? app.platformKey : app.apiKey;
    const { text } = OPERATIONS.get(name) ?? { text: '' };
    const over = await app.graphql(text, VARIABLES[name]?.() ?? {}, { key });
    expect(over.json.errors).toBeUndefined();
    const here = JSON.parse(JSON.stringify(await inProcess(name, key)));
    // The time of last use is that of the request before.
    const still = (value: unknown) => JSON.stringify(value).replace(/"lastUsedAt":("[^"]*"|null)/g, '');
    expect(still(here)).toBe(still(over.json));
  });
});
