/**
 * Goal: what goes back to a payer is owed until it is back, and a finished payment is given back whole or in parts at its
 * locked rate, by refunds and disputes together at most once. Method: the machines with the figures of the published
 * sample (550.00 BRL with a fee of 12.50 for 100 USDT), on a book in memory.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import { fromMinor } from '../../src/base/money/money.ts';
import { isReturnId } from '../../src/base/pix/end-to-end-id.ts';
import { millisOf } from '../../src/base/time/instant.ts';
import type { Journal } from '../../src/ledger/posting.ts';
import type { Process } from '../../src/templates/facts.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import {
  advance,
  begin,
  DURING_MS,
  drive,
  pathOf,
  type Run,
  SAMPLES,
  type SampleName,
  statusSection,
} from '../support/machine.ts';

const CHARGED = 'created identity_passed charge_created';
const CREDITED = `${CHARGED} pix_received cleared swap_settled`;
const DELIVERED = `${CREDITED} delivery_broadcast delivery_confirmed`;
const KEPT = `${CREDITED} delivery_broadcast delivery_failed`;

const run = (way: string, sample: SampleName = 'onramp', means: Record<string, string> = {}) =>
  drive(begin(SAMPLES[sample], means), way);
const said = ({ name, postings }: Journal) =>
  `${name}: ${postings
    .map(
      ({ role, currency, deltaMinor }) =>
        `${role} ${currency.code} ${fromMinor(deltaMinor, currency.decimals)}`,
    )
    .sort()
    .join(', ')}`;
const last = ({ journals }: Run, count = 1) => journals.slice(-count).map(said);
const returnsOf = ({ row }: Run) =>
  (row.process?.returns ?? []).map(({ kind, state, amount }) => `${kind} ${amount} ${state}`);
const eventsOf = ({ steps }: Run) => steps.flatMap(({ event }) => (event ? [event] : []));
const refund = (amount?: string): Trigger => ({ on: 'payment_refunded', ...(amount && { amount }) });
const taken = (from: Run, trigger: Trigger, nowMs = DURING_MS) => advance(from, trigger, nowMs)?.at(-1);

describe('the excess over the price', () => {
  test('is owed to the payer until its return is confirmed (L9)', () => {
    const done = run(`${CHARGED} pix_over cleared swap_settled`);
    expect(statusSection(done.book, 'L.')).toEqual(['L.payer BRL 20']);
    expect(returnsOf(done)).toEqual(['excess 20 requested']);
    const back = drive(done, 'excess_returned');
    expect(last(back)).toEqual(['L9: A.pix BRL 20, L.payer BRL -20']);
    expect([stepNameOf(back.row), returnsOf(back)]).toEqual(['success/DONE', ['excess 20 done']]);
    expect(statusSection(back.book, 'L.')).toEqual([]);
  });

  test('stays owed when its return fails, and is retried under a new id', () => {
    const failed = run(`${CHARGED} pix_over excess_failed cleared swap_settled`);
    expect(statusSection(failed.book, 'L.')).toEqual(['L.payer BRL 20']);
    const again = drive(failed, 'refund_retried');
    expect(returnsOf(again)).toEqual(['excess 20 retried', 'excess 20 requested']);
    expect(again.steps.at(-1)?.effects.map(({ name }) => name)).toEqual(['order_returns']);
    const ids = again.row.process?.returns?.map(({ returnId }) => returnId) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(statusSection(drive(again, 'excess_returned').book, 'L.')).toEqual([]);
  });

  test('can be paid by hand (L62)', () => {
    const paid = run(`${CHARGED} pix_over excess_failed cleared refund_paid_by_hand`);
    expect(last(paid)).toEqual(['L62: A.pix BRL 20, L.payer BRL -20']);
    expect([stepNameOf(paid.row), returnsOf(paid)]).toEqual([
      'swap_transfer/INITIAL',
      ['excess 20 paid_by_hand'],
    ]);
  });

  test('C-33: a return that is reported twice is booked once', () => {
    const back = run(`${CHARGED} pix_over excess_returned`);
    const returnId = back.row.process?.returns?.[0]?.returnId as string;
    for (const on of ['refund_settled', 'refund_failed'] as const)
      expect(taken(back, { on, returnId })).toBeUndefined();
  });
});

describe('a return that failed for good', () => {
  const failed = run(`${CHARGED} pix_under refund_requested refund_failed`);

  test('is retried as another return, and paid back then (L4)', () => {
    expect(stepNameOf(failed.row)).toBe('refund/ERROR');
    const back = drive(failed, 'refund_retried refund_settled');
    expect(pathOf(back).slice(-4).join(' ')).toBe('refund/INITIAL refund/ERROR refund/INITIAL refund/DONE');
    expect(last(back)).toEqual(['L4: A.pix BRL 540, L.payer BRL -540']);
    expect(returnsOf(back)).toEqual(['payment 540 retried', 'payment 540 done']);
    expect(statusSection(back.book)).toEqual([]);
  });

  test('is settled by hand: booked, with the operator’s note', () => {
    const paid = drive(failed, 'refund_paid_by_hand');
    expect(stepNameOf(paid.row)).toBe('refund/DONE');
    expect(last(paid)).toEqual(['L62: A.pix BRL 540, L.payer BRL -540']);
    expect(paid.row.process?.returns?.[0]).toMatchObject({
      state: 'paid_by_hand',
      reference: 'E12345678202611211205abcdef12345',
    });
    expect(statusSection(paid.book)).toEqual([]);
  });

  test('from before returns were stored is the paid amount, less the excess over the price', () => {
    const failed = run(
      `${CHARGED} pix_over excess_returned held hold_rejected refund_requested refund_failed`,
    );
    const { returns: _, ...process } = failed.row.process as Process;
    const old = { ...failed, row: { ...failed.row, process } };
    const retried = drive(old, 'refund_retried');
    expect([stepNameOf(retried.row), returnsOf(retried)]).toEqual([
      'refund/INITIAL',
      ['payment 550 requested'],
    ]);
    expect(statusSection(drive(retried, 'refund_settled').book)).toEqual([]);
    const manual = drive(old, 'refund_paid_by_hand');
    expect([stepNameOf(manual.row), returnsOf(manual)]).toEqual([
      'refund/DONE',
      ['payment 550 paid_by_hand'],
    ]);
    expect(statusSection(manual.book)).toEqual([]);
    for (const end of [manual, drive(retried, 'refund_settled')])
      expect(taken(end, { on: 'refund_retried' })).toBeUndefined();
  });

  test('is retried automatically, five times over 24 hours; also an excess over the price', () => {
    const ways = [
      [`${CHARGED} pix_under refund_requested refund_failed`, 'refund_retried refund_failed'],
      [`${CHARGED} pix_over cleared swap_settled excess_failed`, 'refund_retried excess_failed'],
    ] as const;
    for (const [first, again] of ways) {
      let [at, nowMs] = [run(first), DURING_MS];
      for (let attempts = 0; attempts < 5; attempts++) {
        const [effect] = at.steps.at(-1)?.effects ?? [];
        expect(effect).toMatchObject({ name: 'retry_returns' });
        nowMs = effect?.dueMs as number;
        at = drive(at, again, nowMs);
      }
      expect(nowMs - DURING_MS).toBe(24 * 3_600_000);
      expect(at.steps.at(-1)?.effects).toEqual([]);
      expect(returnsOf(at).at(-1)).toMatch(/ failed$/);
    }
  });

  test('neither is possible before it failed', () => {
    const waiting = run(`${CHARGED} pix_under refund_requested`);
    expect(taken(waiting, { on: 'refund_retried' })).toBeUndefined();
    expect(taken(waiting, { on: 'refund_paid_by_hand', reference: 'x' })).toBeUndefined();
  });
});

test('return ids have the form of PIX, begin with our bank, and are unique', () => {
  const { row } = run(`${CHARGED} pix_over excess_failed held hold_rejected refund_requested refund_retried`);
  const ids = row.process?.returns?.map(({ returnId }) => returnId) ?? [];
  expect(ids).toHaveLength(3);
  expect(ids.filter((id) => !isReturnId(id) || !id.startsWith('D12345678202611211229'))).toEqual([]);
  expect(new Set(ids).size).toBe(3);
});

describe('C-35: a refund by the account holder', () => {
  test('of the whole payment ends the transaction (L60, L4)', () => {
    const refunding = drive(run(CREDITED), 'payment_refunded');
    expect([stepNameOf(refunding.row), returnsOf(refunding)]).toEqual([
      'refund/INITIAL',
      ['refund 550 requested'],
    ]);
    expect(last(refunding)).toEqual([
      'L60: E.fx BRL -537.5, E.fx USDT_TRX 100, L.payer BRL 550, M.available USDT_TRX -100, R.fee BRL -12.5',
    ]);
    const back = drive(refunding, 'refund_settled');
    expect([stepNameOf(back.row), back.row.errorEn]).toEqual(['refund/DONE', '']);
    expect(statusSection(back.book)).toEqual([]);
  });

  test('of a part keeps the step, and has events of its own', () => {
    const parted = drive(run(CREDITED), 'refund_part');
    expect([stepNameOf(parted.row), returnsOf(parted)]).toEqual(['success/DONE', ['part 220 requested']]);
    expect(last(parted)).toEqual([
      'L60: E.fx BRL -215, E.fx USDT_TRX 40, L.payer BRL 220, M.available USDT_TRX -40, R.fee BRL -5',
    ]);
    const back = drive(parted, 'part_returned');
    expect(last(back)).toEqual(['L4: A.pix BRL 220, L.payer BRL -220']);
    expect([stepNameOf(back.row), returnsOf(back)]).toEqual(['success/DONE', ['part 220 done']]);
    expect(eventsOf(back)).toEqual(['partial_refund.requested', 'partial_refund.done']);
    const moments = back.steps.slice(-3).map(({ row }) => millisOf(row.updatedAt));
    expect(new Set(moments).size).toBe(3);
    const rest = drive(back, 'payment_refunded refund_settled');
    expect([stepNameOf(rest.row), returnsOf(rest)]).toEqual([
      'refund/DONE',
      ['part 220 done', 'refund 330 done'],
    ]);
    expect(statusSection(rest.book)).toEqual([]);
  });

  test('is credited back to the balance when its part fails (L61), and can be requested again', () => {
    const failed = drive(run(CREDITED), 'refund_part part_failed');
    expect(last(failed)).toEqual([
      'L61: E.fx BRL 215, E.fx USDT_TRX -40, L.payer BRL -220, M.available USDT_TRX 40, R.fee BRL 5',
    ]);
    expect([stepNameOf(failed.row), returnsOf(failed)]).toEqual(['success/DONE', ['part 220 credited_back']]);
    expect(eventsOf(failed)).toEqual(['partial_refund.requested', 'partial_refund.failed']);
    expect(statusSection(drive(failed, 'payment_refunded refund_settled').book)).toEqual([]);
  });

  test.each([
    ['delivered to a wallet', 'onramp to address', DELIVERED],
    ['credited because the delivery failed', 'onramp to address', KEPT],
    ['disputed without success', 'onramp', `${CREDITED} dispute_opened dispute_rejected`],
  ] as const)('is taken of a payment that was %s, with the network fee', (_, sample, way) => {
    const back = drive(run(way, sample, { USDT_TRX: '100' }), 'payment_refunded refund_settled');
    expect(stepNameOf(back.row)).toBe('refund/DONE');
    expect(statusSection(back.book, 'E.fx')).toEqual([]);
    expect(statusSection(back.book, 'A.pix')).toEqual([]);
  });

  test('is refused if the balance is a minor unit short, beyond the remainder, for nothing, and after 90 days', () => {
    const spent = run(DELIVERED, 'onramp to address', { USDT_TRX: '39.999999' });
    expect(taken(spent, refund('220.00'))).toBeUndefined();
    expect(taken(spent, refund('219.99'))).toBeDefined();
    const credited = run(CREDITED);
    for (const amount of ['550.01', '0.00']) expect(taken(credited, refund(amount))).toBeUndefined();
    const parted = drive(credited, 'refund_part');
    expect(taken(parted, refund('330.01'))).toBeUndefined();
    // The rest would end the transaction while a part is still on its way.
    expect(taken(parted, refund('330.00'))).toBeUndefined();
    const at90Days = millisOf(credited.row.updatedAt) + 90 * 86_400_000;
    expect(taken(credited, refund(), at90Days)).toBeDefined();
    expect(taken(credited, refund(), at90Days + 1)).toBeUndefined();
    // Counted from the end of the payment, not from the refund before.
    expect(taken(drive(parted, 'part_returned', at90Days), refund(), at90Days + 1)).toBeUndefined();
  });
});

describe('disputes', () => {
  test.each([
    ['a delivery that was credited instead', 'onramp to address', KEPT],
    ['a dispute that was rejected', 'onramp', `${CREDITED} dispute_opened dispute_rejected`],
  ] as const)('come after %s', (_, sample, way) => {
    const accepted = drive(run(way, sample), 'dispute_opened dispute_accepted');
    expect(stepNameOf(accepted.row)).toBe('dispute/ACCEPTED');
    expect(statusSection(accepted.book, 'M.')).toEqual([]);
    expect(returnsOf(accepted)).toEqual(['dispute 550 done']);
  });

  test('about a part hold and unwind that part, at the locked rate with the fee in proportion', () => {
    const opened = run(`${CREDITED} dispute_part`);
    expect(last(opened)).toEqual(['L6: M.available USDT_TRX -40, M.blocked USDT_TRX 40']);
    const accepted = drive(opened, 'dispute_accepted');
    expect(last(accepted)).toEqual([
      'L8: A.pix BRL 220, E.fx BRL -215, E.fx USDT_TRX 40, M.blocked USDT_TRX -40, R.fee BRL -5',
    ]);
    expect(returnsOf(accepted)).toEqual(['dispute 220 done']);
    const again = drive(accepted, 'dispute_opened dispute_accepted');
    expect(returnsOf(again)).toEqual(['dispute 220 done', 'dispute 330 done']);
    expect(statusSection(again.book)).toEqual([]);
    expect(taken(again, { on: 'dispute_opened' })).toBeUndefined();
  });

  test('about more than the remainder are about the remainder', () => {
    const accepted = run(`${CREDITED} refund_part part_returned dispute_opened dispute_accepted`);
    expect(returnsOf(accepted)).toEqual(['part 220 done', 'dispute 330 done']);
    expect(statusSection(accepted.book)).toEqual([]);
  });

  test('after a part was spent: the missing amount of the part is owed to the house', () => {
    const accepted = run(`${CREDITED} SPEND dispute_part dispute_accepted`, 'onramp', { USDT_TRX: '10' });
    expect(last(accepted, 2)).toEqual([
      'L8: A.pix BRL 55, E.fx BRL -53.75, E.fx USDT_TRX 10, M.blocked USDT_TRX -10, R.fee BRL -1.25',
      'L8b: A.pix BRL 165, A.recv USDT_TRX -30, E.fx BRL -161.25, E.fx USDT_TRX 30, R.fee BRL -3.75',
    ]);
  });

  test('count their 80 days from the end of the payment, also after a dispute', () => {
    const credited = run(CREDITED);
    const at80Days = millisOf(credited.row.updatedAt) + 80 * 86_400_000;
    const rejected = drive(drive(credited, 'dispute_opened', at80Days - 1), 'dispute_rejected', at80Days - 1);
    expect(taken(rejected, { on: 'dispute_opened' }, at80Days)).toBeDefined();
    expect(taken(rejected, { on: 'dispute_opened' }, at80Days + 1)).toBeUndefined();
  });
});

test('parts in any order, returned or not, sum to exactly the whole', () => {
  const step = fc.record({
    share: fc.integer({ min: 1, max: 100 }),
    by: fc.constantFrom('refund', 'dispute'),
    ends: fc.boolean(),
  });
  const price = fc.record({
    brl: fc.bigInt(2n, 10_000_000n),
    fee: fc.bigInt(0n, 1n),
    crypto: fc.bigInt(1n, 10n ** 12n),
  });
  fc.assert(
    fc.property(price, fc.array(step, { maxLength: 12 }), ({ brl, fee, crypto }, parts) => {
      const row = {
        ...SAMPLES.onramp,
        sourceAmount: fromMinor(brl, 2),
        fees: fromMinor(fee * (brl / 3n), 2),
        targetAmount: fromMinor(crypto, 6),
      };
      const start = drive(begin(row), CHARGED);
      const endToEndId = 'E12345678202611211201abcdef12345';
      const paid = { on: 'pix_received', endToEndId, amount: row.sourceAmount, payerTaxId: null } as const;
      const settledAt = new Date(DURING_MS).toISOString();
      let present = drive(taken(start, { ...paid, settledAt }) as Run, 'cleared swap_settled');
      for (const { share, by, ends } of parts) {
        const left = brl - backOf(present);
        const amount = (left * BigInt(share)) / 100n;
        const on = by === 'refund' ? 'payment_refunded' : 'dispute_opened';
        const opened = taken(present, { on, amount: fromMinor(amount, 2) });
        if (!opened || stepNameOf(opened.row) === 'refund/INITIAL') continue;
        const end =
          by === 'refund'
            ? ends
              ? 'part_returned'
              : 'part_failed'
            : ends
              ? 'dispute_accepted'
              : 'dispute_rejected';
        present = drive(opened, end);
      }
      const rest = taken(present, refund());
      const end = rest ? drive(rest, 'refund_settled') : present;
      expect(statusSection(end.book)).toEqual([]);
    }),
    { numRuns: 300, seed: 20_261_123 },
  );
});

/** Cents that went back for good. */
function backOf({ row }: Run): bigint {
  return (row.process?.returns ?? [])
    .filter(({ state }) => state !== 'credited_back')
    .reduce((sum, { part }) => sum + BigInt(part?.brl ?? 0), 0n);
}

test('C-33: every posting beside the events has a number of its own, so that no ref is used twice', () => {
  const end = run(`${CHARGED} pix_over cleared excess_returned swap_settled refund_part part_returned`);
  const places = end.steps
    .filter(({ journals }) => journals.length > 0)
    .map(
      ({ row, isMove, event }) => `${row.process?.sequence} ${isMove || event ? '' : row.process?.posted}`,
    );
  expect(new Set(places).size).toBe(places.length);
});
