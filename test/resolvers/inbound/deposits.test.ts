/**
 * C-34: a deposit that is final is a step of its transaction or a booking in suspense, never nothing. Method: as with payments
 * (payments.test.ts).
 */
import { describe, expect, test } from 'vitest';
import { toMinor } from '../../../src/base/money/money.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { useApp } from '../../support/app.ts';
import { depositFor, inboundOf } from './support.ts';

const app = useApp();
const {
  offrampInstant,
  reach,
  stepOf,
  eventsOf: eventOf,
  suspenseOf,
  bookOf,
  journalsOf,
  verified,
  rowOf,
} = inboundOf(app);
const receive = async (...event: Parameters<typeof app.services.receive>[0][]) => {
  const outcomes: string[] = [];
  for (const each of event) outcomes.push((await app.services.receive(each)).outcome);
  return outcomes.join(' ');
};
const waiting = async () => {
  const own = await app.addAccount();
  const made = await offrampInstant(own);
  await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
  return { own, row: await rowOf(made.end2end) };
};

describe('a deposit', () => {
  test('C-33, C-34: of the exact amount is accepted when it is seen and when it is final, once each', async () => {
    const { own, row } = await waiting();
    const final = depositFor(row);
    const seen = { ...final, kind: 'deposit_seen' } as const;
    expect(await receive(seen, seen, final, final)).toBe('step duplicate step duplicate');
    await reach(row, 'success/DONE');
    expect(await suspenseOf(own.accountId)).toEqual([]);
    await verified(own.accountId);
  });

  test('C-34: that is final was seen, even without a report of that', async () => {
    const { row } = await waiting();
    const final = depositFor(row);
    expect(await receive(final, { ...final, kind: 'deposit_seen' })).toBe('step duplicate');
    await reach(row, 'success/DONE');
  });

  test('C-34: a second one, and the second part of a split one, are in the suspense of the account', async () => {
    const { own, row } = await waiting();
    const part = depositFor(row, { amount: '10' });
    const rest = depositFor(row, { amount: '10.5' });
    expect(await receive(part, rest)).toBe('step suspense');
    await reach(row, 'crypto_deposit/UNDERPAID');
    expect(await suspenseOf(own.accountId)).toMatchObject([
      { currency: 'USDT_TRX', amount: '10500000', reason: 'second_payment', transaction_id: String(row.id) },
    ]);
    expect(await journalsOf(own.accountId)).toBe('L30 L31 L33 L37');
    expect(await bookOf(own.accountId)).toEqual({
      'A.custody USDT_TRX': '-20500000',
      'L.suspense USDT_TRX': '10500000',
      'M.blocked USDT_TRX': '10000000',
    });
    await verified(own.accountId);
  });

  test('C-34: of another token at an address of the account, or of an unlisted token', async () => {
    const { own, row } = await waiting();
    const other = depositFor(row, { currency: 'TRX_TRX', amount: '7' });
    const fake = depositFor(row, { currency: 'SCAM_TRX', amount: '1000000' });
    expect(await receive({ ...other, kind: 'deposit_seen' }, other, fake)).toBe('noted suspense noted');
    expect(await suspenseOf(own.accountId)).toMatchObject([
      { currency: 'TRX_TRX', amount: '7000000', reason: 'no_transaction' },
    ]);
    expect(await stepOf(row)).toBe('crypto_deposit/WAITING_DEPOSIT');
    await verified(own.accountId);
  });

  test('C-34: to an ended session is booked, and to an unissued address, with the platform', async () => {
    const { own, row } = await waiting();
    await receive(depositFor(row));
    await reach(row, 'success/DONE');
    expect(await receive(depositFor(row))).toBe('suspense');
    expect(await suspenseOf(own.accountId)).toMatchObject([{ reason: 'second_payment' }]);
    const platform = await platformAccount(app.database, 'sandbox');
    expect(await receive(depositFor(row, { address: 'TNobodyGotThisAddress', amount: '3' }))).toBe(
      'suspense',
    );
    expect(await suspenseOf(platform)).toMatchObject([{ amount: '3000000', reason: 'unknown' }]);
    await verified(platform);
  });

  test('C-34: that was dropped and arrives again is accepted, and money of one that was not dropped is absent', async () => {
    const { own, row } = await waiting();
    const final = depositFor(row);
    const told = [{ ...final, kind: 'deposit_seen' }, { ...final, kind: 'deposit_dropped' }, final] as const;
    expect(await receive(...told)).toBe('step step step');
    await reach(row, 'success/DONE');
    expect((await eventOf(`chain:TRX:${final.txHash}:0`)).map(({ outcome }) => outcome)).toEqual([
      'step',
      'step',
      'step',
    ]);
    expect(await suspenseOf(own.accountId)).toEqual([]);
    await verified(own.accountId);
  });

  test('C-34: that was dropped after it was final is owed to the house (L55), once; reported again, it is in suspense', async () => {
    const { own, row } = await waiting();
    const final = depositFor(row);
    const dropped = { ...final, kind: 'deposit_dropped' } as const;
    expect(await receive(final)).toBe('step');
    await reach(row, 'success/DONE');
    const outcomes = await Promise.all([receive(dropped), receive(dropped)]);
    expect(outcomes.sort()).toEqual(['duplicate', 'step']);
    expect(await receive(dropped)).toBe('duplicate');
    expect(await journalsOf(own.accountId)).toBe('L30 L31 L32 L22 L55');
    expect(await bookOf(own.accountId)).toMatchObject({
      'A.recv USDT_TRX': `-${toMinor(row.exactDepositAmount as string, 6)}`,
    });
    expect(await stepOf(row)).toBe('success/DONE');
    expect(await receive(final, final, dropped, dropped)).toBe('suspense duplicate suspense duplicate');
    await verified(own.accountId);
  });

  test('C-34: that was dropped before it was final can be dropped after that as well', async () => {
    const { own, row } = await waiting();
    const final = depositFor(row);
    const dropped = { ...final, kind: 'deposit_dropped' } as const;
    expect(await receive({ ...final, kind: 'deposit_seen' }, dropped, final)).toBe('step step step');
    await reach(row, 'success/DONE');
    expect(await receive(dropped, dropped)).toBe('step duplicate');
    expect(await journalsOf(own.accountId)).toBe('L30 L36 L30 L31 L32 L22 L55');
    await verified(own.accountId);
  });

  test('C-34: that was dropped while it was held is neither sent back nor converted, but kept, and is owed', async () => {
    const { own, row } = await waiting();
    const final = depositFor(row, { amount: '21' });
    expect(await receive(final)).toBe('step');
    await reach(row, 'crypto_deposit/OVERPAID');
    expect(await receive({ ...final, kind: 'deposit_dropped' })).toBe('step');
    const resolve = async (action: string) =>
      (await app.post(`/v2/offramp/${row.end2end}/resolve`, { action }, { key: own.apiKey })).status;
    expect([await resolve('refund'), await resolve('requote'), await resolve('keep')]).toEqual([
      409, 409, 200,
    ]);
    expect(await bookOf(own.accountId)).toEqual({
      'A.recv USDT_TRX': '-21000000',
      'M.available USDT_TRX': '21000000',
    });
    await verified(own.accountId);
  });

  test('C-33: two transfers of one hash are two deposits', async () => {
    const { own, row } = await waiting();
    const first = depositFor(row);
    const second = { ...first, logIndex: 1, amount: '5' };
    expect(await receive({ ...first, kind: 'deposit_seen' }, second, first)).toBe('step suspense step');
    expect(await suspenseOf(own.accountId)).toMatchObject([{ amount: '5000000' }]);
    await reach(row, 'success/DONE');
    await verified(own.accountId);
  });
});

test('the transfer that returned a deposit is stored, and on its receipt', async () => {
  const { own, row } = await waiting();
  expect(await receive(depositFor(row, { amount: '21' }))).toBe('step');
  const path = `/v2/offramp/${row.end2end}/resolve`;
  const { status, text } = await app.post(path, { action: 'refund' }, { key: own.apiKey });
  expect(status, text).toBe(200);
  await reach(row, 'refund/DONE');
  const { process } = await rowOf(row.end2end);
  expect(process?.refundTxHash).toMatch(/^[0-9a-f]{64}$/);
  const page = await app.get(`/pay/${process?.session}`, { key: null });
  expect(page.text).toContain(process?.refundTxHash);
});
