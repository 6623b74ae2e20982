/**
 * Goal: reads that share a connection fail as they would on one of their own, and none because of another (decision 0066).
 * Method: a table that is locked, so that the first statement of its name cannot be prepared while others wait behind it. What is
 * sent at about the same time goes in one piece (bench/notes/what-a-read-costs-besides.md): the sockets of the process count what is written to them.
 */
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import { isDatabaseUnreachable } from '../../../src/store/connection/database-error.ts';
import { useDatabase } from '../../support/database.ts';

const store = useDatabase();
const COUNT = { name: 'shared_count', text: 'select count(*)::int as n from rate', isQuick: true } as const;
const READS = 10;
const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

test('C-51: after a statement that could not be prepared, waiting callers learn that the database is unreachable', async () => {
  const database = openDatabase(store.url);
  const owner = await store.owner.connect();
  const waiting = async () => (await store.owner.query<{ pid: number }>(WAITING)).rows;
  try {
    await owner.query('begin');
    await owner.query('lock table rate in access exclusive mode');
    const reads = Promise.allSettled(Array.from({ length: READS }, () => database.query(COUNT, [])));
    await expect.poll(async () => (await waiting()).length, { timeout: 15_000 }).toBe(2);
    for (const { pid } of await waiting()) await store.owner.query('select pg_cancel_backend($1)', [pid]);
    for (const end of await reads)
      expect(end.status === 'fulfilled' || end.reason).toSatisfy(isDatabaseUnreachable);
    await owner.query('rollback');
    expect(await database.query(COUNT, [])).toEqual([{ n: 0 }]);
  } finally {
    await owner.query('rollback');
    owner.release();
    await database.close();
  }
});

test('parallel reads are sent in one piece to each connection', async () => {
  const database = openDatabase(store.url);
  const readAll = () => Promise.all(Array.from({ length: READS }, () => database.query(COUNT, [])));
  try {
    await readAll();
    const pieces = vi.spyOn(Socket.prototype, '_writev' as never);
    expect(await readAll()).toHaveLength(READS);
    // Eight to the first one, the others to the second one.
    expect(pieces).toHaveBeenCalledTimes(2);
  } finally {
    vi.restoreAllMocks();
    await database.close();
  }
});
