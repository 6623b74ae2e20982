/** Goal: a bounded map forgets what was kept first, and only to make room for what it does not have yet. */
import { expect, test } from 'vitest';
import { SharedCache, setBounded } from '../../../src/base/concurrency/bounded-map.ts';

test('the oldest value is removed at the maximum', () => {
  const known = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c'].entries()) setBounded(known, 2, key, at);
  expect([...known]).toEqual([
    ['b', 1],
    ['c', 2],
  ]);
});

test('replacing a value removes no other', () => {
  const known = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  setBounded(known, 2, 'b', 3);
  expect([...known]).toEqual([
    ['a', 1],
    ['b', 3],
  ]);
});

test('in a cache shared by several owners, the owner with the most values loses one', () => {
  const cache = new SharedCache<string, string, number>(4);
  cache.add('quiet', 'one', 1);
  cache.add('quiet', 'two', 2);
  for (let n = 0; n < 1_000; n++) cache.add('busy', `${n}`, n);
  expect([cache.get('one'), cache.get('two'), cache.get('998'), cache.get('999')]).toEqual([1, 2, 998, 999]);
  cache.add('new', 'first', 0);
  expect(cache.get('first')).toBe(0);
});

test('in a weighted cache, the owner with the most weight loses values, even if a value grows later', () => {
  const cache = new SharedCache<string, string, number>(10);
  cache.add('quiet', 'one', 1, 3);
  cache.add('busy', 'two', 2, 3);
  cache.add('busy', 'three', 3, 2);
  cache.grow('three', 3, 3);
  expect([cache.get('one'), cache.get('two'), cache.get('three')]).toEqual([1, undefined, 3]);
  // A value that is not there any more takes no room.
  cache.grow('two', 2, 100);
  cache.grow('one', 9, 100);
  expect([cache.get('one'), cache.get('three')]).toEqual([1, 3]);
});
