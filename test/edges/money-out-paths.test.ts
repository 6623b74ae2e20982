/**
 * Goal: money leaves by one rule, whichever interface asks, twice, at once or late (C-25, C-35, C-52). Method: the attack of somebody who
 * knows the interfaces: refunds of one payment by `/v2`, GraphQL, `/mcp` and a form of the console, all at once, on an account with
 * a threshold; the same again under one key; approvals of what waits by its own maker, by every way that there is.
 */

import { beforeEach, expect, test } from 'vitest';
import { sum } from '../../src/base/money/money.ts';
import { verifyMoneyOut } from '../../src/store/engine/verify-money-out.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let owner: SignedInForTest;
let end2end: string;
const { ask, fund, until, trigger, create } = graphqlClient(app, () => shop.apiKey);
const THRESHOLD = 100;

beforeEach(async () => {
  shop = await app.addAccount();
  owner = await signInAs(app, shop.accountId, { email: `o${shop.accountId}@paths.invalid`, role: 'owner' });
  await fund('USDT_TRX', '500');
  const input = {
    currency: 'USDT_TRX',
    amount: { brl: '550.00' },
    clientName: 'Ana',
    clientTaxId: '52998224725',
  };
  end2end = (await create('createOnramp', input)).transaction.end2end;
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  await ask(
    `mutation { updateAccountSettings(input: { approvalAbove: "${THRESHOLD}" }) { accountSettings { approvalAbove } errors { code } } }`,
  );
});

const refunds = async (): Promise<{ state: string; amount: { amount: string } }[]> =>
  (await ask(`{ transaction(end2end: "${end2end}") { refunds { state amount { amount } } } }`)).transaction
    .refunds;
const available = async () =>
  (await ask('{ balances { currency { code } available } }')).balances.find(
    ({ currency }: { currency: { code: string } }) => currency.code === 'USDT_TRX',
  ).available;
const mutation = (name: string, input: string) =>
  `mutation { ${name}(input: { end2end: "${end2end}"${input} }) { transaction { end2end } errors { code message path } } }`;

/** A tool of `/mcp`, as its protocol calls it. */
const tool = (name: string, args: object) =>
  app.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    {
      key: shop.apiKey,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    },
  );

/** Ways to request a refund of an amount; the tool only leads to the form. */
const WAYS: readonly ((amount: string, key?: string) => Promise<unknown>)[] = [
  (amount, key) =>
    app.post(
      `/v2/onramp/${end2end}/refund`,
      { amount },
      { key: shop.apiKey, ...(key && { headers: { 'idempotency-key': key } }) },
    ),
  (amount, key) =>
    app.graphql(
      mutation('refundPayment', `, amount: "${amount}"${key ? `, idempotencyKey: "${key}"` : ''}`),
      {},
      { key: shop.apiKey },
    ),
  (amount) => owner.graphql(mutation('refundPayment', `, amount: "${amount}"`)),
  (amount) =>
    visit(app, owner, '/console/acts/RefundPayment', {
      form: { back: `/console/transactions/${end2end}`, end2end, amount },
    }),
  () => tool('request_refund', { end2end }),
];

test('C-25: parallel refunds by all interfaces leave without approval up to the threshold and no further', async () => {
  const before = await available();
  await Promise.all(Array.from({ length: 5 }, () => WAYS.map((refund) => refund('40.00'))).flat());
  const left = await refunds();
  const total = sum(left.map(({ amount }) => amount.amount));
  expect(Number(total)).toBe(80);
  expect(Number(sum([before, `-${await available()}`]))).toBeGreaterThan(0);
  // What is above the threshold waits once, whoever asked first.
  const { approvals } = await ask('{ approvals { kind brl transaction { end2end } } }');
  expect(approvals).toEqual([{ kind: 'REFUND', brl: '40', transaction: { end2end } }]);
  expect(await verifyMoneyOut(app.database, shop.accountId)).toEqual([]);
});

test('C-52: a refund that is repeated under its key moves money once, also in parallel', async () => {
  const [rest, graphql] = WAYS;
  const again = (way: typeof rest, key: string) =>
    Promise.all(Array.from({ length: 8 }, () => way?.('10.00', key)));
  await again(rest, 'r-1');
  await again(rest, 'r-1');
  await again(graphql, 'g-1');
  await again(graphql, 'g-1');
  expect((await refunds()).map(({ amount }) => Number(amount.amount))).toEqual([10, 10]);
});

test('C-25: the maker of waiting money out cannot approve it by any interface, nor by a key that the maker created', async () => {
  await WAYS[0]?.('150.00');
  expect(await refunds()).toEqual([]);
  const { createApiKey } = await ask(
    'mutation { createApiKey(input: { name: "second", scopes: ["read", "move"] }) { issuedApiKey { apiKey } errors { code } } }',
  );
  const approve = mutation('approveMoneyOut', '');
  for (const key of [shop.apiKey, createApiKey.issuedApiKey.apiKey]) {
    const { json } = await app.graphql(approve, {}, { key });
    expect(errorsIn(json)?.[0].extensions.code).toBe('FORBIDDEN');
    const { status } = await app.post(`/v2/withdrawal/${end2end}/approve`, {}, { key });
    expect([403, 404]).toContain(status);
  }
  expect(await refunds()).toEqual([]);
  // More of the same payment waits for the decision.
  for (const refund of WAYS) await refund('1.00');
  expect(await refunds()).toEqual([]);
});

test('C-25: rejected and expired money out is approved no more', async () => {
  await WAYS[0]?.('150.00');
  await ask(mutation('rejectMoneyOut', ''));
  const done = await owner.graphql(mutation('approveMoneyOut', ''));
  expect(errorsIn(done.json)?.[0].extensions.code).toBe('STEP_CONFLICT');
  await WAYS[0]?.('150.00');
  await app.services.sandbox?.advanceClock(73 * 3_600_000);
  const late = await owner.graphql(mutation('approveMoneyOut', ''));
  expect(errorsIn(late.json)?.[0].extensions.code).toBe('STEP_CONFLICT');
  expect(await refunds()).toEqual([]);
});
