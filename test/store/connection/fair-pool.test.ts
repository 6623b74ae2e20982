/**
 * Goal: one asker has a third of the pool, at least one connection, and waits in a line of its own; what is done for nobody, and
 * whoever has a connection already, does not wait (decision 0053). Method: reads that wait for an advisory lock.
 */
import { expect, test } from 'vitest';
import { groupCommit } from '../../../src/base/concurrency/group-commit.ts';
import { behalf, onBehalf } from '../../../src/base/concurrency/on-behalf.ts';
import { readShared, readTogether } from '../../../src/base/concurrency/read-together.ts';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../../src/store/connection/database-error.ts';
import { prismaOf } from '../../../src/store/connection/prisma.ts';
import { useDatabase } from '../../support/database.ts';

const store = useDatabase();
const WAITS = { name: 'waits_of_fair', text: 'select pg_advisory_xact_lock_shared(53)::text' };
const ONE = { name: 'one_of_fair', text: 'select 1 as n' };
const WAITING = `select from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

const waiting = async () => (await store.owner.query(WAITING)).rowCount;
const as = <Result>(key: string, work: () => Promise<Result>) => onBehalf(() => key, work);

/** Does the work while reads with `WAITS` wait. */
async function whileLocked(connections: number, work: (database: Database) => Promise<void>): Promise<void> {
  const database = openDatabase(store.url, { connections });
  const owner = await store.owner.connect();
  try {
    await owner.query('begin');
    await owner.query('select pg_advisory_xact_lock(53)');
    await work(database);
  } finally {
    await owner.query('rollback');
    owner.release();
    await database.close();
  }
}

test.each([
  [2, 1],
  [3, 1],
  [6, 2],
  [10, 3],
])('of a pool with %s connections one caller has %s', async (connections, share) => {
  const ends: Promise<unknown>[] = [];
  await whileLocked(connections, async (database) => {
    for (let at = 0; at < 3 * share; at++) ends.push(as('slow', () => database.query(WAITS, [])));
    await expect.poll(waiting).toBe(share);
    expect(await as('other', () => database.query(ONE, []))).toEqual([{ n: 1 }]);
    expect(await database.query(ONE, [])).toEqual([{ n: 1 }]);
    // All of the line are told after as long as for the pool, and what they waited for is not begun.
    for (const end of await Promise.allSettled(ends.slice(share)))
      expect(end.status === 'rejected' && end.reason).toSatisfy(isDatabaseUnreachable);
    expect(await waiting()).toBe(share);
  });
  for (const end of await Promise.allSettled(ends.slice(0, share))) expect(end.status).toBe('fulfilled');
});

test('a waiter in line continues when one before it has ended, failed, or never got a connection', async () => {
  await whileLocked(6, async (database) => {
    const failing = { name: '', text: 'select 1 / 0' };
    for (let time = 0; time < 20; time++) {
      const all = Array.from({ length: 6 }, (_, at) =>
        as('one', () => database.query(at % 2 ? failing : ONE, [])),
      );
      const ends = (await Promise.allSettled(all)).map(({ status }) => status);
      expect(ends).toEqual(all.map((_, at) => (at % 2 ? 'rejected' : 'fulfilled')));
    }
    // Of the whole pool, so that none is left and those with a place wait in vain.
    const ends = Array.from({ length: 6 }, () => database.query(WAITS, []).catch(() => {}));
    await expect.poll(waiting).toBe(6);
    await expect(as('one', () => database.query(ONE, []))).rejects.toSatisfy(isDatabaseUnreachable);
    await store.owner.query(
      `select pg_cancel_backend(pid) from (${WAITING.replace('select', 'select pid')}) x`,
    );
    await Promise.all(ends);
    const again = Array.from({ length: 4 }, () => as('one', () => database.query(WAITS, [])).catch(() => {}));
    await expect.poll(waiting).toBe(2);
    await store.owner.query(
      `select pg_cancel_backend(pid) from (${WAITING.replace('select', 'select pid')}) x`,
    );
    await expect.poll(waiting).toBe(2);
    await store.owner.query(
      `select pg_cancel_backend(pid) from (${WAITING.replace('select', 'select pid')}) x`,
    );
    await Promise.all(again);
  });
});

test('a database transaction takes a slot; work inside of it, or checked within a time, takes none', async () => {
  await whileLocked(3, async (database) => {
    const nested = as('one', () =>
      database.withTx(async (tx) => {
        expect(behalf()).toBeUndefined();
        await tx.query(ONE, []);
        return database.query(ONE, []);
      }),
    );
    expect(await nested).toEqual([{ n: 1 }]);
    const slow = as('one', () => database.withTx((tx) => tx.query(WAITS, []))).catch(() => {});
    await expect.poll(waiting).toBe(1);
    expect(await as('one', () => database.within(1_000, (tx) => tx.query(ONE, [])))).toEqual([{ n: 1 }]);
    await expect(as('one', () => database.query(ONE, []))).rejects.toSatisfy(isDatabaseUnreachable);
    await store.owner.query(
      `select pg_cancel_backend(pid) from (${WAITING.replace('select', 'select pid')}) x`,
    );
    await slow;
  });
});

test('reads of Prisma take slots as well', async () => {
  const database = openDatabase(store.url, { connections: 6 });
  const owner = await store.owner.connect();
  const locked = `select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and not l.granted`;
  try {
    await owner.query('begin');
    await owner.query('lock table customer in access exclusive mode');
    const reads = Array.from({ length: 6 }, (_, at) =>
      as('one', async () => prismaOf(database).customer.findMany({ skip: at, take: 1 })).catch(() => {}),
    );
    await expect.poll(async () => (await store.owner.query(locked)).rowCount).toBe(2);
    expect(await as('other', async () => prismaOf(database).rate.count())).toBe(0);
    await owner.query('rollback');
    await Promise.all(reads);
    expect(await as('one', async () => prismaOf(database).customer.count())).toBe(0);
  } finally {
    await owner.query('rollback');
    owner.release();
    await database.close();
  }
});

test('work for many callers is done on behalf of none', async () => {
  const together = readTogether(async () => behalf());
  const commit = groupCommit(async (all: readonly number[]) => all.map(() => behalf()), {
    max: 10,
    failsAll: () => false,
  });
  const found = await as('one', async () => [
    behalf(),
    await together(),
    await readShared({}, ['x'], async () => behalf()),
    await commit(1),
    behalf(),
  ]);
  expect(found).toEqual(['one', undefined, undefined, undefined, 'one']);
});
