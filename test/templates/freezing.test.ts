/**
 * Goal: money of somebody sanctioned does not go back, goes on only when two people released it, and what is booked stays what it
 * was. Method: the machines with the figures of the published sample, on a book in memory.
 */
import { describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import { plan } from '../../src/templates/machine.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import {
  advance,
  begin,
  DURING_MS,
  drive,
  type Run,
  SAMPLES,
  statusSection,
  templateOf,
} from '../support/machine.ts';

const CHARGED = 'created identity_passed charge_created';
const DEPOSITED = 'created identity_passed deposit_ready deposit_seen deposit_confirmed';
const FROZEN = 'compliance/UNCOMPLIANT';
const one = { on: 'released', by: 'one', reason: 'case 1' } as const;
const other = { on: 'released', by: 'other', reason: 'case 1, checked' } as const;

const taken = (from: Run, trigger: Trigger) => advance(from, trigger, DURING_MS)?.at(-1);
const take = (from: Run, ...triggers: readonly Trigger[]) =>
  triggers.reduce((present, trigger) => {
    const after = taken(present, trigger);
    if (!after) throw new Error(`${trigger.on} is refused at ${stepNameOf(present.row)}`);
    return after;
  }, from);
const isRefused = (from: Run, trigger: Trigger) => taken(from, trigger) === undefined;
const at = (run: Run) => stepNameOf(run.row);

describe('a PIX', () => {
  const paid = () => drive(begin(SAMPLES.onramp), `${CHARGED} pix_received`);

  test('that is frozen is not rejected, and converted when two people have released it', () => {
    const frozen = take(paid(), { on: 'frozen' });
    expect([at(frozen), statusSection(frozen.book)]).toEqual([FROZEN, statusSection(paid().book)]);
    for (const trigger of [{ on: 'hold_rejected' }, { on: 'refund_requested' }] as const)
      expect(isRefused(frozen, trigger)).toBe(true);
    const first = take(frozen, one);
    expect([at(first), statusSection(first.book)]).toEqual([FROZEN, statusSection(frozen.book)]);
    expect(isRefused(first, one)).toBe(true);
    expect(at(take(first, other))).toBe('swap_transfer/INITIAL');
  });

  test('of another amount is not returned while it is frozen, and is when two people have released it', () => {
    const under = take(drive(begin(SAMPLES.onramp), CHARGED), {
      ...{
        on: 'pix_received',
        endToEndId: 'E1',
        amount: '540.00',
        settledAt: new Date(DURING_MS).toISOString(),
      },
      payerTaxId: null,
    });
    const frozen = take(under, { on: 'frozen' });
    expect([at(under), at(frozen), statusSection(frozen.book)]).toEqual([
      'depositpix/UNDERPAID',
      FROZEN,
      statusSection(under.book),
    ]);
    expect(isRefused(frozen, { on: 'refund_requested' })).toBe(true);
    expect(at(take(frozen, one, other))).toBe('refund/INITIAL');
  });

  test('that was rejected before its payer was found on a list stays', () => {
    const rejected = take(paid(), { on: 'held' }, { on: 'hold_rejected' });
    const frozen = take(rejected, { on: 'frozen' });
    expect([at(frozen), isRefused(frozen, { on: 'refund_requested' })]).toEqual([FROZEN, true]);
    expect(at(take(frozen, one, other))).toBe('refund/INITIAL');
  });

  test('that is frozen again needs two releases again', () => {
    const again = take(paid(), { on: 'frozen' }, one, { on: 'frozen' });
    expect(at(take(again, other))).toBe(FROZEN);
  });

  test('that is only held is released by one person', () => {
    expect(at(take(paid(), { on: 'held' }, one))).toBe('swap_transfer/INITIAL');
  });
});

describe('a deposit', () => {
  const screens = (run: Run, trigger: Trigger) => {
    const situation = {
      nowMs: DURING_MS,
      stepUpMs: 0,
      ispb: '00000000',
      available: () => 0n,
      screensSenders: true,
    };
    return plan(templateOf(run.row), run.row, trigger, situation)?.at(-1)?.row;
  };

  test('that is frozen is in blocked, is not sent back, and is credited when two people have released it', () => {
    const frozen = take(drive(begin(SAMPLES['offramp from address']), DEPOSITED), { on: 'frozen' });
    expect([at(frozen), statusSection(frozen.book, 'M.')]).toEqual([
      FROZEN,
      ['M.blocked USDT_TRX 100.000137'],
    ]);
    expect(isRefused(frozen, { on: 'hold_rejected' })).toBe(true);
    const released = take(frozen, one, other);
    expect([at(released), statusSection(released.book, 'M.')]).toEqual([
      'partial_success/DONE',
      ['M.available USDT_TRX 100.000137'],
    ]);
  });

  test('of another amount cannot be decided before its sender was screened', () => {
    const late = drive(
      begin(SAMPLES['offramp from address']),
      'created identity_passed deposit_ready seen_late',
    );
    const { txHash, logIndex } = late.row.process?.deposit ?? { txHash: '', logIndex: 0 };
    const row = screens(late, { on: 'deposit_confirmed', txHash, logIndex });
    const waiting = { ...late, row: row as Run['row'] };
    expect(at(waiting)).toBe('crypto_deposit/LATE');
    for (const trigger of [{ on: 'kept' }, { on: 'refund_ordered', address: 'x' }] as const)
      expect(screens(waiting, trigger)).toBeUndefined();
    const cleared = { ...waiting, row: screens(waiting, { on: 'cleared' }) as Run['row'] };
    expect(screens(cleared, { on: 'kept' })).toBeDefined();
    const frozen = { ...waiting, row: screens(waiting, { on: 'frozen' }) as Run['row'] };
    expect(at(frozen)).toBe(FROZEN);
    const first = { ...frozen, row: screens(frozen, one) as Run['row'] };
    expect(screens(first, other)).toMatchObject({ component: 'crypto_deposit', state: 'LATE' });
  });
});

describe('money out', () => {
  test('to a sanctioned address is in blocked; its account can cancel it', () => {
    const sample = begin(SAMPLES.withdrawal, { USDT_TRX: '150' });
    const frozen = take(drive(sample, 'created'), { on: 'frozen' });
    expect(at(frozen)).toBe(FROZEN);
    expect(at(take(frozen, one))).toBe(FROZEN);
    expect(at(take(frozen, one, other))).toBe('send_withdrawl_dash/SENDING');
    const cancelled = take(frozen, { on: 'cancelled' });
    expect(statusSection(cancelled.book, 'M.')).toEqual(['M.available USDT_TRX 150']);
  });
});
