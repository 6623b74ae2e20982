/**
 * Goal: what an operator reads of another account's records, and of all that can be reached from them, is what the account holder
 * reads (C-34), in lists and in what acts on a transaction answer. Method: both ask for every field that the schema has there, over
 * HTTP; the operator for those of two accounts at once, whose records have the same numbers. An act is repeated under its key.
 */
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { eventually, useReceiver } from '../support/receiver.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let webhooks: WebhookWorker;
let key: string;
const { ask, create, trigger, stepNow } = graphqlClient(app, () => key);
const SCHEMA = buildSchema(REGISTRY);
const SOME = 5;
/** The rights of the caller, other for an operator than for the account holder; and lists of an endpoint, too dear below all deliveries. */
const OF_CALLER = ['possibleActions', 'samples', 'health'];

beforeAll(() => {
  webhooks = startWebhooks(app.services, SILENT, { allowsLoopback: true });
});
afterAll(() => webhooks.stop());

/** @returns selections of all leaves at the end of each way down from a type of at most so many objects; a few each, for their cost. */
function waysDown(type: GraphQLOutputType, length: number): string[] {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return [];
  const fields = Object.values(named.getFields()).filter(
    ({ name, args }) => !OF_CALLER.includes(name) && !args.some(isRequiredArgument),
  );
  const isLeaf = (field: (typeof fields)[number]) => isLeafType(getNamedType(field.type));
  const leaves = fields.filter(isLeaf).map(({ name }) => name);
  const selected = Array.from({ length: Math.ceil(leaves.length / SOME) }, (_, chunk) =>
    leaves.slice(chunk * SOME, (chunk + 1) * SOME),
  );
  const further = fields
    .filter((field) => length > 1 && !isLeaf(field))
    .flatMap(({ name, type: next }) => waysDown(next, length - 1).map((way) => `{ ${name} ${way} }`));
  return [...selected.map((names) => `{ __typename ${names.join(' ')} }`), ...further];
}

/** The transactions of an account, and what was played on each. */
const MADE = {
  paid: { scenarios: ['pay', 'pay'], step: 'success/DONE' },
  owed: { scenarios: ['excess-fail', 'pay-over'], step: 'success/DONE' },
  owedToo: { scenarios: ['excess-fail', 'pay-over'], step: 'success/DONE' },
  held: { scenarios: ['hold', 'pay'], step: 'compliance/UNCOMPLIANT' },
  heldToo: { scenarios: ['hold', 'pay'], step: 'compliance/UNCOMPLIANT' },
  unverified: { scenarios: ['step-up-require', 'pay'], step: 'valida_id/PENDING' },
  unverifiedToo: { scenarios: ['step-up-require', 'pay'], step: 'valida_id/PENDING' },
} as const;
type Made = Record<keyof typeof MADE, string>;

/** What an operator does to a transaction of an account: to which, and with what besides. */
const ACTS: Readonly<Record<string, readonly [on: keyof Made, more: string]>> = {
  correctFacts: ['paid', 'walletHolder: "Ana"'],
  retryRefund: ['owed', 'reason: "case 1", idempotencyKey: "a"'],
  settleRefundByHand: ['owedToo', 'reference: "by hand", idempotencyKey: "a"'],
  releaseHold: ['held', 'reason: "case 1", idempotencyKey: "a"'],
  rejectHold: ['heldToo', 'reason: "case 1", idempotencyKey: "a"'],
  approveStepUp: ['unverified', 'reason: "case 1", idempotencyKey: "a"'],
  denyStepUp: ['unverifiedToo', 'reason: "case 1", idempotencyKey: "a"'],
};

interface Shop {
  readonly id: string;
  readonly apiKey: string;
  readonly made: Made;
}
let shops: readonly Shop[];
const ofTransaction = waysDown(SCHEMA.getType('Transaction') as GraphQLOutputType, 4);

/** @returns the fields of a type of objects or of inputs. */
function membersOf(type: GraphQLInputType | GraphQLOutputType | undefined): object {
  const named = getNamedType(type);
  return isObjectType(named) || isInputObjectType(named) ? named.getFields() : {};
}

