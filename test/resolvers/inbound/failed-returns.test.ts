/**
 * Goal: a deposit that could not be sent back is held again, decided anew, and leaves once (C-34). Method: a network that takes orders and
 * says nothing; what becomes of each order is told by the test.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { operatorContext } from '../../../src/cli/with-store.ts';
import { retryJob } from '../../../src/resolvers/engine/manage-jobs.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { RailRefused } from '../../../src/resolvers/services/rails.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { listedJobs } from '../../../src/store/engine/job-list.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { depositFor, inboundOf, type Merchant, SILENT } from './support.ts';

const app = useApp();
const { offrampInstant, reach, stepOf, bookOf, journalsOf, verified, rowOf, play } = inboundOf(app);
let own: Merchant;
const { ask, refusal } = graphqlClient(app, () => own.apiKey);
const chain = () => app.services.rails.chain;
const sendBack = vi.spyOn(
  { none: async (_order: { readonly key: string }): Promise<unknown> => undefined },
  'none',
);

beforeEach(async () => {
  own = await app.addAccount();
  sendBack.mockClear();
  vi.spyOn(chain(), 'sendBack').mockImplementation((order) => sendBack(order));
});
afterEach(() => void vi.restoreAllMocks());

/** The orders so far. */
const orders = () => sendBack.mock.calls.map(([{ key }]) => key);
/** What the network says of an order. */
const ended = async (order: string | undefined, isDone: boolean) => {
  const { outcome } = await app.services.receive({
    ...{ kind: 'refund_ended', rail: 'chain', order: order as string, endToEndId: null, isDone, gas: null },
    ...{ networkFee: isDone ? '1.00' : null, txHash: isDone ? 'f'.repeat(64) : null },
  });
  return outcome;
};
const work = ({ accountId, id }: ProcessRow) =>
  settle(app.services, SILENT, { only: { accountId, transactionId: id } });
const post = async (row: ProcessRow, path: string, body: object = {}) =>
  (await app.post(`/v2/offramp/${row.end2end}/${path}`, body, { key: own.apiKey })).status;
const attention = async () => (await ask('{ attention { heldDeposits holds } }')).attention;

/** A deposit of so much, held where it has to be. */
async function held(step: string, amount?: string): Promise<ProcessRow> {
  const made = await offrampInstant(own);
  await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
  if (step === 'compliance/UNCOMPLIANT') await play(own, 'hold', made);
  const row = await rowOf(made.end2end);
  await app.services.receive(depositFor(row, amount === undefined ? {} : { amount }));
  await reach(row, step);
  return row;
}
const OVER = 'crypto_deposit/OVERPAID';
const HELD = 'compliance/UNCOMPLIANT';
const BACK = 'refund/INITIAL';

