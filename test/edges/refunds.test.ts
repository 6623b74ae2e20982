/**
 * Goal: an account holder gives a finished PIX back by GraphQL, whole or in parts, once and at most all of it, and sees what
 * became of it. Method: real operations over HTTP on accounts of their own, played on by `sandboxTrigger`.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { isReturnId } from '../../src/base/pix/end-to-end-id.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const ANA = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
const SEEN =
  'component state refunds { returnId kind state amount { amount } requestedAt endedAt } events { name }';
const BACK = 'refund/DONE';

let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, trigger, fund, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

/** An onramp of 550.00 BRL, played to the step. */
async function onramp(scenario: string, step = 'success/DONE'): Promise<string> {
  const { transaction } = await create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    ...ANA,
  });
  await trigger(transaction.end2end, scenario);
  await until(transaction.end2end, step);
  return transaction.end2end;
}

const read = async (end2end: string) =>
  (await ask(`{ transaction(end2end: "${end2end}") { ${SEEN} } }`)).transaction;
const refundText = (end2end: string, amount?: string, key?: string) =>
  `mutation { refundPayment(input: { end2end: "${end2end}"${amount ? `, amount: "${amount}"` : ''}${key ? `, idempotencyKey: "${key}"` : ''} }) { transaction { ${SEEN} } errors { code message path } } }`;
const refund = async (...args: Parameters<typeof refundText>) =>
  (await ask(refundText(...args))).refundPayment.transaction;
/** Lets the sandbox settle what is under way. */
async function settled(end2end: string, count: number) {
  const isRunning = (each: { state: string }) => each.state === 'REQUESTED';
  const until = Date.now() + 20_000;
  for (;;) {
    const found = await read(end2end);
    if ((found.refunds.length === count && !found.refunds.some(isRunning)) || Date.now() > until)
      return found;
  }
}

