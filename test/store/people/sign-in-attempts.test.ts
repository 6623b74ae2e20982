/**
 * C-40: tries to sign in are counted for all processes together. Method: the statement on a real database, by written times and by many
 * callers at once.
 */
import { expect, test } from 'vitest';
import { countAttempt } from '../../../src/store/people/sign-in-attempts.ts';
import { useDatabase } from '../../support/database.ts';

const store = useDatabase();
const LIMIT = { burst: 3, pauseMs: 5_000 };
const START = Date.parse('2026-11-22T12:00:00.000Z');
const take = (subject: string, ms: number) =>
  countAttempt(store.database, subject, LIMIT, new Date(START + ms));

test('a few immediately, then one for each pause; separately for each subject', async () => {
  const taken: number[] = [];
  for (const ms of [0, 0, 1, 2, 4_999, 5_000, 5_001, 10_000]) taken.push(await take('10.0.0.1', ms));
  expect(taken).toEqual([0, 0, 0, 4_998, 1, 0, 4_999, 0]);
  expect(await take('10.0.0.2', 2)).toBe(0);
});

test('a person who waits long enough has all attempts again, and is removed', async () => {
  for (let each = 0; each < 4; each++) await take('10.0.0.3', 0);
  expect(await take('10.0.0.3', 1)).toBeGreaterThan(0);
  expect(await take('10.0.0.4', 60_000)).toBe(0);
  const { rows } = await store.owner.query('select subject from sign_in_try order by subject');
  expect(rows).toEqual([{ subject: '10.0.0.4' }]);
  for (let each = 0; each < 3; each++) expect(await take('10.0.0.3', 60_000)).toBe(0);
});

test('in parallel from several connections, no more than that', async () => {
  const taken = await Promise.all(Array.from({ length: 20 }, () => take('person-1', 0)));
  expect(taken.filter((ms) => ms === 0)).toHaveLength(3);
});

test('C-40: no attempt waits for the row of a parallel one', async () => {
  for (const subject of ['10.0.1.1', '10.0.1.2']) await take(subject, 0);
  const other = await store.owner.connect();
  try {
    await other.query('begin');
    await other.query(`select from sign_in_try where subject = '10.0.1.2' for update`);
    expect(await take('10.0.1.1', 60_000)).toBe(0);
  } finally {
    await other.query('rollback');
    other.release();
  }
});
