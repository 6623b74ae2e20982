/**
 * Goal: slow reads of one account keep others waiting for no connection, whatever they are asked by; and its own go on (C-51,
 * decision 0053). Method: an application with ten connections, two of which are shared; a table that somebody has locked.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { startApp, useApp } from '../support/app.ts';

const CONNECTIONS = 10;
/** A third of the eight that are not shared. */
const SHARE = 3;
const READS = 20;
const NAME = 'crossramp';
const WAITING = `select from pg_stat_activity
  where datname = current_database() and application_name = '${NAME}' and wait_event_type = 'Lock'`;

const app = useApp({ role: 'serve' });
let database: Database;
let small: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  database = openDatabase(app.url, { connections: CONNECTIONS });
  small = await startApp(database);
});
afterAll(async () => {
  await small?.close();
  await database?.close();
});

/** One of the slow reads, or all of them in one. */
type Prompt = (key: string, at: number, signal?: AbortSignal) => Promise<Response>;

/** An answer that was asked for before may be kept. */
let asked = 0;
const list: Prompt = (key, _at, signal) =>
  fetch(`${small.publicUrl}/v2/onramps?client_tax_id=52998224725&offset=${asked++}`, {
    headers: { authorization: `Bearer ${key}` },
    ...(signal && { signal }),
  });
const graphql = (key: string, query: string, signal?: AbortSignal) =>
  fetch(`${small.publicUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });
const aliases: Prompt = (key, _at, signal) => {
  const fields = Array.from(
    { length: READS },
    (_, n) =>
      `a${n}: transactions(first: 1, filter: { clientTaxId: "52998224725", pixE2e: "${asked++}" }) { totalCount }`,
  );
  return graphql(key, `{ ${fields.join(' ')} }`, signal);
};
const prisma: Prompt = (key, _at, signal) => {
  const fields = Array.from(
    { length: READS },
    (_, n) => `a${n}: customers(first: 1, offset: ${asked++}) { nodes { taxId } }`,
  );
  return graphql(key, `{ ${fields.join(' ')} }`, signal);
};

const waiting = async () => (await app.owner.query(WAITING)).rowCount ?? 0;

/** Does the work while somebody has the table locked. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const owner = await app.owner.connect();
  try {
    await owner.query('begin');
    await owner.query(`lock table ${table} in access exclusive mode`);
    await work();
  } finally {
    await owner.query('rollback').finally(() => owner.release());
  }
}

/** @throws where another account, or whoever watches the process, is not answered. */
async function othersAreAnswered(key: string): Promise<void> {
  for (let time = 0; time < 5; time++) {
    expect((await small.get('/v2/balance', key)).status).toBe(200);
    expect((await fetch(`${small.publicUrl}/readyz`)).status).toBe(200);
    // By Prisma, on a connection that is not shared.
    const keys = await (await graphql(key, '{ viewer { keys { name } } }')).json();
    expect(keys).toMatchObject({ data: { viewer: { keys: [{}] } } });
    expect(await waiting()).toBeLessThanOrEqual(SHARE);
  }
}

test.each<[string, string, Prompt, number]>([
  ['lists of /v2', 'transaction', list, READS],
  ['aliases of one operation', 'transaction', aliases, 1],
  ['reads of Prisma', 'customer', prisma, 1],
])('C-51: %s that wait for a lock take a third of the connections', async (_what, table, ask, times) => {
  const [slow, other] = [await app.addAccount(), await app.addAccount()];
  const keys = [slow.apiKey, (await app.addKey(slow.accountId, ['read'])).apiKey];
  const queryAll = (signal?: AbortSignal) =>
    Array.from({ length: times }, (_, at) => ask(keys[at % 2] as string, at, signal));
  // The keys are known, and connections are open.
  for (const key of [...keys, other.apiKey]) expect((await small.get('/v2/balance', key)).status).toBe(200);
  // Callers who leave take nothing with them; nor do those who are told to come again.
  for (const leaves of [true, false]) {
    const leaving = new AbortController();
    let answers: Promise<unknown> | undefined;
    await whileLocked(table, async () => {
      answers = Promise.allSettled(queryAll(leaving.signal));
      await expect.poll(waiting).toBeGreaterThanOrEqual(SHARE);
      if (leaves) leaving.abort();
      await othersAreAnswered(other.apiKey);
    });
    await answers;
    await expect.poll(waiting).toBe(0);
    for (const answer of await Promise.all(queryAll())) {
      const text = await answer.text();
      expect([answer.status, text.includes('"errors"')], text).toEqual([200, false]);
    }
  }
});

test('C-51: a request that waits too long in the queue of its account is refused, and no other is', async () => {
  const [slow, other] = [await app.addAccount(), await app.addAccount()];
  await whileLocked('transaction', async () => {
    const slowReads = Array.from({ length: SHARE }, (_, at) => list(slow.apiKey, at));
    await expect.poll(waiting).toBe(SHARE);
    const answer = await list(slow.apiKey, SHARE);
    expect(await waiting()).toBe(SHARE);
    expect([answer.status, (await answer.json()).code]).toEqual([503, 'UNAVAILABLE']);
    await othersAreAnswered(other.apiKey);
    for (const each of slowReads) each.catch(() => {});
  });
});