describe('C-35: refundPayment', () => {
  test('the second refund of a document shows both', async () => {
    const end2end = await onramp('pay');
    const refundOf = (amount: string) =>
      `refundPayment(input: { end2end: "${end2end}", amount: "${amount}" }) { transaction { refundable { amount } refunds { amount { amount } } } errors { code message path } }`;
    const { first, second } = await ask(`mutation { first: ${refundOf('50')} second: ${refundOf('20')} }`);
    expect(first.transaction).toEqual({
      refundable: { amount: '500' },
      refunds: [{ amount: { amount: '50' } }],
    });
    expect(second.transaction).toEqual({
      refundable: { amount: '480' },
      refunds: [{ amount: { amount: '50' } }, { amount: { amount: '20' } }],
    });
    await settled(end2end, 2);
    await refund(end2end);
    await until(end2end, BACK);
  });

  test('refuses the rest while a part is under way, and names the part as the reason', async () => {
    const end2end = await onramp('pay');
    const refundOf = (members: string) =>
      `refundPayment(input: { end2end: "${end2end}"${members} }) { transaction { end2end } errors { code message ... on StateRefusal { possibleActions } } }`;
    const both = `mutation { part: ${refundOf(', amount: "50"')} rest: ${refundOf('')} }`;
    const { part, rest } = (await app.graphql(both, {}, { key: shop.apiKey })).json.data;
    expect(part.transaction).toEqual({ end2end });
    expect(rest.errors).toEqual([
      {
        code: 'STEP_CONFLICT',
        message:
          'a partial refund is under way: refund a smaller amount than the rest now, or the rest when it has ended',
        possibleActions: ['REFUND_PAYMENT'],
      },
    ]);
    await settled(end2end, 1);
    await refund(end2end);
    await until(end2end, BACK);
  });

  test('refunds the whole payment, from the balance, with a published return id', async () => {
    const end2end = await onramp('pay');
    const ordered = await refund(end2end);
    expect(`${ordered.component}/${ordered.state}`).toBe('refund/INITIAL');
    await until(end2end, BACK);
    const { refunds } = await read(end2end);
    expect(refunds).toMatchObject([{ kind: 'REFUND', state: 'DONE', amount: { amount: '550' } }]);
    expect(isReturnId(refunds[0].returnId)).toBe(true);
    expect(refunds[0].endedAt >= refunds[0].requestedAt).toBe(true);
    expect(await balance()).toBe('0');
  });

  test('refunds parts: the step stays, an event of its own reports it, and the rest ends the transaction', async () => {
    const end2end = await onramp('pay');
    const ordered = await refund(end2end, '220.00', 'part-1');
    expect(`${ordered.component}/${ordered.state}`).toBe('success/DONE');
    const again = await refund(end2end, '220.00', 'part-1');
    expect(again.refunds).toHaveLength(1);
    const parted = await settled(end2end, 1);
    expect(parted.refunds).toMatchObject([
      { kind: 'PARTIAL_REFUND', state: 'DONE', amount: { amount: '220' } },
    ]);
    // An answer can have the refund of a later time than its events.
    await expect
      .poll(async () => (await read(end2end)).events.slice(-2))
      .toEqual([{ name: 'onramp.partial_refund.requested' }, { name: 'onramp.partial_refund.done' }]);
    expect(await refusal(refundText(end2end, '330.01'))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await refund(end2end);
    await until(end2end, BACK);
    expect(await balance()).toBe('0');
    expect(await refusal(refundText(end2end))).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('shows the refundable amount, until none is left', async () => {
    const end2end = await onramp('pay');
    const left = async () =>
      (await ask(`{ transaction(end2end: "${end2end}") { refundable { amount currency { code } } } }`))
        .transaction.refundable;
    expect(await left()).toEqual({ amount: '550', currency: { code: 'BRL' } });
    await refund(end2end, '220.50');
    expect(await left()).toMatchObject({ amount: '329.5' });
    await settled(end2end, 1);
    await refund(end2end, '329.50');
    expect(await left()).toBeNull();
    const old = await onramp('pay');
    const ofOld = `{ transaction(end2end: "${old}") { refundable { amount } } }`;
    expect((await ask(ofOld)).transaction.refundable).toEqual({ amount: '550' });
    await app.owner.query(
      `update transaction set updated_at = updated_at - interval '91 days',
          process = process - 'finishedAt' where end2end = $1`,
      [old],
    );
    expect((await ask(ofOld)).transaction.refundable).toBeNull();
    expect(await refusal(refundText(old))).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('credits a part back that the bank does not return', async () => {
    const end2end = await onramp('pay');
    await trigger(end2end, 'refund-fail');
    const before = await balance();
    await refund(end2end, '100.00');
    expect(await settled(end2end, 1)).toMatchObject({ state: 'DONE', refunds: [{ state: 'CREDITED_BACK' }] });
    expect(await balance()).toBe(before);
  });

  test('is refused if the balance does not cover it, for another account, with a bad amount, by a key without the scope', async () => {
    const rich = shop;
    const end2end = await onramp('pay');
    shop = await app.addAccount();
    expect(await refusal(refundText(end2end))).toMatchObject({ code: 'NOT_FOUND' });
    const own = await onramp('pay');
    for (const amount of ['0', '-1', '1.001'])
      expect(await refusal(refundText(own, amount))).toMatchObject({
        code: 'INVALID_PARAMETER',
        violations: [{ parameter: 'input.amount' }],
      });
    const amount = await balance();
    await create('createOfframp', {
      amount: { crypto: amount },
      currency: 'USDT_TRX',
      ...ANA,
      pixKey: 'ana@example.com',
      pixKeyType: 'EMAIL',
    });
    expect(await refusal(refundText(own, '10.00'))).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(await read(own)).toMatchObject({ state: 'DONE', refunds: [] });
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'create']);
    shop = { ...shop, apiKey };
    expect(await refusal(refundText(own))).toMatchObject({ code: 'FORBIDDEN' });
    shop = rich;
  });
});

test('C-35: a payment is refunded in at most 90 parts, of a cent at least; then the whole remainder together', async () => {
  const end2end = await onramp('pay');
  await app.owner.query(
    `update transaction set process = process || jsonb_build_object('returns',
        (select jsonb_agg(jsonb_build_object('returnId', 'D' || n, 'kind', 'part', 'state', 'credited_back', 'amount', '1',
            'requestedAt', '2026-11-21T12:00:00.000Z')) from generate_series(1, 89) n)) where end2end = $1`,
    [end2end],
  );
  for (const amount of ['0.009', '0.001'])
    expect(await refusal(refundText(end2end, amount))).toMatchObject({ code: 'INVALID_PARAMETER' });
  await refund(end2end, '0.01');
  expect((await settled(end2end, 90)).refunds.at(-1)).toMatchObject({
    state: 'DONE',
    amount: { amount: '0.01' },
  });
  expect(await refusal(refundText(end2end, '0.01'))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('90 parts'),
  });
  await refund(end2end);
  await until(end2end, BACK);
});

test('C-35: each part is ordered from the bank once, however many are under way', async () => {
  const end2end = await onramp('pay');
  const ordered = vi.spyOn(app.services.rails.pix, 'returnPayment');
  for (let part = 1; part <= 6; part++) await refund(end2end, '10.00');
  const { refunds } = await settled(end2end, 6);
  const ids = ordered.mock.calls.map(([{ returnId }]) => returnId);
  ordered.mockRestore();
  expect(ids.toSorted()).toEqual(refunds.map(({ returnId }: { returnId: string }) => returnId).toSorted());
});

test('16 parallel refunds of 50.00 return no more than the payment', async () => {
  const end2end = await onramp('pay');
  const answers = await Promise.all(
    Array.from({ length: 16 }, () =>
      refund(end2end, '50.00').then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(answers.filter(Boolean).length).toBe(10);
  const { refunds } = await settled(end2end, 10);
  expect(refunds.map(({ state }: { state: string }) => state)).toEqual(Array(10).fill('DONE'));
  expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
});

test('the excess over the price is listed until it is back', async () => {
  const end2end = await onramp('pay-over');
  expect((await settled(end2end, 1)).refunds).toMatchObject([
    { kind: 'EXCESS', state: 'DONE', amount: { amount: '20' } },
  ]);
});

test('C-34: an excess whose return failed is listed, and counted, until it is settled', async () => {
  const OPEN = '{ openRefunds { account transaction { end2end refunds { kind state } } } }';
  const seen = async (key?: string) => (await ask(OPEN, {}, key)).openRefunds;
  const failed = async () => (await ask('{ attention { failedRefunds } }')).attention.failedRefunds;
  const before = shop;
  shop = await app.addAccount();
  const { transaction } = await create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    ...ANA,
  });
  await trigger(transaction.end2end, 'excess-fail');
  await trigger(transaction.end2end, 'pay-over');
  await until(transaction.end2end, 'success/DONE');
  await expect.poll(failed).toBe(1);
  const entry = {
    account: String(shop.accountId),
    transaction: { end2end: transaction.end2end, refunds: [{ kind: 'EXCESS', state: 'FAILED' }] },
  };
  expect(await seen()).toEqual([entry]);
  expect(await seen(app.platformKey)).toContainEqual(entry);
  expect(await seen(before.apiKey)).not.toContainEqual(entry);
  await ask(
    `mutation { retryRefund(input: { account: "${shop.accountId}", end2end: "${transaction.end2end}", reason: "checked" }) { transaction { end2end } errors { code message path } } }`,
    {},
    app.platformKey,
  );
  await expect.poll(() => seen()).toEqual([]);
  expect(await failed()).toBe(0);
  shop = before;
});

describe('failed returns', () => {
  const receivable = async () => {
    const { transaction } = await create('createOnramp', {
      amount: { brl: '550.00' },
      currency: 'USDT_TRX',
      ...ANA,
    });
    await trigger(transaction.end2end, 'refund-fail');
    await trigger(transaction.end2end, 'pay-under');
    await until(transaction.end2end, 'refund/ERROR');
    return transaction.end2end;
  };
  const mend = (name: string, end2end: string, account = shop.accountId, rest = '') =>
    `mutation { ${name}(input: { account: "${account}", end2end: "${end2end}"${name === 'retryRefund' ? ', reason: "checked"' : rest} }) { transaction { ${SEEN} } errors { code message path } } }`;
  const manual = ', reference: "E12345678202611211205abcdef12345"';

  test('is ordered again by the operator, under a new return id', async () => {
    const end2end = await receivable();
    const {
      retryRefund: { transaction: retryRefund },
    } = await ask(mend('retryRefund', end2end), {}, app.platformKey);
    expect(retryRefund.refunds[0]).toMatchObject({ state: 'RETRIED' });
    await until(end2end, BACK);
    const { refunds } = await read(end2end);
    expect(refunds.map(({ state }: { state: string }) => state)).toEqual(['RETRIED', 'DONE']);
    expect(refunds[0].returnId).not.toBe(refunds[1].returnId);
    expect(await refusal(mend('retryRefund', end2end), {}, app.platformKey)).toMatchObject({
      code: 'STEP_CONFLICT',
    });
  });

  test('is paid by hand, and booked', async () => {
    const end2end = await receivable();
    const {
      settleRefundByHand: { transaction: settleRefundManually },
    } = await ask(mend('settleRefundByHand', end2end, shop.accountId, manual), {}, app.platformKey);
    expect(settleRefundManually.refunds).toMatchObject([{ state: 'PAID_BY_HAND' }]);
    expect(await read(end2end)).toMatchObject({
      component: 'refund',
      state: 'DONE',
      refunds: [{ state: 'PAID_BY_HAND' }],
    });
    expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
  });

  test('C-35: from before returns were stored has the paid amount, and is returned like any other', async () => {
    // Returns were ordered without an id, too.
    const asBefore = async (end2end: string) => {
      const keyed = `update sandbox_order set key = gen_random_uuid() || ':' || key where account_id = $1 and kind = 'return'`;
      await app.owner.query(keyed, [String(shop.accountId)]);
      const event = `delete from rail_news where account_id = $1 and kind = 'refund_ended'`;
      await app.owner.query(event, [String(shop.accountId)]);
      await app.owner.query(`update transaction set process = process - 'returns' where end2end = $1`, [
        end2end,
      ]);
    };
    const retried = await receivable();
    await asBefore(retried);
    await ask(mend('retryRefund', retried), {}, app.platformKey);
    await until(retried, BACK);
    expect((await read(retried)).refunds).toMatchObject([
      { kind: 'PAYMENT', state: 'DONE', amount: { amount: '530' } },
    ]);
    const paid = await receivable();
    await asBefore(paid);
    await ask(mend('settleRefundByHand', paid, shop.accountId, manual), {}, app.platformKey);
    expect(await read(paid)).toMatchObject({
      state: 'DONE',
      refunds: [{ kind: 'PAYMENT', state: 'PAID_BY_HAND', amount: { amount: '530' } }],
    });
    for (const done of [retried, paid])
      expect(await refusal(mend('retryRefund', done), {}, app.platformKey)).toMatchObject({
        code: 'STEP_CONFLICT',
      });
    const { rows } = await app.owner.query(
      `select b.balance::text from ledger_account a join ledger_balance b on b.ledger_account_id = a.id
        where a.account_id = $1 and a.house = 'L.payer' and b.balance <> 0`,
      [String(shop.accountId)],
    );
    expect(rows).toEqual([]);
    expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
  });

  test('C-40: is no matter for a key of the account, and is not found on another account', async () => {
    const end2end = await receivable();
    for (const [name, rest] of [
      ['retryRefund', ''],
      ['settleRefundByHand', manual],
    ] as const) {
      const own = await refusal(mend(name, end2end, shop.accountId, rest));
      expect(own).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('platform:risk') });
      const other = (await app.addAccount()).accountId;
      const foreign = await refusal(mend(name, end2end, other, rest), {}, app.platformKey);
      expect(foreign).toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

test('the PIX end-to-end id of a BRL withdrawal can be read', async () => {
  await fund('BRL', '100.00');
  const {
    createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
  } = await ask(
    'mutation { createWhitelistGroup(input: { name: "Bank" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  const entry = `mutation { addWhitelistEntry(input: { groupId: "${createWhitelistGroup.id}", target: { pixKey: { type: EMAIL, key: "ana@example.com" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`;
  await ask(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0 }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  await ask(entry);
  const { transaction } = await create('createWithdrawal', {
    amountReceived: '10.00',
    currency: 'BRL',
    groupId: createWhitelistGroup.id,
  });
  await until(transaction.end2end, 'success_withdrawl_dash/DONE');
  const found = await ask(`{ transaction(end2end: "${transaction.end2end}") { pixE2e } }`);
  expect(found.transaction.pixE2e).toMatch(/^E\d{8}/);
});

async function balance(): Promise<string> {
  const { balances } = await ask('{ balances { available currency { code } } }');
  return balances.find((each: { currency: { code: string } }) => each.currency.code === 'USDT_TRX').available;
}
