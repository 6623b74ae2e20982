/**
 * Goal: a deposit that its network dropped stands for nothing, and what comes again needs a booking of its own (C-34). Method: the real
 * store; a network that has a deposit, drops it and has it again.
 */
import { describe, expect, test } from 'vitest';
import { brasiliaDay } from '../../../src/base/time/brasilia-day.ts';
import type { DepositEvent } from '../../../src/resolvers/services/rail-event.ts';
import { useApp } from '../../support/app.ts';
import { useOneDay } from '../../support/one-day.ts';
import { depositFor, inboundOf } from '../inbound/support.ts';
import { at, depositEntry, found, networkDays, USDT } from './network-days.ts';

useOneDay();
const app = useApp();
const { reportOn, tell } = networkDays(app);
const { offrampInstant, reach, rowOf } = inboundOf(app);
const [MONDAY, TUESDAY, WEDNESDAY, THURSDAY] = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'];
const [FRIDAY] = ['2026-03-06'];
let count = 0;

/** To an address that was never given out. */
const deposit = (): DepositEvent => {
  count += 1;
  const txHash = count.toString(16).padStart(64, 'e');
  const facts = { txHash, logIndex: 0, address: 'TNobody', currency: USDT, amount: String(20 + count) };
  return { kind: 'deposit_confirmed', ...facts, from: 'TSomebody', seenAt: new Date().toISOString() };
};
const dropped = (event: DepositEvent): DepositEvent => ({ ...event, kind: 'deposit_dropped' });

describe('C-34: in suspense', () => {
  test('dropped on one day, back on the next and never reported: it is missing on that day alone', async () => {
    const lost = deposit();
    await tell(lost, at(MONDAY, '12:00'));
    await tell(dropped(lost), at(TUESDAY, '12:00'));
    expect(await reportOn(TUESDAY, at(WEDNESDAY, '03:00'), [])).toMatchObject({ findings: [] });
    const again = depositEntry(lost, at(WEDNESDAY, '12:00'));
    expect(found(await reportOn(WEDNESDAY, at(THURSDAY, '03:00'), [again]))).toEqual([
      ['missing_here', again.id],
    ]);
    expect(await reportOn(MONDAY, at(THURSDAY, '03:00'), [again])).toMatchObject({ findings: [] });
    await tell(lost, at(THURSDAY, '12:00'));
    const friday = at(FRIDAY, '03:00');
    expect(await reportOn(WEDNESDAY, friday, [again])).toMatchObject({ matched: 1, findings: [] });
    expect(await reportOn(THURSDAY, friday, [again])).toMatchObject({ findings: [] });
  });

  test('the day on which a deposit was booked has no findings after it was dropped, if the network no longer has it', async () => {
    const lost = deposit();
    await tell(lost, at(MONDAY, '12:00'));
    await tell(dropped(lost), at(TUESDAY, '12:00'));
    expect(await reportOn(MONDAY, at(WEDNESDAY, '03:00'), [])).toMatchObject({ findings: [] });
  });

  test('a drop that was reported wrongly is found: the network still has the deposit', async () => {
    const kept = deposit();
    await tell(kept, at(MONDAY, '14:00'));
    await tell(dropped(kept), at(TUESDAY, '14:00'));
    const there = depositEntry(kept, at(MONDAY, '14:00'));
    expect((await reportOn(MONDAY, at(WEDNESDAY, '03:00'), [there])).findings).toMatchObject([
      { finding: 'missing_here', id: there.id, why: 'the rail told that it was dropped, and has it' },
    ]);
  });

  test('of a deposit that was dropped twice and reported a third time, the third booking counts', async () => {
    const lost = deposit();
    for (const hour of ['10', '11']) {
      await tell(lost, at(FRIDAY, `${hour}:00`));
      await tell(dropped(lost), at(FRIDAY, `${hour}:30`));
    }
    await tell(lost, at(FRIDAY, '12:00'));
    const run = at('2026-03-07', '03:00');
    const there = depositEntry(lost, at(FRIDAY, '12:00'));
    expect(await reportOn(FRIDAY, run, [there])).toMatchObject({ matched: 1, findings: [] });
    expect(found(await reportOn(FRIDAY, run, []))).toEqual([['missing_there', null]]);
  });
});

test('C-34: an accepted deposit that its network dropped matches nothing until it is reported again', async () => {
  const row = await offrampInstant(await app.addAccount());
  await reach(row, 'crypto_deposit/WAITING_DEPOSIT');
  const lost = depositFor(await rowOf(row.end2end));
  await app.services.receive(lost);
  await reach(row, 'success/DONE');
  const today = async (...there: readonly DepositEvent[]) => {
    const now = new Date((await app.services.clock.nowMs()) + 1);
    const entries = there.map((each) => depositEntry(each, new Date(now.getTime() - 1)));
    const { matched, findings } = await reportOn(brasiliaDay(now.getTime()), now, entries);
    return [matched, ...(findings as readonly { finding: string }[]).map(({ finding }) => finding)];
  };
  expect(await today(lost)).toEqual([1]);
  for (let times = 0; times < 2; times++) {
    await app.services.receive(dropped(lost));
    expect(await today()).toEqual([0]);
    expect(await today(lost)).toEqual([0, 'missing_here']);
    await app.services.receive(lost);
    expect(await today(lost)).toEqual([1]);
    expect(await today()).toEqual([0, 'missing_there']);
  }
});
