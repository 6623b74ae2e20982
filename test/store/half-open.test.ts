/**
 * Goal: no network takes the gateway's writes away for longer than it is down itself (C-51). Method: a proxy to the
 * database that holds, drops, halves, delays and cuts what passes; a server that is stopped without being ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database, DatabaseOptions, Statement, Tx } from '../../src/store/connection/database.ts';
import { CommitUnknownError, isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { idleConnections } from '../../src/store/connection/idle-connections.ts';
import { lostSessions, markSql } from '../../src/store/connection/lost-sessions.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { watchedClients } from '../../src/store/connection/watched-client.ts';
import { useDatabase } from '../support/database.ts';
import { type Direction, type Fault, startProxy, type TestProxy, through } from '../support/proxy.ts';

const CONNECTIONS = 3;
const ADD = {
  name: 'add_of_test',
  text: `insert into rate (mode, asset, mid, observed_at) values ('sandbox', $1, 1, now()) returning asset`,
};
const COUNT = { name: 'count_of_test', text: 'select count(*)::int as n from rate where asset = $1' };
const SLEEP = { name: 'sleep_of_test', text: 'select pg_sleep($1)::text' };
const END_SLEEP = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and wait_event = 'PgSleep'`;

const store = useDatabase();
let proxy: TestProxy;
let database: Database;

beforeAll(async () => {
  proxy = await startProxy(Number(new URL(store.url).port));
  database = openDatabase(through(proxy, store.url), { connections: CONNECTIONS });
});
afterEach(() => proxy.heal());
afterAll(async () => {
  proxy.heal();
  await database?.close();
  await proxy?.close();
});

const add = (asset: string) => database.withTx((tx) => tx.query(ADD, [asset]));
/** More at once than there are connections. */
const addMany = (asset: string, to = database) =>
  Promise.allSettled(
    Array.from({ length: 2 * CONNECTIONS }, (_, n) => to.withTx((tx) => tx.query(ADD, [`${asset}${n}`]))),
  );

/** A network of a test's own, and the database behind it. */
async function network(options: DatabaseOptions) {
  const own = await startProxy(Number(new URL(store.url).port));
  const far = openDatabase(through(own, store.url), options);
  const end = async () => {
    own.heal();
    await far.close();
    await own.close();
  };
  return { own, far, end };
}

// Each on a network of its own, so that they can wait at the same time.
test.concurrent.for<[Fault, Direction]>([
  ['drop', 'both'],
  ['drop', 'up'],
  ['drop', 'down'],
  ['hold', 'both'],
  ['halve', 'both'],
])('C-51: a network that does "%s" (%s): whoever waits is told that the database is away; afterwards it works again', async ([
  fault,
  direction,
], { expect: expectHere }) => {
  const { own, far, end } = await network({ connections: CONNECTIONS });
  try {
    await addMany(`before ${fault} ${direction} `, far);
    own.fail(fault, direction);
    for (const end of await addMany(`during ${fault} ${direction} `, far))
      expectHere(end.status === 'rejected' && isDatabaseUnreachable(end.reason)).toBe(true);
    own.heal();
    const again = () => addMany(`after ${fault} ${direction} ${Math.random()} `, far);
    await expectHere.poll(async () => (await again()).map(({ status }) => status)).not.toContain('rejected');
  } finally {
    await end();
  }
});

test.concurrent.for<[Fault, Direction]>([
  ['drop', 'both'],
  ['drop', 'down'],
  ['hold', 'both'],
  ['halve', 'both'],
])('C-51: of reads that share connections, none waits for a network that does "%s" (%s), however many are asked meanwhile', async ([
  fault,
  direction,
], { expect: expectHere }) => {
  const { own, far, end } = await network({ connections: 10 });
  const ask = () => far.query({ ...COUNT, name: 'quick_count_of_test', isQuick: true }, ['none']);
  const askMany = () => Promise.all(Array.from({ length: 20 }, ask));
  try {
    await askMany();
    own.fail(fault, direction);
    let isOver = false;
    const asked = Promise.allSettled(Array.from({ length: 20 }, ask)).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      ask().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const end of await asked) {
      if (end.status === 'rejected') expectHere(isDatabaseUnreachable(end.reason)).toBe(true);
      // Of what is sent together, the first half may hold whole statements.
      else expectHere([fault, end.value]).toEqual(['halve', [{ n: 0 }]]);
    }
    own.heal();
    await expectHere.poll(() => askMany().then(() => 'answered', isDatabaseUnreachable)).toBe('answered');
  } finally {
    await end();
  }
});

