/** Goal: a set in one buffer has what a `Set` of texts has, in its order. Method: texts by a seed, with repetitions, beside a `Set`. */
import { expect, test } from 'vitest';
import { TextSet } from '../../../src/base/text/text-set.ts';

test('has each text once, in the order in which they were added', () => {
  const texts = ['', '0', 'São Paulo', '🐝', 'x'.repeat(70_000)];
  // A multiplicative sequence: thousands of texts, many of them twice.
  for (let n = 1; n <= 20_000; n++) texts.push(`movement ${(n * 7_919) % 12_000}`);
  const [set, expected] = [new TextSet(), new Set<string>()];
  const wrong = [...texts, ...texts.slice(0, 10)].filter((text) => {
    const isNew = !expected.has(text);
    expected.add(text);
    return set.add(text) !== isNew;
  });
  expect(wrong).toEqual([]);
  expect(set.size).toBe(expected.size);
  expect(Array.from({ length: set.size }, (_, index) => set.at(index))).toEqual([...expected]);
});

test('distinguishes texts with the same hash', () => {
  const set = new TextSet();
  // Known collisions of FNV-1a with 32 bits.
  for (const text of ['costarring', 'liquid', 'declinate', 'macallums']) expect(set.add(text)).toBe(true);
  for (const text of ['liquid', 'costarring', 'macallums', 'declinate']) expect(set.add(text)).toBe(false);
  expect([0, 1, 2, 3].map((index) => set.at(index))).toEqual([
    'costarring',
    'liquid',
    'declinate',
    'macallums',
  ]);
});
