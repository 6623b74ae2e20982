/**
 * Goal: a payout that came back is found after minutes, then hours, though its callback was lost; an order that the provider never knows is
 * not queried for ever. Method: the times of all queries about one.
 */
import { expect, test } from 'vitest';
import { afterMissing, afterPayout } from '../../../src/rails/api-pix/times.ts';

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

test('an order that the provider does not have is polled ever less, once a day at least, and not after 30 days', () => {
  const asked: number[] = [];
  for (let at = afterMissing(0, 0); at !== null && asked.length < 1_000; at = afterMissing(0, at))
    asked.push(at);
  expect(asked.slice(0, 5).map((ms) => ms / 1_000)).toEqual([5, 10, 20, 40, 80]);
  const pauses = asked.slice(1).map((ms, index) => ms - (asked[index] as number));
  expect(Math.max(...pauses)).toBe(DAY_MS);
  expect(asked.at(-1)).toBeGreaterThan(30 * DAY_MS);
  expect(asked.length).toBeLessThan(50);
});
