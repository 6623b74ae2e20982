/** Goal: a moment lies in the day that a clock on a wall in Brasília shows (C-21). */
import { expect, it } from 'vitest';
import { brasiliaDay } from '../../../src/base/time/brasilia-day.ts';

it.each([
  ['2026-11-22T02:59:59.999Z', '2026-11-21', 'three hours behind UTC'],
  ['2026-11-22T03:00:00.000Z', '2026-11-22', 'a day begins'],
  ['2018-12-01T01:59:59.999Z', '2018-11-30', 'two hours behind in the last summer time'],
  ['2018-12-01T02:00:00.000Z', '2018-12-01', 'a day of summer time begins'],
  ['2024-02-29T12:00:00.000Z', '2024-02-29', 'leap day'],
  ['2027-01-01T02:00:00.000Z', '2026-12-31', 'the year ends later'],
])('C-21: %s is in %s: %s', (time, day) => {
  expect(brasiliaDay(Date.parse(time))).toBe(day);
});
