/**
 * Goal: when the server has no slot to spare, requests and `/readyz` agree, and the gateway itself takes few (C-51). Method: a role
 * with a limit of connections; a network that lets the server hear the gateway, and not the gateway the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { APPLICATION_ROLE } from '../../src/store/connection/session.ts';
import { probeDatabase } from '../../src/store/webhooks/readiness.ts';
import { useDatabase } from '../support/database.ts';
import { startProxy, through } from '../support/proxy.ts';

const ROLE = `full_${process.pid}`;
const SLOW = { name: 'slow_pid_of_test', text: 'select pg_backend_pid() as pid, pg_sleep($1)::text' };
const PID = { name: 'pid_of_test', text: 'select pg_backend_pid() as pid' };
const QUICK = { ...PID, name: 'quick_pid_of_test', isQuick: true } as const;
const READS = 8;
const HALF_OPEN_MS = 6_000;
/** Far fewer than were asked for: one every half second at first, and one in three seconds later. */
const ATTEMPTS_MAX = 20;

const store = useDatabase();
let url = '';

beforeAll(async () => {
  await store.owner.query(
    `create role ${ROLE} login password 'secret' connection limit 1 in role ${APPLICATION_ROLE}`,
  );
  const limited = new URL(store.url);
  Object.assign(limited, { username: ROLE, password: 'secret' });
  url = limited.href;
});
afterAll(async () => {
  await store.owner.query(`drop role ${ROLE}`);
});

const readMany = (database: Database) =>
  Promise.all(Array.from({ length: READS }, () => database.query<{ pid: number }>(QUICK, [])));
const probe = (database: Database) =>
  probeDatabase(database, { toRead: async () => {}, toWrite: async () => {} });
const count = async (text: string, values: unknown[]) => (await store.owner.query(text, values)).rowCount;

test('C-51: reads that share connections use one of the pool when the server has no slot for theirs, and readiness reports it', async () => {
  const database = openDatabase(url, { connections: 10 });
  let other = new pg.Client({ connectionString: url });
  // The gateway may be looking for its lost session, which takes the slot for a moment.
  const takeSlot = async () => {
    other = new pg.Client({ connectionString: url });
    return other.connect().then(
      () => true,
      () => false,
    );
  };
  try {
    const [held] = await database.query<{ pid: number }>(PID, []);
    expect((await readMany(database)).flat()).toEqual(Array(READS).fill(held));
    expect(await probe(database)).toMatchObject({ reads: true, writes: true });
    const alone = () => count('select from pg_stat_activity where usename = $1', [ROLE]);
    await store.owner.query('select pg_terminate_backend($1, 5000)', [held?.pid]);
    await expect.poll(alone).toBe(0);
    await expect.poll(takeSlot).toBe(true);
    await expect(database.query(QUICK, [])).rejects.toSatisfy(isDatabaseUnreachable);
    expect(await probe(database)).toMatchObject({ reads: false, writes: false });
    await other.end();
    // The pool takes the only slot: were it the connection of the reads that has it, nothing could be written.
    await expect
      .poll(() => database.query(PID, []).then(() => 'answered', isDatabaseUnreachable))
      .toBe('answered');
    expect((await readMany(database)).flat()).toHaveLength(READS);
    await expect.poll(async () => (await probe(database)).writes).toBe(true);
  } finally {
    await other.end().catch(() => {});
    await database.close();
  }
});

test('C-51: while the network is half open, few connections are attempted, and afterwards it works again', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  const database = openDatabase(through(proxy, store.url), { connections: 10 });
  const ask = () => Promise.allSettled([database.query(QUICK, []), database.query(PID, [])]);
  try {
    await Promise.all(Array.from({ length: READS }, ask));
    proxy.fail('drop', 'down');
    const before = proxy.accepted();
    const untilMs = performance.now() + HALF_OPEN_MS;
    const asked: Promise<unknown>[] = [];
    while (performance.now() < untilMs) {
      asked.push(ask());
      await sleep(50);
    }
    expect(proxy.accepted() - before).toBeLessThan(ATTEMPTS_MAX);
    proxy.heal();
    await expect
      .poll(() => readMany(database).then(() => 'answered', isDatabaseUnreachable), { timeout: 30_000 })
      .toBe('answered');
    await Promise.all(asked);
  } finally {
    proxy.heal();
    await database.close();
    await proxy.close();
  }
});

test('C-51: idle sessions whose connection was lost release their slot', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  const database = openDatabase(through(proxy, store.url), { connections: 3 });
  try {
    const opened = await Promise.all([0.5, 0.5, 0.5].map((s) => database.query<{ pid: number }>(SLOW, [s])));
    const pids = opened.flat().map(({ pid }) => pid);
    proxy.silence();
    await expect(database.query(PID, [])).rejects.toSatisfy(isDatabaseUnreachable);
    await expect
      .poll(() => count('select from pg_stat_activity where pid = any ($1)', [pids]), { timeout: 15_000 })
      .toBe(0);
  } finally {
    await database.close();
    await proxy.close();
  }
});

test('C-51: the end of a database does not wait for an unused dead connection', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  const database = openDatabase(through(proxy, store.url), { connections: 10 });
  try {
    await Promise.all([database.query(QUICK, []), database.query(PID, [])]);
    proxy.silence();
    await database.close();
  } finally {
    await proxy.close();
  }
});
