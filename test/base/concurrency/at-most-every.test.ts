/** Goal: work that many ask for is done at once, then after a pause for all of them. Method: time that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atMostEvery } from '../../../src/base/concurrency/at-most-every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first caller gets the work immediately; all callers during the pause share one run at its end', () => {
  let calls = 0;
  const ask = atMostEvery(50, () => {
    calls += 1;
  });
  ask();
  expect(calls).toBe(1);
  for (let n = 0; n < 5; n += 1) ask();
  expect(calls).toBe(1);
  vi.advanceTimersByTime(50);
  expect(calls).toBe(2);
});

test('no caller during a pause is forgotten, and without a caller nothing runs', () => {
  let calls = 0;
  const ask = atMostEvery(50, () => {
    calls += 1;
  });
  ask();
  vi.advanceTimersByTime(500);
  expect(calls).toBe(1);
  ask();
  vi.advanceTimersByTime(20);
  ask();
  vi.advanceTimersByTime(30);
  expect(calls).toBe(3);
});