test('C-51: when one connection was found dead, no caller waits for another one', async () => {
  const { own, far, end } = await network({ connections: CONNECTIONS });
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => far.query(SLEEP, [0.3])));
    own.silence();
    await expect(far.query(SLEEP, [0])).rejects.toSatisfy(isDatabaseUnreachable);
    for (let asked = 1; asked < CONNECTIONS; asked += 1) expect(await far.query(SLEEP, [0])).toHaveLength(1);
  } finally {
    await end();
  }
});

describe('C-51: a transaction whose connection was lost', () => {
  const WAITING: Statement = {
    name: 'waiting_of_test',
    text: `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
  };
  const LOCK: Statement = { name: 'lock_of_test', text: 'select pg_advisory_xact_lock($1)::text' };
  const PATIENTLY: Statement = {
    name: 'patiently_of_test',
    text: `select set_config('lock_timeout', '0', true)`,
  };
  /** Keeps a processor busy, and so waits for nothing. */
  const WORK: Statement = {
    name: 'work_of_test',
    text: 'select count(*)::int as busy from generate_series(1, 100000) a, generate_series(1, 100000) b',
  };
  /** Longer than its text, so that half of it is more than that. */
  const LONG: Statement = { name: 'long_of_test', text: 'select length($1) as length_of_test' };
  const HALF_READ = `select pid from pg_stat_activity
    where query like '%as length_of_test' and state = 'active' and wait_event = 'ClientRead'`;
  const AT_WORK = `from pg_stat_activity where query like '%as busy%' and state = 'active' and pid <> pg_backend_pid()`;
  let lockId = 0;
  /** A transaction that has the lock and loses its connection. The server sets it no limit, so it would stay for good. */
  const lose = async (own: TestProxy, far: Database, fault: Fault | undefined) => {
    lockId += 1;
    const lost = far.withTx(async (tx) => {
      await tx.query(LOCK, [lockId]);
      own.silence();
      if (fault) own.fail(fault);
      await tx.query(LOCK, [-lockId]);
    });
    await expect(lost).rejects.toSatisfy(isDatabaseUnreachable);
  };
  const lock = () => store.database.withTx((tx) => tx.query(LOCK, [lockId]));
  const count = async (statement: Statement, value: unknown) =>
    (await store.database.query(statement, [value])).length;

  test.each<[string, Fault | undefined]>([
    ['so that nobody waits for its locks', undefined],
    ['as soon as the server can be reached again', 'refuse'],
  ])('is ended, %s', async (_when, fault) => {
    const { own, far, end } = await network({ connections: CONNECTIONS, patient: true });
    try {
      await lose(own, far, fault);
      setTimeout(own.heal, 500);
      expect(await lock()).toHaveLength(1);
    } finally {
      await end();
    }
  });

  test('is ended while it waits for a lock, which it would get and keep', async () => {
    const { own, far, end } = await network({ connections: CONNECTIONS, patient: true });
    const holder = new pg.Client({ connectionString: store.url });
    lockId += 1;
    try {
      await holder.connect();
      await holder.query('select pg_advisory_lock($1)', [lockId]);
      const waits = far.withTx(async (tx) => {
        await tx.query(PATIENTLY, []);
        await tx.query(LOCK, [lockId]);
      });
      const told = expect(waits).rejects.toSatisfy(isDatabaseUnreachable);
      await expect.poll(() => count(WAITING, lockId)).toBe(1);
      own.cut();
      await told;
      await expect.poll(() => count(WAITING, lockId)).toBe(0);
    } finally {
      await holder.end();
      await end();
    }
  });

  test('is ended while it waits for the rest of a statement, for which the server has no time limit', async () => {
    const { own, far, end } = await network({ connections: CONNECTIONS });
    lockId += 1;
    try {
      const lost = far.withTx(async (tx) => {
        await tx.query(LOCK, [lockId]);
        own.fail('halve', 'up');
        const asked = tx.query(LONG, ['x'.repeat(2_000)]);
        await expect.poll(async () => (await store.owner.query(HALF_READ)).rowCount).toBe(1);
        own.silence();
        own.heal();
        await asked;
      });
      await expect(lost).rejects.toSatisfy(isDatabaseUnreachable);
      expect(await lock()).toHaveLength(1);
    } finally {
      await store.owner.query(`select pg_terminate_backend(pid, 5000) from (${HALF_READ}) half_read`);
      await end();
    }
  });

  test('is ended however long the server was unreachable', async () => {
    const own = await startProxy(Number(new URL(store.url).port));
    const lost = new pg.Client({ connectionString: store.url });
    const ended = new Promise((resolve) => lost.once('error', resolve));
    try {
      await lost.connect();
      await lost.query(`begin; select ${markSql(7)}`);
      own.fail('refuse');
      const { rows } = await lost.query<{ pid: number }>('select pg_backend_pid() as pid');
      lostSessions(() => through(own, store.url), 0).add({ pid: rows[0]?.pid ?? 0, token: 7 });
      setTimeout(own.heal, 500);
      // By an order, not by a time limit of the server.
      expect(await ended).toMatchObject({ code: '57P01' });
    } finally {
      await lost.end();
      await own.close();
    }
  });

  test('is left alone while it works, so that a commit ends normally', async () => {
    const { own, far, end } = await network({ connections: CONNECTIONS, patient: true });
    const owner = new pg.Client({ connectionString: store.url });
    try {
      await owner.connect();
      const countAtWork = async () => (await owner.query(`select ${AT_WORK}`)).rowCount;
      const told = expect(far.withTx((tx) => tx.query(WORK, []))).rejects.toSatisfy(isDatabaseUnreachable);
      await expect.poll(countAtWork).toBe(1);
      own.cut();
      await told;
      // What is lost after it is looked at together with it.
      await lose(own, far, undefined);
      await lock();
      expect(await countAtWork()).toBe(1);
    } finally {
      await owner.query(`select pg_terminate_backend(pid, 5000) ${AT_WORK}`);
      await owner.end();
      await end();
    }
  });
});

test('C-51: a request that gets an idle connection while it is closed fails with an unreachable database', async () => {
  const pool = new pg.Pool({ connectionString: store.url, max: 1 });
  pool.on('error', () => {});
  const idle = idleConnections(pool);
  try {
    await pool.query('select 1');
    const asked = pool.query('select 1');
    idle.closeSince(performance.now() + 1);
    await expect(asked).rejects.toSatisfy(isDatabaseUnreachable);
  } finally {
    await pool.end();
  }
});

test('C-51: when one connection was found dead, no read waits for the shared ones', async () => {
  const { own, far, end } = await network({ connections: 10 });
  const quick = { ...COUNT, name: 'quick_count_of_test', isQuick: true } as const;
  // So many that both have some.
  const readMany = () => Promise.all(Array.from({ length: 20 }, () => far.query(quick, ['none'])));
  try {
    await readMany();
    await far.query(SLEEP, [0]);
    own.silence();
    await expect(far.query(SLEEP, [0])).rejects.toSatisfy(isDatabaseUnreachable);
    expect(await readMany()).toHaveLength(20);
  } finally {
    await end();
  }
});

describe('C-51: connections that the network lost before it worked again', () => {
  test('does not delay callers whose connection was being opened', async () => {
    const { own, far, end } = await network({ connections: CONNECTIONS });
    try {
      own.fail('drop');
      const lost = far.query(COUNT, ['none']).catch((error: Error) => error.message);
      await sleep(1_000);
      own.heal();
      expect(await far.query(COUNT, ['none'])).toHaveLength(1);
      // It would have been waited for, for two seconds in all.
      expect(await lost).toBe('the database did not answer, though it answers other connections');
    } finally {
      await end();
    }
  });

  test('does not prevent a check whether the server works on a statement', async () => {
    const { own, far, end } = await network({ connections: CONNECTIONS });
    try {
      const owner = new pg.Client({ connectionString: store.url });
      await owner.connect();
      const slow = far.query(SLEEP, [4]);
      const asleep = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
      await expect.poll(async () => (await owner.query(asleep)).rowCount).toBe(1);
      await owner.end();
      own.fail('drop');
      setTimeout(own.heal, 1_300);
      expect(await slow).toHaveLength(1);
    } finally {
      await end();
    }
  });
});

test('C-51: a slow network ends nothing for good', async () => {
  proxy.fail('delay');
  for (const end of await addMany('during delay '))
    expect(end.status === 'fulfilled' || isDatabaseUnreachable(end.reason)).toBe(true);
  proxy.heal();
  await expect.poll(() => add(`after delay ${Math.random()}`).catch(isDatabaseUnreachable)).toHaveLength(1);
});

test('C-51: connections that are cut are replaced', async () => {
  await addMany('before cut ');
  proxy.cut();
  await expect.poll(() => add(`after cut ${Math.random()}`).catch(isDatabaseUnreachable)).toHaveLength(1);
});

test('C-51: Prisma waits no longer than the rest', async () => {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => prismaOf(database).account.count()));
  proxy.fail('drop');
  await expect(prismaOf(database).account.count()).rejects.toSatisfy(isDatabaseUnreachable);
  await expect(
    prismaOf(database).$transaction([prismaOf(database).account.count(), prismaOf(database).account.count()]),
  ).rejects.toSatisfy(isDatabaseUnreachable);
  proxy.heal();
  await expect.poll(() => prismaOf(database).account.count().catch(isDatabaseUnreachable)).toBe(0);
});

test('C-51: a statement that the server works on is waited for', async () => {
  expect(await database.query(SLEEP, [5])).toHaveLength(1);
});

test('C-51: a long answer that is read slowly is waited for, though the server waits for its reader', async () => {
  const Client = watchedClients({ url: () => store.url, statementMaxMs: 0 });
  const client = new Client();
  await client.connect();
  const { stream } = client.connection;
  // A piece now and then: about four seconds in all.
  stream.on('data', () => stream.pause());
  const slow = setInterval(() => stream.resume(), 20);
  try {
    const { rows } = await client.query(`select repeat('x', 1000000) from generate_series(1, 13)`);
    expect(rows).toHaveLength(13);
  } finally {
    clearInterval(slow);
    await client.end();
  }
});

test('C-52: a commit whose answer is lost is an unknown outcome, not a failure', async () => {
  const outcome = database.withTx(async (tx) => {
    await tx.query(ADD, ['unknown']);
    proxy.fail('drop', 'down');
  });
  await expect(outcome).rejects.toBeInstanceOf(CommitUnknownError);
  proxy.heal();
  // The request was sent whole: this one did happen.
  expect(await store.database.query(COUNT, ['unknown'])).toEqual([{ n: 1 }]);
});

test('a refused commit is a failure, and nothing is stored', async () => {
  const table = 'create temporary table refused (n int unique deferrable initially deferred) on commit drop';
  const refused = store.database.withTx(async (tx) => {
    await tx.query({ name: 'rates_of_test', text: ADD.text }, ['refused']);
    await tx.query({ name: '', text: table }, []);
    await tx.query({ name: '', text: 'insert into refused values (1), (1)' }, []);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  await expect(refused).rejects.not.toBeInstanceOf(CommitUnknownError);
  expect(await store.database.query(COUNT, ['refused'])).toEqual([{ n: 0 }]);
});

test('a transaction in which a statement failed unnoticed does not pass for a commit', async () => {
  const swallowed = store.database.withTx(async (tx) => {
    await tx.query(ADD, ['swallowed']);
    await tx.query({ name: '', text: 'select 1 / 0' }, []).catch(() => {});
  });
  await expect(swallowed).rejects.toThrow(/nothing was stored/);
});

describe('within a limit', () => {
  const sleepNot = (tx: Tx) => tx.query(SLEEP, [0]);
  test('a question is answered or refused, also when no connection is free', async () => {
    const busy = Array.from({ length: CONNECTIONS }, () => database.query(SLEEP, [3]));
    await expect(database.within(300, sleepNot)).rejects.toSatisfy(isDatabaseUnreachable);
    await Promise.all(busy);
    await database.within(15_000, sleepNot);
  });

  test('a connection that answered too late is not used again', async () => {
    await expect(database.within(200, (tx) => tx.query(SLEEP, [1]))).rejects.toSatisfy(isDatabaseUnreachable);
    const [first] = await database.query<{ pg_sleep: string }>(SLEEP, [0]);
    expect(first).toEqual({ pg_sleep: '' });
  });

  test('a connection that answers too late makes room for others immediately, not when it has answered', async () => {
    const narrow = openDatabase(store.url, { connections: 1 });
    try {
      const late = narrow.within(200, (tx) => tx.query(SLEEP, [10]));
      const next = narrow.query(SLEEP, [0]);
      await expect(late).rejects.toSatisfy(isDatabaseUnreachable);
      expect(await next).toHaveLength(1);
    } finally {
      await narrow.close();
      // Nobody told the server, which is still at it.
      await store.owner.query(END_SLEEP);
    }
  });
});

test('a dead connection does not prevent its database from being closed', async () => {
  const other = openDatabase(through(proxy, store.url));
  await other.query(SLEEP, [0]);
  proxy.fail('hold');
  await expect(other.query(SLEEP, [0])).rejects.toSatisfy(isDatabaseUnreachable);
  await other.close();
  proxy.heal();
});
