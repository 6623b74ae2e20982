/** Goal: connections work as the restricted role, and give up what takes too long, unless they may be patient. */
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../../src/store/connection/database-error.ts';
import { useDatabase } from '../../support/database.ts';

const db = useDatabase();
const opened: Database[] = [];
afterAll(() => Promise.all(opened.map((database) => database.close())));

const SETTINGS = {
  name: 'settings_of_test',
  text: `select current_user::text as role, current_setting('timezone') as zone,
    current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
};

async function settings(options: Parameters<typeof openDatabase>[1]) {
  const database = openDatabase(db.url, options);
  opened.push(database);
  const [row] = await database.query(SETTINGS, []);
  return row;
}

describe('a session', () => {
  test('of the gateway give up after 15 seconds, and after 3 when idle in a transaction', async () => {
    expect(await settings({})).toEqual({ role: 'crossramp_app', zone: 'UTC', statement: '15s', idle: '3s' });
  });

  test('of a command wait as long as an audit or an import takes', async () => {
    expect(await settings({ patient: true })).toEqual({
      role: 'crossramp_app',
      zone: 'UTC',
      statement: '0',
      idle: '0',
    });
  });
});

test('a transaction is stored whole or not at all', async () => {
  const insert = {
    name: 'insert_of_test',
    text: `insert into rate (mode, asset, mid, observed_at) values ('sandbox', $1, 1, now())`,
  };
  const failing = db.database.withTx(async (tx) => {
    await tx.query(insert, ['ONE']);
    await tx.query(insert, ['ONE']);
  });
  await expect(failing).rejects.toThrow(/duplicate key/);
  await db.database.withTx((tx) => tx.query(insert, ['TWO']));
  const { rows } = await db.owner.query('select asset from rate');
  expect(rows).toEqual([{ asset: 'TWO' }]);
});

test('a connection that breaks in the middle of a transaction fails it, and not the process', async () => {
  const pid = { name: 'pid_of_test', text: 'select pg_backend_pid() as pid' };
  const failing = db.database.withTx(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(pid, []);
    await db.owner.query('select pg_terminate_backend($1, 5000)', [row?.pid]);
    // The end of the connection is noticed while nothing is asked of it.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await tx.query(pid, []);
  });
  await expect(failing).rejects.toSatisfy(isDatabaseUnreachable);
  expect(await db.database.query(pid, [])).toHaveLength(1);
});

test('C-51: a database that a shutdown closed is unreachable for later callers', async () => {
  const database = openDatabase(db.url);
  await database.query(SETTINGS, []);
  await database.close();
  const quick = { ...SETTINGS, isQuick: true } as const;
  for (const asked of [
    () => database.query(SETTINGS, []),
    () => database.query(quick, []),
    () => database.withTx((tx) => tx.query(SETTINGS, [])),
    () => database.within(1_000, (tx) => tx.query(SETTINGS, [])),
  ])
    await expect((async () => asked())()).rejects.toSatisfy(isDatabaseUnreachable);
});

test.each([
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
  [Object.assign(new Error('x'), { code: '57P01' }), true],
  // A transaction that was idle for too long: its connection was cut off for that time.
  [Object.assign(new Error('x'), { code: '25P03' }), true],
  [new Error('wrapped', { cause: Object.assign(new Error('x'), { code: '08006' }) }), true],
  [new Error('Connection terminated unexpectedly'), true],
  [Object.assign(new Error('x'), { code: '23505' }), false],
  ['text', false],
])('%s says that the database is away: %s', (error, away) => expect(isDatabaseUnreachable(error)).toBe(away));
