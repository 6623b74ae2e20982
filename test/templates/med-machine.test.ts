/**
 * Goal: while a MED case about a payment is open, the account holder cannot refund it, and is told of what is due; several cases about
 * one payment are counted apart. Method: the machines, with the figures of the published sample.
 */
import { describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import { advance, begin, DURING_MS, drive, type Run, SAMPLES } from '../support/machine.ts';

const CHARGED = 'created identity_passed charge_created';
const CREDITED = `${CHARGED} pix_received cleared swap_settled`;
const run = (way: string) => drive(begin(SAMPLES.onramp), way);
const planned = (from: Run, trigger: Trigger) => advance(from, trigger, DURING_MS)?.at(-1);
const take = (from: Run, ...triggers: readonly Trigger[]) =>
  triggers.reduce((present, trigger) => {
    const after = planned(present, trigger);
    if (!after) throw new Error(`${trigger.on} is refused at ${stepNameOf(present.row)}`);
    return after;
  }, from);
const opened = (name: string, isReport = true): Trigger => ({ on: 'med_opened', name, isReport });
const closed = (name: string, isReport = true): Trigger => ({ on: 'med_closed', name, isReport });
const due = (name: string, hours: 48 | 24 | 6): Trigger => ({ on: 'med_due', name, hours });
const REFUND: Trigger = { on: 'payment_refunded' };

describe('a payment with an open MED case', () => {
  test('is not refunded, whole or in part, until every case about it is closed', () => {
    const one = take(run(CREDITED), opened('infraction:1'));
    const two = take(one, opened('infraction:2'));
    for (const each of [one, two, take(two, closed('infraction:1'))]) {
      expect(planned(each, REFUND)).toBeUndefined();
      expect(planned(each, { on: 'payment_refunded', amount: '220.00' })).toBeUndefined();
    }
    const free = take(two, closed('infraction:1'), closed('infraction:2'));
    expect(stepNameOf(take(free, REFUND).row)).toBe('refund/INITIAL');
  });

  test('keeps its step, and moves no money', () => {
    const before = run(CREDITED);
    const after = take(before, opened('infraction:1'), due('infraction:1', 48), closed('infraction:1'));
    expect(stepNameOf(after.row)).toBe(stepNameOf(before.row));
    expect(after.book).toEqual(before.book);
  });

  test('opens a case once, and accepts alarms and ends of open cases only', () => {
    const open = take(run(CREDITED), opened('infraction:1'));
    expect(planned(open, opened('infraction:1'))).toBeUndefined();
    expect(planned(open, due('infraction:2', 48))).toBeUndefined();
    expect(planned(open, closed('infraction:2'))).toBeUndefined();
    expect(planned(take(open, closed('infraction:1')), due('infraction:1', 6))).toBeUndefined();
  });

  test.each(['created', CHARGED, `${CHARGED} pix_received`])('takes a case at any step: %s', (way) => {
    expect(take(run(way), opened('dispute:1', false)).row.process?.medCases).toEqual(['dispute:1']);
  });

  test('numbers an event for a report of fraud and an alarm, and none for a dispute, which has its own', () => {
    const before = run(CREDITED);
    const sequence = ({ row }: Run) => row.process?.sequence ?? 0;
    const of = (...triggers: readonly Trigger[]) => sequence(take(before, ...triggers)) - sequence(before);
    expect(of(opened('infraction:1'))).toBe(1);
    expect(of(opened('infraction:1'), closed('infraction:1'))).toBe(2);
    expect(of(opened('dispute:1', false))).toBe(0);
    expect(of(opened('dispute:1', false), due('dispute:1', 24))).toBe(1);
    expect(of(opened('dispute:1', false), closed('dispute:1', false))).toBe(0);
  });
});
