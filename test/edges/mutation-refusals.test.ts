/** Goal: a refused mutation says why in its payload, by types that programs can use (docs/graphql.md). Method: a refusal of each type, over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeEventCursor } from '../../src/events/cursor.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { holdAccounts } from '../support/hold-accounts.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { create, trigger, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

const MONEY = '{ amount currency { code decimals } }';
const LIMITS = `kind minimum ${MONEY} maximum ${MONEY}`;
const brl = (amount: string) => ({ amount, currency: { code: 'BRL', decimals: 2 } });
const PARTS = `errors { __typename code message path action
  ... on PermissionRefusal { scope } ... on LimitRefusal { limit limitCurrency ${LIMITS} }
  ... on StateRefusal { possibleActions } ... on WaitRefusal { retryAfter } }`;
const CHECKOUT = `mutation ($input: CreateCheckoutInput!) { createCheckout(input: $input) { transaction { end2end } paymentLink replayed ${PARTS} } }`;
const ONRAMP = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } replayed ${PARTS} } }`;
const ANA = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };

/** The one payload of a mutation that is answered without errors of the whole answer. */
async function payload(query: string, variables: object = {}, key = shop.apiKey) {
  const { status, json } = await app.graphql(query, { ...variables }, { key });
  expect([status, json.errors], JSON.stringify(json)).toEqual([200, undefined]);
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  return Object.values<any>(json.data)[0];
}

describe('a payload has', () => {
  test('the object and no errors where the mutation was carried out', async () => {
    const made = await payload(CHECKOUT, { input: { currency: 'USDT_TRX' } });
    expect(made).toEqual({
      transaction: { end2end: expect.stringMatching(/^CRX/) },
      paymentLink: expect.stringContaining('/pay/'),
      replayed: false,
      errors: [],
    });
  });

  test('C-50: an error for each bad member of the input, by its path', async () => {
    const input = { currency: 'NOPE', amount: { brl: '-1' }, webhook: 'nowhere' };
    const refused = await payload(CHECKOUT, { input });
    expect(refused).toMatchObject({ transaction: null, paymentLink: null, replayed: false });
    const common = { __typename: 'InputRefusal', code: 'INVALID_PARAMETER', action: 'FIX' };
    expect(refused.errors).toEqual(
      ['input.currency', 'input.amount.brl', 'input.webhook'].map((path) => ({
        ...common,
        path,
        message: expect.stringMatching(/^must /),
      })),
    );
  });

  test('C-40: the scope that a key lacks', async () => {
    const { apiKey } = await app.addKey(shop.accountId, ['read']);
    const { errors } = await payload(CHECKOUT, { input: { currency: 'USDT_TRX' } }, apiKey);
    expect(errors).toMatchObject([
      { __typename: 'PermissionRefusal', code: 'FORBIDDEN', action: 'STOP', path: null, scope: 'create' },
    ]);
  });

  test('C-21: the amount that is allowed, again under the same key (C-52)', async () => {
    const input = { currency: 'USDT_TRX', amount: { brl: '50000.01' }, ...ANA, idempotencyKey: 'too-much' };
    const { errors, replayed } = await payload(ONRAMP, { input });
    expect(replayed).toBe(false);
    expect(errors).toMatchObject([
      {
        ...{ __typename: 'LimitRefusal', code: 'LIMIT_EXCEEDED', limit: '50000', limitCurrency: 'BRL' },
        ...{ kind: 'TRANSACTION', minimum: brl('1'), maximum: brl('50000') },
      },
    ]);
    expect(await payload(ONRAMP, { input })).toEqual({ transaction: null, replayed: true, errors });
    const less = await payload(ONRAMP, {
      input: { ...input, amount: { brl: '0.99' }, idempotencyKey: 'too-little' },
    });
    expect(less.errors).toMatchObject([{ limit: '1', limitCurrency: 'BRL' }]);
  });

  test('C-35: the rest of a payment', async () => {
    const { transaction } = await create('createOnramp', {
      currency: 'USDT_TRX',
      amount: { brl: '60' },
      ...ANA,
    });
    await trigger(transaction.end2end, 'pay');
    await until(transaction.end2end, 'success/DONE');
    const refund = `mutation { refundPayment(input: { end2end: "${transaction.end2end}", amount: "60.01" }) { transaction { state } ${PARTS} } }`;
    expect((await payload(refund)).errors).toMatchObject([
      { code: 'LIMIT_EXCEEDED', limit: '60', kind: 'REFUNDABLE', minimum: null, maximum: brl('60') },
    ]);
  });

  test('C-20: the available balance', async () => {
    const poor = await app.addAccount();
    const offramp = (amount: string) =>
      payload(
        `mutation ($input: CreateOfframpInput!) { createOfframp(input: $input) { transaction { end2end } ${PARTS} } }`,
        {
          input: {
            currency: 'USDT_TRX',
            amount: { crypto: amount },
            pixKey: 'a@b.invalid',
            pixKeyType: 'EMAIL',
            ...ANA,
          },
        },
        poor.apiKey,
      );
    const { errors } = await offramp('20');
    expect(errors).toMatchObject([
      {
        ...{ __typename: 'LimitRefusal', code: 'INSUFFICIENT_BALANCE', limit: '0', kind: 'BALANCE' },
        ...{ minimum: null, maximum: { amount: '0', currency: { code: 'USDT_TRX', decimals: 6 } } },
      },
    ]);
  });

  test('the actions that are possible instead', async () => {
    const { transaction } = await create('createOnramp', {
      currency: 'USDT_TRX',
      amount: { brl: '60' },
      ...ANA,
    });
    const accept = `mutation { acceptQuote(input: { end2end: "${transaction.end2end}" }) { transaction { state } ${PARTS} } }`;
    const { errors } = await payload(accept);
    expect(errors).toMatchObject([{ __typename: 'StateRefusal', code: 'STEP_CONFLICT', action: 'STOP' }]);
    expect(errors[0].possibleActions).toContain('CANCEL');
  });

  test('C-52: the time after which to send the same request again', async () => {
    const input = { currency: 'USDT_TRX', ...ANA, idempotencyKey: 'at-once' };
    const held = await holdAccounts(app.owner, shop.accountId);
    const first = payload(CHECKOUT, { input });
    try {
      await expect
        .poll(async () => (await payload(CHECKOUT, { input })).errors)
        .toMatchObject([
          { __typename: 'WaitRefusal', code: 'IDEMPOTENCY_RUNNING', action: 'WAIT', retryAfter: 1 },
        ]);
    } finally {
      await held.release();
    }
    expect((await first).errors).toEqual([]);
  });

  test('C-61: the cursors to continue from', async () => {
    const lost = encodeEventCursor(shop.accountId, { seq: 1_000_000n, token: '0badcafe' });
    const again = `mutation { redeliverWebhooks(input: { filter: { after: "${lost}" } }) { redelivery { matched } errors { __typename code ... on CursorRefusal { earliest latest } } } }`;
    expect((await payload(again)).errors).toEqual([
      {
        __typename: 'CursorRefusal',
        code: 'CURSOR_EXPIRED',
        earliest: expect.stringMatching(/./),
        latest: expect.stringMatching(/./),
      },
    ]);
  });

  test('C-15: nothing of a record that is another account’s', async () => {
    const { transaction } = await create('createCheckout', { currency: 'USDT_TRX' });
    const stranger = await app.addAccount();
    const cancel = (end2end: string) =>
      `mutation { cancelTransaction(input: { end2end: "${end2end}" }) { transaction { state } ${PARTS} } }`;
    const { errors } = await payload(cancel(transaction.end2end), {}, stranger.apiKey);
    expect(errors).toMatchObject([
      { __typename: 'RuleRefusal', code: 'NOT_FOUND', action: 'STOP', path: null },
    ]);
    expect((await payload(cancel('CRX0'), {}, stranger.apiKey)).errors).toEqual(errors);
  });
});

