/** Goal: a bounded map forgets what was kept first, and only to make room for what it does not have yet. */
import { expect, test } from 'vitest';
import { keepNewest } from '../../src/base/keep-newest.ts';

test('the value that was kept first makes room', () => {
  const known = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c'].entries()) keepNewest(known, 2, key, at);
  expect([...known]).toEqual([
    ['b', 1],
    ['c', 2],
  ]);
});

test('a value in place of one that is there takes no room from others', () => {
  const known = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  keepNewest(known, 2, 'b', 3);
  expect([...known]).toEqual([
    ['a', 1],
    ['b', 3],
  ]);
});
