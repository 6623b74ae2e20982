/** C-53: a limiter remembers so many keys and not one more. Method: by what a key that used its burst up may do afterwards. */
import { expect, test } from 'vitest';
import { BUCKETS_MAX, rateLimiter } from '../../../src/server/http/rate-limit.ts';

test('buckets are stored up to a maximum number of keys; with one more all of them are dropped', () => {
  const take = rateLimiter({ perSecond: 1, burst: 1 }, () => 0);
  const isSlowed = () => !take('first').allowed;
  expect([isSlowed(), isSlowed()]).toEqual([false, true]);
  for (let n = 1; n < BUCKETS_MAX; n++) take(`made up ${n}`);
  expect(isSlowed()).toBe(true);
  take('one more');
  expect(isSlowed()).toBe(false);
  expect(BUCKETS_MAX).toBeLessThanOrEqual(100_000);
});
