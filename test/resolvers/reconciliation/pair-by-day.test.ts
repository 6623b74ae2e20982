/**
 * Goal: what has no name finds its line by amount and day: as many pairs of one day as there are, then days that are next to each other, and no
 * line twice. Method: days of a month as numbers.
 */
import { expect, test } from 'vitest';
import { pairByDay } from '../../../src/resolvers/reconciliation/pair-by-day.ts';

const of = (days: readonly number[], money = 'BRL 100') =>
  days.map((day, index) => ({ money, day: `2026-05-${String(day).padStart(2, '0')}`, index }));
const dayOf = ({ day }: { readonly day: string }) => Number(day.slice(-2));
const pairs = (entries: readonly number[], lines: readonly number[]) =>
  [...pairByDay(of(entries), of(lines))]
    .map(([entry, line]) => [dayOf(entry), dayOf(line)])
    .toSorted(([one = 0], [other = 0]) => one - other);

test.each([
  { what: 'the same day before the days around it', entries: [10], lines: [9, 10, 11], found: [[10, 10]] },
  { what: 'the day before', entries: [10], lines: [9], found: [[10, 9]] },
  { what: 'the day after', entries: [10], lines: [11], found: [[10, 11]] },
  { what: 'nothing two days away', entries: [10], lines: [8, 12], found: [] },
  { what: 'a line once', entries: [8, 10], lines: [9], found: [[8, 9]] },
  {
    what: 'all of a month, a day later each',
    entries: [10, 12, 14],
    lines: [9, 11, 13],
    found: [
      [10, 9],
      [12, 11],
      [14, 13],
    ],
  },
  {
    what: 'a line of its own day is given up where two find theirs for it, later',
    entries: [10, 11],
    lines: [9, 10],
    found: [
      [10, 9],
      [11, 10],
    ],
  },
  {
    what: 'and earlier',
    entries: [9, 10],
    lines: [10, 11],
    found: [
      [9, 10],
      [10, 11],
    ],
  },
  {
    what: 'but not the lines of a whole week, so that what is missing on its first day and on its last does not agree',
    entries: [11, 12, 13, 14, 15],
    lines: [10, 11, 12, 13, 14],
    found: [
      [11, 11],
      [12, 12],
      [13, 13],
      [14, 14],
    ],
  },
])('$what', ({ entries, lines, found }) => {
  expect(pairs(entries, lines)).toEqual(found);
});

test('another amount, or the other direction, is no pair', () => {
  expect(pairByDay(of([10]), of([10], 'BRL -100')).size).toBe(0);
});

test('many equal ones use each line once', () => {
  const days = Array.from({ length: 20_000 }, (_, index) => 1 + (index % 28));
  const found = pairByDay(of(days), of(days.map((day) => Math.min(day + 1, 28))));
  expect(found.size).toBe(new Set(found.values()).size);
  expect(found.size).toBeGreaterThan(19_000);
});
