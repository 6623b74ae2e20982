/**
 * C-34: a PIX that came is a step of its transaction or a booking in suspense, never nothing. Method: events as a rail reports them,
 * received by the real application; then the stored events, the entries and the books are read.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { receiveRailEvent } from '../../../src/resolvers/inbound/receive.ts';
import { retryRailEvents } from '../../../src/resolvers/inbound/retry-rail-events.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { useApp } from '../../support/app.ts';
import { inboundOf, type Merchant, pixFor, SILENT } from './support.ts';

const app = useApp();
const {
  onramp,
  act: action,
  play,
  reach,
  stepOf,
  eventsOf: eventOf,
  suspenseOf,
  bookOf,
  journalsOf,
  verified,
  rowOf,
} = inboundOf(app);
let merchant: Merchant;

beforeAll(async () => {
  merchant = await app.addAccount();
});

describe('a PIX for a charge', () => {
  test('C-33, C-34: is stored with its step, once, however often it is reported', async () => {
    const row = await onramp(merchant);
    const event = pixFor(row);
    const receipts = await Promise.all([1, 2, 3].map(() => app.services.receive(event)));
    expect(receipts.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'duplicate', 'step']);
    expect(await eventOf(`pix:${event.endToEndId}`)).toEqual([
      { kind: 'payment', outcome: 'step', account_id: String(row.accountId), transaction_id: String(row.id) },
    ]);
    await reach(row, 'success/DONE');
    expect((await rowOf(row.end2end)).pixE2e).toBe(event.endToEndId);
  });

  test('C-34: after a cancellation, and a second one to a paid charge, are in the suspense of the account', async () => {
    const own = await app.addAccount();
    const cancelled = await onramp(own);
    await action(own, `/v2/onramp/${cancelled.end2end}/cancel`);
    const paid = await onramp(own);
    await app.services.receive(pixFor(paid));
    await reach(paid, 'success/DONE');
    const late = pixFor(cancelled);
    const second = pixFor(paid, { amount: '70.00' });
    for (const event of [late, second, late, second])
      expect(['suspense', 'duplicate']).toContain((await app.services.receive(event)).outcome);
    expect(await stepOf(cancelled)).toBe('quote/CANCELLED');
    expect(await stepOf(paid)).toBe('success/DONE');
    expect(await suspenseOf(own.accountId)).toMatchObject([
      {
        amount: '10000',
        currency: 'BRL',
        reason: 'not_due',
        state: 'open',
        transaction_id: String(cancelled.id),
      },
      { amount: '7000', currency: 'BRL', reason: 'second_payment', transaction_id: String(paid.id) },
    ]);
    expect(await bookOf(own.accountId)).toMatchObject({ 'L.suspense BRL': '17000' });
    expect(await journalsOf(own.accountId)).toBe('L1 L2 L3 L50 L50');
    await verified(own.accountId);
  });

  test('C-34: at the same time as a cancellation is booked exactly once, whichever is first', async () => {
    const own = await app.addAccount();
    for (let round = 0; round < 5; round++) {
      const row = await onramp(own);
      const cancel = () =>
        app.post(`/v2/onramp/${row.end2end}/cancel`, {}, { key: own.apiKey }).then(({ status }) => status);
      const [status, receipt] = await Promise.all([cancel(), app.services.receive(pixFor(row))]);
      expect([status, receipt.outcome]).toEqual(status === 200 ? [200, 'suspense'] : [409, 'step']);
    }
    await verified(own.accountId);
  });

  test('has the time of the payment, even if it is returned', async () => {
    const row = await onramp(merchant);
    const event = pixFor(row, { amount: '70.00' });
    await app.services.receive(event);
    expect((await rowOf(row.end2end)).process?.paidAt).toBe(event.settledAt);
    await reach(row, 'refund/DONE');
  });

  test('the sandbox pays a cancelled charge: its scenario is a rail event like any other', async () => {
    const own = await app.addAccount();
    const row = await onramp(own);
    await action(own, `/v2/onramp/${row.end2end}/cancel`);
    const { status, json } = await play(own, 'pay', row);
    expect([status, json.component, json.state]).toEqual([200, 'quote', 'CANCELLED']);
    expect(await suspenseOf(own.accountId)).toMatchObject([{ amount: '10000', reason: 'not_due' }]);
  });
});

test('C-34: an unknown PIX is booked with the platform, once over all accounts', async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  const row = await onramp(merchant);
  const event = [pixFor(row, { txid: 'f'.repeat(32) }), pixFor(row, { txid: null, amount: '12.34' })];
  for (const each of event) {
    const receipts = await Promise.all([app.services.receive(each), app.services.receive(each)]);
    expect(receipts.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'suspense']);
  }
  expect(await suspenseOf(platform)).toMatchObject([
    { amount: '10000', reason: 'unknown', transaction_id: null },
    { amount: '1234', reason: 'unknown', transaction_id: null },
  ]);
  expect(await bookOf(platform)).toEqual({ 'A.pix BRL': '-11234', 'L.suspense BRL': '11234' });
  await verified(platform);
});

test('C-34: received events are never changed', async () => {
  const row = await onramp(merchant);
  const event = pixFor(row);
  await app.services.receive(event);
  const change = (set: string) =>
    app.owner.query(`update rail_news set ${set} where key = $1`, [`pix:${event.endToEndId}`]);
  await expect(change(`body = '{}'`)).rejects.toThrow(/append-only/);
  await expect(change(`outcome = 'noted'`)).rejects.toThrow(/append-only/);
});

test('C-34: an event that cannot be settled now is stored, retried, and settled once', async () => {
  const row = await onramp(merchant);
  const event = pixFor(row);
  const failing = {
    ...app.services,
    advance: () => Promise.reject(new Error('the process is about to die')),
  };
  const beforeMs = Date.now();
  expect(await receiveRailEvent(failing, SILENT, event)).toEqual({ outcome: 'pending' });
  expect(await eventOf(`pix:${event.endToEndId}`)).toMatchObject([{ outcome: 'pending' }]);
  expect(await retryRailEvents(app.services, SILENT, beforeMs)).toBe(0);
  expect(await retryRailEvents(app.services, SILENT, Date.now() + 3_600_000)).toBe(1);
  expect(await eventOf(`pix:${event.endToEndId}`)).toMatchObject([
    { outcome: 'step', transaction_id: String(row.id) },
  ]);
  expect((await app.services.receive(event)).outcome).toBe('duplicate');
  await reach(row, 'success/DONE');
});

test('C-34: a payment whose return failed is ordered again automatically, after 15 minutes', async () => {
  const own = await app.addAccount();
  const row = await onramp(own);
  await play(own, 'refund-fail', row);
  await app.services.receive(pixFor(row, { amount: '90.00' }));
  await reach(row, 'refund/ERROR');
  await app.services.sandbox?.advanceClock(14 * 60_000);
  await settle(app.services, SILENT, { only: { accountId: row.accountId, transactionId: row.id } });
  expect(await stepOf(row)).toBe('refund/ERROR');
  await app.services.sandbox?.advanceClock(61_000);
  await reach(row, 'refund/INITIAL');
  await app.services.sandbox?.advanceClock(10_000);
  await reach(row, 'refund/DONE');
  const { process } = await rowOf(row.end2end);
  expect(process?.returns?.map(({ state }) => state)).toEqual(['retried', 'done']);
  expect(await journalsOf(own.accountId)).toBe('L1 L4');
  await verified(own.accountId);
});