describe('C-34: a held deposit whose return fails', () => {
  test('is held again, is sent again under another key, and is booked once, whatever is reported of the first order', async () => {
    const row = await held(OVER, '21');
    const before = await bookOf(own.accountId);
    expect(await post(row, 'refund')).toBe(200);
    await work(row);
    expect(await stepOf(row)).toBe(BACK);
    expect([await ended(orders()[0], false), await ended(orders()[0], false)]).toEqual(['step', 'duplicate']);
    expect(await stepOf(row)).toBe(OVER);
    expect(await bookOf(own.accountId)).toEqual(before);
    expect(await attention()).toEqual({ heldDeposits: 1, holds: 0 });
    const { transaction } = await ask(`{ transaction(end2end: "${row.end2end}") { events { name } } }`);
    expect(transaction.events.map(({ name }: { name: string }) => name).slice(-3)).toEqual([
      'offramp_instant.crypto_deposit.overpaid',
      'offramp_instant.refund.initial',
      'offramp_instant.crypto_deposit.overpaid',
    ]);

    expect(await post(row, 'refund')).toBe(200);
    await work(row);
    const [first, second] = orders();
    expect(new Set(orders()).size).toBe(2);
    expect([await ended(first, true), await ended(first, false)]).toEqual(['duplicate', 'duplicate']);
    expect(await stepOf(row)).toBe(BACK);
    expect([await ended(second, true), await ended(second, true)]).toEqual(['step', 'duplicate']);
    expect(await stepOf(row)).toBe('refund/DONE');
    expect(await ended(first, true)).toBe('duplicate');
    expect(await journalsOf(own.accountId)).toBe('L30 L31 L33 L34');
    await verified(own.accountId);
  });

  test('because the network refuses the order, is held again, and can be kept', async () => {
    const row = await held(OVER, '21');
    sendBack.mockRejectedValueOnce(new RailRefused('the amount to return is not above its fee'));
    expect(await post(row, 'refund')).toBe(200);
    await reach(row, OVER);
    expect(await post(row, 'resolve', { action: 'keep' })).toBe(200);
    expect(await stepOf(row)).toBe('partial_success/DONE');
    expect(await bookOf(own.accountId)).toMatchObject({ 'M.available USDT_TRX': '21000000' });
    await verified(own.accountId);
  });

  test('is not confused with the later return by a process that gets its report late', async () => {
    const row = await held(OVER, '21');
    sendBack.mockImplementationOnce(async ({ key }) => {
      // Another process has heard of it meanwhile, and the deposit was ordered back again.
      expect(await ended(key, false)).toBe('step');
      expect(await post(row, 'refund')).toBe(200);
      throw new RailRefused('the amount to return is not above its fee');
    });
    expect(await post(row, 'refund')).toBe(200);
    await expect.poll(() => orders().length).toBe(2);
    await work(row);
    expect(await stepOf(row)).toBe(BACK);
    expect(await ended(orders()[1], true)).toBe('step');
    expect(await journalsOf(own.accountId)).toBe('L30 L31 L33 L34');
  });

  test('is not ordered again when its order is repeated after that', async () => {
    const row = await held(OVER, '21');
    sendBack.mockImplementationOnce(async ({ key }) => {
      expect(await ended(key, false)).toBe('step');
      throw new Error('the answer was lost');
    });
    expect(await post(row, 'refund')).toBe(200);
    await work(row);
    await expect.poll(() => orders().length).toBe(1);
    await app.services.sandbox?.advanceClock(60_000);
    await expect.poll(async () => (await ask('{ attention { failedJobs } }')).attention.failedJobs).toBe(0);
    expect(orders()).toHaveLength(1);
    expect(await stepOf(row)).toBe(OVER);
  });

  test('waits for a person after twelve failed orders, and is ordered under the same key when the operator retries it', async () => {
    const row = await held(OVER, '21');
    sendBack.mockRejectedValue(new Error('the node does not answer'));
    expect(await post(row, 'refund')).toBe(200);
    await work(row);
    const jobs = { mode: 'sandbox', kind: 'send_back', isFailed: true, limit: 100 } as const;
    const failed = async () => {
      const nowMs = await app.services.clock.nowMs();
      const all = await listedJobs(app.database, { ...jobs, nowMs });
      return all.find(({ end2end }) => end2end === row.end2end);
    };
    for (let hours = 0; hours < 96; hours += 6) {
      await app.services.sandbox?.advanceClock(6 * 3_600_000);
      await work(row);
    }
    expect(orders()).toHaveLength(12);
    const waiting = await failed();
    expect(waiting).toMatchObject({ dueAt: null, attempts: 12, lastError: 'the node does not answer' });
    sendBack.mockResolvedValue(undefined);
    const platform = await platformAccount(app.database, 'sandbox');
    await retryJob(await operatorContext(app.services, platform), String(waiting?.id));
    await work(row);
    expect([orders().length, new Set(orders()).size]).toEqual([13, 1]);
    expect(await ended(orders()[0], true)).toBe('step');
    expect(await journalsOf(own.accountId)).toBe('L30 L31 L33 L34');
  });

  test('is held by compliance again if that had rejected it: the operator decides, not the account holder', async () => {
    const row = await held(HELD);
    const decide = (name: string) =>
      ask(
        `mutation { ${name}(input: { account: "${own.accountId}", end2end: "${row.end2end}", reason: "checked" }) { transaction { state } errors { code message path } } }`,
      );
    await decide('rejectHold');
    await work(row);
    // Nothing new is paid: the limit of the day does not keep it from being held.
    const limits = 'update template_setting set customer_limit_daily = 0.01 where account_id = $1';
    await app.owner.query(limits, [String(own.accountId)]);
    expect(await ended(orders()[0], false)).toBe('step');
    expect(await stepOf(row)).toBe(HELD);
    expect(await attention()).toEqual({ heldDeposits: 0, holds: 1 });
    expect([await post(row, 'resolve', { action: 'keep' }), await post(row, 'refund')]).toEqual([409, 409]);
    await decide('releaseHold');
    expect(await stepOf(row)).toBe('partial_success/DONE');
    await verified(own.accountId);
  });
});

test('C-34: a hold is not rejected while the deposit does not cover the network fee: it can be released', async () => {
  const row = await held(HELD);
  const decide = (name: string) =>
    `mutation { ${name}(input: { account: "${own.accountId}", end2end: "${row.end2end}", reason: "checked" }) { transaction { state } errors { code message path } } }`;
  const fee = vi.spyOn(chain(), 'networkFee').mockResolvedValue(10n ** 12n);
  expect(await refusal(decide('rejectHold'))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  expect(await stepOf(row)).toBe(HELD);
  await ask(decide('releaseHold'));
  expect(await refusal(decide('rejectHold'))).toMatchObject({ code: 'STEP_CONFLICT' });
  fee.mockRestore();
  expect(orders()).toEqual([]);
});
