/**
 * Goal: a line of the ledger stands for one entry of a network's statement, whatever the days of both (C-33, C-34). Method: the real store;
 * statements as a network would tell them.
 */
import { describe, expect, test } from 'vitest';
import { brasiliaDay } from '../../../src/base/time/brasilia-day.ts';
import type { DepositEvent } from '../../../src/resolvers/services/rail-event.ts';
import type { StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { useApp } from '../../support/app.ts';
import { useOneDay } from '../../support/one-day.ts';
import { at, depositEntry, found, funding, networkDays, USDT } from '../rails/network-days.ts';

useOneDay();
const app = useApp();
const services = () => app.services.forMode('sandbox');
const { book, reportOn } = networkDays(app);
/** Days of a weekend and after it, in Brasília. */
const [SATURDAY, SUNDAY, MONDAY] = ['2026-03-07', '2026-03-08', '2026-03-09'] as const;

test('a booking on Monday about a transfer of Saturday proves nothing about another one of Monday', async () => {
  const first = funding('first', at(SATURDAY, '12:00'));
  const second = funding('second', at(MONDAY, '15:00'));
  const all = [first, second];
  expect(found(await reportOn(SATURDAY, at(SUNDAY, '03:00'), all))).toEqual([['missing_here', first.id]]);
  expect(found(await reportOn(SUNDAY, at(MONDAY, '03:00'), all))).toEqual([]);
  await book('first', 10_000n, at(MONDAY, '09:05'));
  const tuesday = at('2026-03-10', '03:00');
  expect(found(await reportOn(MONDAY, tuesday, all))).toEqual([['missing_here', second.id]]);
  expect(found(await reportOn(SATURDAY, tuesday, all))).toEqual([]);
  await book('second', 10_000n, at('2026-03-10', '09:00'));
  expect(found(await reportOn(MONDAY, at('2026-03-10', '10:00'), all))).toEqual([]);
});

describe('deposits in suspense that belong to no transaction', () => {
  const told = async (event: DepositEvent) => (await services().receive(event)).outcome;
  let count = 0;
  /** To an address that was never given out. */
  const deposit = (): DepositEvent => {
    count += 1;
    const txHash = count.toString(16).padStart(64, 'd');
    const facts = { txHash, logIndex: 0, address: 'TNobody', currency: USDT, amount: '25' };
    return { kind: 'deposit_confirmed', ...facts, from: 'TSomebody', seenAt: new Date().toISOString() };
  };
  const entryOf = async (event: DepositEvent) =>
    depositEntry(event, new Date(await services().clock.nowMs()));
  const today = async (entries: readonly StatementEntry[]) => {
    const now = new Date((await services().clock.nowMs()) + 1);
    return reportOn(brasiliaDay(now.getTime()), now, entries);
  };

  test('a dropped one uses no line of another one of the same amount; and one that arrives again is found', async () => {
    const [kept, lost] = [deposit(), deposit()];
    expect([await told(kept), await told(lost)]).toEqual(['suspense', 'suspense']);
    const there = await entryOf(kept);
    expect(await told({ ...lost, kind: 'deposit_dropped' })).toBe('suspense');
    expect(await today([there])).toMatchObject({ matched: 1, findings: [] });

    expect(await told(lost)).toBe('suspense');
    const again = await entryOf(lost);
    expect(await today([there, again])).toMatchObject({ matched: 2, findings: [] });
    expect(found(await today([there]))).toEqual([['missing_there', null]]);
  });
});
