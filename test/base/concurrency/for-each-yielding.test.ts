/** Long work for many leaves their turn to others. */
import { expect, test } from 'vitest';
import { forEachYielding } from '../../../src/base/concurrency/for-each-yielding.ts';

test('other work runs in between, repeatedly; each item is processed once, in order', async () => {
  const seen: number[] = [];
  const turnsOfOthers: number[] = [];
  const other = () => {
    turnsOfOthers.push(seen.length);
    if (seen.length < 1_000) setImmediate(other);
  };
  setImmediate(other);
  await forEachYielding(
    Array.from({ length: 1_000 }, (_, n) => n),
    (n) => seen.push(n),
  );
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  expect(turnsOfOthers.length).toBeGreaterThan(10);
  const longest = Math.max(...turnsOfOthers.map((at, n) => at - (turnsOfOthers[n - 1] ?? 0)));
  expect(longest).toBeLessThanOrEqual(16);
});

test('an item added meanwhile is processed, a removed one is not', async () => {
  const items = new Set(Array.from({ length: 200 }, (_, n) => n));
  const seen: number[] = [];
  await forEachYielding(items, (n) => {
    seen.push(n);
    if (n === 10) items.add(1_000).delete(150);
  });
  expect(seen).toContain(1_000);
  expect(seen).not.toContain(150);
});
