/** Goal: ids of requests are UUIDs of version 7 (RFC 9562), unlike each other, and rise with time. */
import { expect, test } from 'vitest';
import { newRequestId } from '../../../src/base/ids/request-id.ts';

const VERSION_7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

test('an id contains the millisecond in which it was made', () => {
  const before = Date.now();
  const id = newRequestId();
  expect(id).toMatch(VERSION_7);
  expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  expect(timeOf(id)).toBeLessThanOrEqual(Date.now());
});

test('no two are the same', () => {
  const ids = Array.from({ length: 10_000 }, newRequestId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.map(timeOf)).toEqual(ids.map(timeOf).toSorted((a, b) => a - b));
});