test('C-50: an unexpected error stays an error of the whole answer; completed work is answered again by its key', async () => {
  const groups = `mutation {
    one: createWhitelistGroup(input: { name: "one", idempotencyKey: "one" }) { whitelistGroup { name } ${PARTS} }
    two: createWhitelistGroup(input: { name: "two", idempotencyKey: "two" }) { whitelistGroup { name } ${PARTS} }
  }`;
  await app.owner.query(`
    create function no_second() returns trigger language plpgsql as $$ begin raise 'no second group'; end $$;
    create trigger no_second before insert on whitelist_group for each row when (new.name = 'two') execute function no_second()`);
  const failed = (await app.graphql(groups, {}, { key: shop.apiKey })).json;
  expect([failed.data, failed.errors.length]).toEqual([null, 1]);
  expect(failed.errors[0]).toMatchObject({ path: ['two'], extensions: { code: 'INTERNAL' } });
  await app.owner.query('drop trigger no_second on whitelist_group; drop function no_second');
  const { json } = await app.graphql(groups, {}, { key: shop.apiKey });
  expect(json).toEqual({
    data: {
      one: { whitelistGroup: { name: 'one' }, errors: [] },
      two: { whitelistGroup: { name: 'two' }, errors: [] },
    },
  });
  const { json: read } = await app.graphql(
    '{ viewer { account { whitelistGroups { name } } } }',
    {},
    { key: shop.apiKey },
  );
  expect(read.data.viewer.account.whitelistGroups).toEqual([{ name: 'one' }, { name: 'two' }]);
});
