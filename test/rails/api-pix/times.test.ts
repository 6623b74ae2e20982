/** Goal: a payout that came back is found after minutes, then hours, though its callback was lost. Method: the times of all questions about one. */
import { expect, test } from 'vitest';
import { afterPayout } from '../../../src/rails/api-pix/times.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('a payout is polled after two minutes, then each time its age doubles, at least every three days, for 90 days', () => {
  const asked: number[] = [];
  for (let at = afterPayout(0, 0); at !== null && asked.length < 1_000; at = afterPayout(0, at))
    asked.push(at);
  expect(asked.slice(0, 8).map((ms) => ms / MINUTE_MS)).toEqual([2, 4, 8, 16, 32, 64, 128, 256]);
  const pauses = asked.slice(1).map((ms, index) => ms - (asked[index] as number));
  expect(Math.max(...pauses)).toBe(3 * DAY_MS);
  expect(asked.at(-1)).toBeGreaterThan(90 * DAY_MS);
  expect(asked.length).toBeLessThan(50);
});
