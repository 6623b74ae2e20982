/**
 * Goal: the console shows and does nothing that `/graphql` does not. Method: every document over `/graphql` with a
 * key, and in process with the same rights, gives the same data; what an act refuses, it refuses in the same words.
 */

import { complexityFromQuery } from '@pothos/plugin-complexity';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { apiKeyHash } from '../../src/base/access/api-key.ts';
import { OPERATIONS } from '../../src/console/operations.ts';
import { SCREENS } from '../../src/console/screens/index.ts';
import { COMPLEXITY_MAX } from '../../src/schema/builder.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { graphqlServer } from '../../src/server/graphql.ts';
import { OpenStreams } from '../../src/server/streams/open-streams.ts';
import { findValidKey } from '../../src/store/account/api-keys.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { FORMS, refusedVariables, scopeOf } from '../support/mutations.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const QUERIES = [...OPERATIONS.values()].filter(({ isMutation }) => !isMutation);
const SCHEMA = buildSchema(REGISTRY);

/** What a screen asks its document with; a document without variables needs none. */
const VARIABLES: Readonly<Record<string, () => Record<string, unknown>>> = {
  Today: () => ({ isAdmin: true, isNow: true }),
  Transactions: () => ({ families: ['CHECKOUTS'], filter: { statusCodes: ['SUCCESS'] }, first: 25 }),
  Search: () => ({ text: 'order-1042', isAsked: true }),
  Transaction: () => ({ end2end: 'CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ', isAdmin: true }),
  Developers: () => ({ isAdmin: true, first: 25 }),
  WebhookEndpoint: () => ({ endpointId: 'whe_0123456789abcdef', find: 'paid', first: 25 }),
  WebhookDelivery: () => ({ deliveryId: '1' }),
  Operator: () => ({ state: 'OPEN', first: 25, hasBooks: true, hasRisk: true }),
  PlatformToday: () => ({ hasBooks: true, hasRailEvents: true }),
  ReviewCase: () => ({ id: `HOLD:${app.accountId}:CRX01KQJ1A72GFRM9067ZF35B7ZCN`, hasRisk: true }),
  Account: () => ({ accountId: String(app.accountId), seesCustomers: true, seesFrozen: true, first: 25 }),
  Customers: () => ({ taxId: '52998224725', isOne: true, isList: true, first: 25 }),
  BookEntries: () => ({ ledgerAccount: 'R.fee', currency: 'BRL' }),
  Rails: () => ({ state: 'PENDING', first: 25 }),
  MedFile: () => ({ id: '1' }),
};
/** Queries of no screen: the frame alone, and a file to save, of which there is none here (med-cases.test.ts). */
const OF_NO_SCREEN = ['FrameOnly', 'Logo', 'MedFile'];
/** Screens of the operator. */
const OF_PLATFORM = [
  ...['Operator', 'PlatformToday', 'Rails', 'Books', 'Reconciliation', 'Accounts', 'Account'],
  ...['ReviewCase', 'BookEntries'],
];

async function inProcess(name: string, key: string, variables: Record<string, unknown>): Promise<unknown> {
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
  const limits = {
    consumeWrites: () => {},
    consumeDocument: () => {},
    enter: async () => () => {},
    enterFrame: async () => () => {},
    check: async () => {},
    checkAgain: async () => {},
  };
  return execute(exchange, context, { query: operation.text, operationName: name, variables }, limits);
}

/** Refusals other than of what is missing or malformed: only a person confirms another one or gets e-mail, a key never (C-40). */
const REFUSALS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  ConfirmMember: ['FORBIDDEN'],
  ChooseNotifications: ['FORBIDDEN'],
  // No role is a choice as well.
  UpdatePasskeyRoles: [undefined],
};

const keyFor = (isOfPlatform: boolean) => (isOfPlatform ? app.platformKey : app.apiKey);

const PATIENCE = { timeout: 20_000, interval: 200 };

describe('documents', () => {
  test('there is one for every screen, and each action is one mutation', () => {
    expect(SCREENS.map(({ operation }) => operation.name).sort()).toEqual(
      QUERIES.map(({ name }) => name)
        .filter((name) => !OF_NO_SCREEN.includes(name))
        .sort(),
    );
    expect(FORMS.filter(({ name, field }) => name.toLowerCase() !== field.toLowerCase())).toEqual([]);
  });

  test('each costs at most half of the maximum of an operation: one more field needs no other document', () => {
    const points = QUERIES.map(({ name, text }) => {
      const variables = VARIABLES[name]?.() ?? { first: 50 };
      return [name, complexityFromQuery(text, { schema: SCHEMA, ctx: {}, variables }).complexity] as const;
    });
    expect(points.filter(([, each]) => each === 0 || each > COMPLEXITY_MAX / 2)).toEqual([]);
  });

  test.each(
    FORMS.map((operation) => [operation.name, operation] as const),
  )('%s is done over /graphql as it stands: what it refuses, its act refuses in the same words', async (name, operation) => {
    const key = keyFor(scopeOf(operation.field)?.startsWith('platform:') ?? false);
    const variables = refusedVariables(operation);
    const over = (await app.graphql(operation.text, variables, { key })).json;
    // An answer with data was executed: the document fits the schema, and its variables their types.
    expect(over).toHaveProperty('data');
    expect(REFUSALS[name] ?? ['NOT_FOUND', 'INVALID_PARAMETER']).toContain(
      errorsIn(over)?.[0]?.extensions.code,
    );
    const here = JSON.parse(JSON.stringify(await inProcess(name, key, variables)));
    expect([here.data, told(here)]).toEqual([over.data, told(over)]);
  });

  test.each(
    QUERIES.map(({ name }) => name).filter((name) => name !== 'MedFile'),
  )('%s gives over /graphql what it gives here', async (name) => {
    const key = keyFor(OF_PLATFORM.includes(name));
    const { text } = OPERATIONS.get(name) ?? { text: '' };
    const variables = VARIABLES[name]?.() ?? {};
    // The time of last use is that of the request before, and time goes on; so do the figures of the machine.
    const still = (value: unknown) =>
      JSON.stringify(value)
        .replace(/"(lastUsedAt|now)":("[^"]*"|null)/g, '')
        .replace(/"detail":"[^"]*"/g, (detail) => detail.replace(/\d+(\.\d+)?/g, '#'));
    // A job that comes due between the two is in one of them.
    await vi.waitFor(async () => {
      const over = await app.graphql(text, variables, { key });
      expect(errorsIn(over.json)).toBeUndefined();
      const here = JSON.parse(JSON.stringify(await inProcess(name, key, variables)));
      expect(still(here)).toBe(still(over.json));
    }, PATIENCE);
  });
});

/** What an answer says was wrong, but for the id of the request. */
const told = (answer: object) =>
  errorsIn(answer)?.map(({ message, extensions: { code, violations } }: Message) => ({
    message,
    code,
    violations,
  }));
interface Message {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly violations?: unknown };
}
