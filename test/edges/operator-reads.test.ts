/**
 * Goal: what an operator reads of another account's transaction, and of all that can be reached from it, is what the account
 * holder reads (C-34). Method: both ask for every field that the schema has below a transaction, over HTTP; the operator for
 * those of two accounts at once, whose records have the same numbers.
 */
import {
  type GraphQLOutputType,
  getNamedType,
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
const { ask, create, trigger, until } = graphqlClient(app, () => key);
const SCHEMA = buildSchema(REGISTRY);
const SOME = 5;

beforeAll(() => {
  webhooks = startWebhooks(app.services, SILENT, { allowsLoopback: true });
});
afterAll(() => webhooks.stop());

/** @returns selections of all leaves at the end of each way down from a type of at most so many objects; a few each, for their cost. */
function waysDown(type: GraphQLOutputType, length: number): string[] {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return [];
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
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

/** An account with an endpoint, a finished onramp, and one whose excess could not go back. */
async function addShop(amount: string) {
  const account = await app.addAccount();
  key = account.apiKey;
  await ask(`mutation { createWebhookEndpoint(input: { url: "${receiver.url('hook')}" }) { id } }`);
  const made = [];
  for (const scenarios of [['pay'], ['excess-fail', 'pay-over']]) {
    const input = {
      amountPayment: amount,
      currency: 'USDT_TRX',
      clientName: 'Ana Souza',
      clientTaxId: '529.982.247-25',
    };
    const { end2end } = (await create('createOnramp', input)).transaction;
    for (const scenario of scenarios) await trigger(end2end, scenario);
    await until(end2end, 'success/DONE');
    const deliveries = `{ transaction(end2end: "${end2end}") { events { name } deliveries { state } } }`;
    await eventually('deliveries of all events', async () => {
      const { transaction } = await ask(deliveries);
      return (
        transaction.deliveries.length === transaction.events.length &&
        transaction.deliveries.every(({ state }: { state: string }) => state === 'DELIVERED')
      );
    });
    made.push(end2end);
  }
  return { ...account, end2end: made[1] as string };
}

test('a transaction and all below it look the same to the operator and to the account holder', async () => {
  const shops = [await addShop('302.00'), await addShop('303.00')];
  const ways = waysDown(SCHEMA.getType('Transaction') as GraphQLOutputType, 4);
  expect(ways.length).toBeGreaterThan(50);
  for (const way of ways) {
    const asked = `{ openRefunds { account transaction ${way} } }`;
    const seen = (await ask(asked, {}, app.platformKey)).openRefunds;
    for (const { accountId, apiKey } of shops) {
      const own = (await ask(asked, {}, apiKey)).openRefunds;
      expect(own, way).toMatchObject([{ account: String(accountId) }]);
      expect(
        seen.filter(({ account }: { account: string }) => account === String(accountId)),
        way,
      ).toEqual(own);
    }
  }
});
