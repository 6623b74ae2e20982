/** Goal: a calendar month is compared with the same days of the month before. */
import { expect, it } from 'vitest';
import { daysOf, sameDaysBefore } from '../../../src/base/time/period.ts';

it.each([
  ['2026-11-30', '2026-10-01', '2026-10-30', 'the month before is longer'],
  ['2026-03-31', '2026-02-01', '2026-02-28', 'the month before is shorter'],
  ['2028-03-29', '2028-02-01', '2028-02-29', 'the month before has a leap day'],
  ['2027-01-01', '2026-12-01', '2026-12-01', 'the month before is of another year'],
])('days before those of the month of %s begin at %s, end at %s: %s', (today, from, to) => {
  expect(sameDaysBefore(today)).toEqual({ from, to });
});

it.each([
  ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
  ['this_month', '2026-03-01', '2026-03-01', '2026-03-01'],
  ['this_month', '2026-03-31', '2026-03-01', '2026-03-31'],
  ['previous_month', '2026-03-31', '2026-02-01', '2026-02-28'],
  ['previous_month', '2028-03-01', '2028-02-01', '2028-02-29'],
  ['previous_month', '2026-01-15', '2025-12-01', '2025-12-31'],
] as const)('%s on %s is %s to %s', (period, today, from, to) => {
  expect(daysOf(period, today)).toEqual({ from, to });
});