/** An account with an endpoint, and a transaction of each kind; the payment of one came twice. */
async function addShop(amount: string): Promise<Shop> {
  const { accountId, apiKey } = await app.addAccount();
  key = apiKey;
  await ask(
    `mutation { createWebhookEndpoint(input: { url: "${receiver.url('hook')}" }) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
  );
  const made: Partial<Made> = {};
  for (const [name, { scenarios, step }] of Object.entries(MADE)) {
    const input = {
      amount: { brl: amount },
      currency: 'USDT_TRX',
      clientName: 'Ana Souza',
      clientTaxId: '529.982.247-25',
    };
    const { end2end } = (await create('createOnramp', input)).transaction;
    for (const scenario of scenarios) await trigger(end2end, scenario);
    await eventually(step, async () => (await stepNow(end2end)) === step);
    made[name as keyof Made] = end2end;
  }
  return { id: String(accountId), apiKey, made: made as Made };
}

/** Waits until nothing of an account goes on by itself, and all of its events are delivered. */
async function atRest({ apiKey, made }: Shop) {
  const each = Object.entries(made).map(
    ([name, end2end]) =>
      `${name}: transaction(end2end: "${end2end}") { state refunds { state } events { name } deliveries { state } }`,
  );
  const isAtRest = (one: {
    state: string;
    refunds: { state: string }[];
    events: unknown[];
    deliveries: { state: string }[];
  }) =>
    ['DONE', 'UNCOMPLIANT', 'PENDING'].includes(one.state) &&
    one.refunds.every(({ state }) => state !== 'REQUESTED') &&
    one.deliveries.length === one.events.length &&
    one.deliveries.every(({ state }) => state === 'DELIVERED');
  await eventually('the end of all that goes on', async () =>
    Object.values(await ask(`{ ${each.join(' ')} }`, {}, apiKey)).every((one) => isAtRest(one as never)),
  );
}

beforeAll(async () => {
  shops = [await addShop('302.00'), await addShop('303.00')];
  for (const shop of shops) await atRest(shop);
});

test.each([
  'openRefunds',
  'holds',
  'stepUps',
])('a transaction of %s and all below it look the same to the operator and to the account holder', async (list) => {
  expect(ofTransaction.length).toBeGreaterThan(50);
  for (const way of ofTransaction) {
    const asked = `{ ${list} { account transaction ${way} } }`;
    const seen = (await ask(asked, {}, app.platformKey))[list];
    for (const { id, apiKey } of shops) {
      const own = (await ask(asked, {}, apiKey))[list];
      expect(own, way).toHaveLength(2);
      expect(
        seen.filter(({ account }: { account: string }) => account === id),
        way,
      ).toEqual(own);
    }
  }
});

test('other records of an account holder look the same to the operator', async () => {
  const below = (type: string) => waysDown(SCHEMA.getType(type) as GraphQLOutputType, 3);
  for (const way of below('TemplateSetting')) {
    const asked = `templateSettings ${way}`;
    const seen = await ask(
      `{ ${shops.map(({ id }, at) => `a${at}: accountHolder(accountId: "${id}") { ${asked} }`)} }`,
      {},
      app.platformKey,
    );
    for (const [at, { apiKey }] of shops.entries())
      expect(seen[`a${at}`]).toEqual(
        (await ask(`{ viewer { account { ${asked} } } }`, {}, apiKey)).viewer.account,
      );
  }
  for (const way of below('CustomerConnection')) {
    const asked = `customers(first: 5) ${way}`;
    const seen = await ask(`{ accounts(first: 2) { nodes { accountId ${asked} } } }`, {}, app.platformKey);
    for (const { id, apiKey } of shops)
      expect(seen.accounts.nodes).toContainEqual({
        accountId: id,
        ...(await ask(`{ ${asked} }`, {}, apiKey)),
      });
  }
  // The report of the rail is masked for account holders.
  for (const way of below('SuspenseEntry')) {
    const asked = `{ suspense { nodes { holder: account ${way.slice(1, -1).replace(' railEvent ', ' ')} } } }`;
    const { nodes } = (await ask(asked, {}, app.platformKey)).suspense;
    for (const { id, apiKey } of shops) {
      const own = (await ask(asked, {}, apiKey)).suspense.nodes;
      expect(own, way).toHaveLength(1);
      expect(nodes.filter(({ holder }: { holder: string }) => holder === id)).toEqual(own);
    }
  }
});

test('an action on a transaction answers with the account holder’s data, also for two accounts in one document', async () => {
  const onTransactions = Object.values(SCHEMA.getMutationType()?.getFields() ?? {}).filter(
    ({ args: [input], type }) => 'account' in membersOf(input?.type) && 'transaction' in membersOf(type),
  );
  expect(onTransactions.map(({ name }) => name).sort()).toEqual(Object.keys(ACTS).sort());
  const answers = (way: string) =>
    ask(
      `mutation { ${shops.flatMap(({ id, made }, at) =>
        Object.entries(ACTS).map(
          ([action, [on, more]]) =>
            `${action}${at}: ${action}(input: { account: "${id}", end2end: "${made[on]}", ${more} }) { transaction ${way} errors { code message path } }`,
        ),
      )} }`,
      {},
      app.platformKey,
    );
  await answers('{ end2end }');
  for (const shop of shops) await atRest(shop);
  for (const way of waysDown(SCHEMA.getType('Transaction') as GraphQLOutputType, 3)) {
    const seen = await answers(way);
    for (const [at, { apiKey, made }] of shops.entries()) {
      const asked = Object.entries(ACTS).map(
        ([action, [on]]) => `${action}: transaction(end2end: "${made[on]}") ${way}`,
      );
      const own = await ask(`{ ${asked} }`, {}, apiKey);
      for (const action of Object.keys(ACTS))
        expect(seen[`${action}${at}`].transaction, `${action} ${way}`).toEqual(own[action]);
    }
  }
}, 180_000);
