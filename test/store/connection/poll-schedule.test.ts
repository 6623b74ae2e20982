/**
 * Goal: looks at a queue do not pass all that was done while some database transaction is open, and find all that waits (C-32, C-60).
 * Method: PostgreSQL's own count of index entries that were read, beside a transaction that stays open; a clock that is set.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database, Tx } from '../../../src/store/connection/database.ts';
import { OVERLAP_MS, PollSchedule, WHOLE_EVERY_MS } from '../../../src/store/connection/poll-schedule.ts';
import { addJobs, claimJobs, endJobs, type Job } from '../../../src/store/engine/jobs.ts';
import {
  type AttemptedDelivery,
  endAttempts,
  type LeasedDelivery,
  type LeaseSince,
  leaseDeliveries,
} from '../../../src/store/webhooks/deliveries.ts';
import { releaseUnknownDeliveries } from '../../../src/store/webhooks/endpoint-schedule.ts';
import { DeliveryScans } from '../../../src/webhooks/delivery-scans.ts';
import { useDatabase } from '../../support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../../support/events.ts';
import { eventually } from '../../support/receiver.ts';
import { runWebhooks, TestClock } from '../../support/webhooks.ts';

const DONE = 300;
/** Far less than what was done, and more than anything else has entries. */
const FEW = 40;
const HOUR_MS = 3_600_000;

const store = useDatabase();
const nowMs = Date.now();
const longAgoMs = nowMs - HOUR_MS;
let open: pg.Client;

beforeAll(async () => {
  open = new pg.Client({ connectionString: store.url });
  await open.connect();
  await open.query('set idle_in_transaction_session_timeout = 0');
  await open.query('begin');
  await open.query('select pg_current_xact_id()');
});
afterAll(() => open?.end());
afterEach(() => vi.useRealTimers());

/** @returns the entries of indexes of a table that the work reads. */
async function entriesRead(table: string, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  const counted = {
    name: 'test_entries_read',
    text: `select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as n from pg_index where indrelid = $1::regclass`,
  };
  return store.database.withTx(async (tx) => {
    // The server counts on from what this connection did before.
    const count = async () => (await tx.query<{ n: number }>(counted, [table]))[0]?.n ?? 0;
    const before = await count();
    await work(tx);
    return (await count()) - before;
  });
}

describe('looks', () => {
  test('cover new entries; once a second, and while more waits, all of them', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const looks = new PollSchedule<number>((ms, byMs) => ms - byMs);
    expect(looks.begin()).toBeUndefined();
    // It failed, so it found nothing.
    expect(looks.begin()).toBeUndefined();
    looks.end(100_000, false);
    expect(looks.begin()).toBe(100_000 - OVERLAP_MS);
    looks.end(100_001, true);
    expect(looks.begin()).toBeUndefined();
    looks.end(100_002, false);
    expect(looks.begin()).toBe(100_002 - OVERLAP_MS);
    vi.advanceTimersByTime(WHOLE_EVERY_MS);
    expect(looks.begin()).toBeUndefined();
    looks.end(100_003, false);
    expect(looks.begin()).toBe(100_003 - OVERLAP_MS);
  });
});

test('C-32: a claim passes none of the jobs that were done long ago, whatever transaction is open', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  const job = (dueMs: number) => ({ accountId, transactionId: null, kind: 'none', payload: {}, dueMs });
  const old = Array.from({ length: DONE }, () => job(longAgoMs));
  const claim = (tx: Tx, sinceMs?: number) =>
    claimJobs(tx, {
      now: { sandbox: nowMs, live: nowMs },
      limit: DONE,
      worker: null,
      ...(sinceMs !== undefined && { since: { sandbox: sinceMs, live: sinceMs } }),
    });
  await addJobs(store.database, old, null);
  await endJobs(store.database, await claim(store.database), nowMs);
  await addJobs(store.database, [job(nowMs)], null);
  let found: readonly Job[] = [];
  const read = await entriesRead('job', async (tx) => {
    found = await claim(tx, nowMs - OVERLAP_MS);
  });
  expect(found).toHaveLength(1);
  expect(read).toBeLessThan(FEW);
  await endJobs(store.database, found, nowMs);
});

/** An account with an endpoint. */
async function openShop(concurrency = 100): Promise<bigint> {
  const accountId = await addBusiness(store.database, store.owner, { transactions: DONE + 1 });
  await addEndpointRow(store.owner, accountId, { id: 'e', max_concurrency: concurrency });
  return accountId;
}

/** Adds so many deliveries of an event each, due at that time. */
async function addDeliveries(accountId: bigint, count: number, dueMs: number): Promise<void> {
  const { rows } = await store.owner.query(`select event_seq from account_head where account_id = $1`, [
    String(accountId),
  ]);
  const events = Array.from({ length: count }, (_, at) => ({ accountId, transactionId: BigInt(at + 1) }));
  await writeEvents(store.database, events);
  await store.owner.query(
    `with added as (
       insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at)
         select account_id, 'e', seq, transaction_id, $3, $3 from event where account_id = $1 and seq > $2)
     insert into webhook_turn (account_id, endpoint_id, at) values ($1, 'e', $3)
       on conflict (account_id, endpoint_id) do update set at = excluded.at`,
    [String(accountId), rows[0].event_seq, new Date(dueMs)],
  );
}

const lease = (database: Pick<Database, 'withTx'>, atMs: number, since?: LeaseSince, limit = DONE) =>
  leaseDeliveries(database as Database, {
    mode: 'sandbox',
    nowMs: atMs,
    machineMs: atMs,
    worker: 'mine',
    limit,
    ...(since && { since }),
  });
/** @returns the looks of a dispatcher, one with each call, for at most so many deliveries. */
const dispatcherOf = (limit = DONE) => {
  const looks = new DeliveryScans();
  return async () => {
    const found = await lease(store.database, nowMs, looks.begin(), limit);
    looks.end(nowMs, found);
    return found.leased;
  };
};
const seqs = (deliveries: readonly LeasedDelivery[]) => deliveries.map(({ eventSeq }) => eventSeq);
const delivered = (delivery: LeasedDelivery): AttemptedDelivery => ({
  ...delivery,
  isTest: false,
  atMs: nowMs,
  durationMs: 1,
  status: 200,
  error: null,
  answer: null,
  state: 'delivered',
  dueMs: null,
  blockedUntilMs: null,
  isGone: false,
});

test('C-60: a lease passes none of the old deliveries, whatever transaction is open', async () => {
  const accountId = await openShop();
  await addDeliveries(accountId, DONE, longAgoMs);
  for (;;) {
    const { leased } = await lease(store.database, longAgoMs);
    if (leased.length === 0) break;
    await endAttempts(store.database, leased.map(delivered), longAgoMs);
  }
  await addDeliveries(accountId, 1, nowMs);
  const sinceMs = nowMs - OVERLAP_MS;
  let leased: readonly LeasedDelivery[] = [];
  const read = await entriesRead('webhook_delivery', async (tx) => {
    const within = { withTx: ((work) => work(tx)) as Database['withTx'] };
    ({ leased } = await lease(within, nowMs, { endpointsMs: sinceMs, ofEndpoint: () => sinceMs }));
    await releaseUnknownDeliveries(tx, 'mine', leased, { nowMs, machineMs: nowMs });
    await endAttempts(tx, leased.map(delivered), nowMs);
  });
  expect(leased).toMatchObject([{ eventSeq: BigInt(DONE + 1), attempt: 1 }]);
  expect(read).toBeLessThan(FEW);
});

test('C-60: an endpoint that was scanned only for new deliveries has its next turn within a second', async () => {
  const accountId = await openShop();
  await addDeliveries(accountId, 3, longAgoMs);
  await store.owner.query('update webhook_turn set at = $1', [new Date(nowMs)]);
  const sinceMs = nowMs - OVERLAP_MS;
  expect(
    (await lease(store.database, nowMs, { endpointsMs: sinceMs, ofEndpoint: () => sinceMs })).leased,
  ).toEqual([]);
  const { rows } = await store.owner.query(`select at from webhook_turn where account_id = $1`, [
    String(accountId),
  ]);
  expect(rows).toEqual([{ at: new Date(nowMs + WHOLE_EVERY_MS) }]);
  await store.owner.query('update webhook_turn set at = $1', [new Date(nowMs)]);
  expect((await lease(store.database, nowMs)).leased.map(({ isLate }) => isLate)).toEqual([true, true, true]);
});

test('C-60: an endpoint without room at the scan gets the longest waiting delivery next', async () => {
  const accountId = await openShop(1);
  await addDeliveries(accountId, 2, longAgoMs);
  const look = dispatcherOf();
  const first = await look();
  expect(seqs(first)).toEqual([1n]);
  await addDeliveries(accountId, 1, nowMs);
  expect(await look()).toEqual([]);
  await endAttempts(store.database, first.map(delivered), nowMs);
  expect(seqs(await look())).toEqual([2n]);
});

test('C-64: redeliveries to an endpoint without room do not hide the waiting ones', async () => {
  const accountId = await openShop(1);
  await addDeliveries(accountId, 2, longAgoMs);
  const look = dispatcherOf();
  const first = await look();
  await addDeliveries(accountId, 1, nowMs);
  await store.owner.query(
    'update webhook_delivery set at_once = true where account_id = $1 and event_seq = 3',
    [String(accountId)],
  );
  const manual = await look();
  expect(seqs([...first, ...manual])).toEqual([1n, 3n]);
  await endAttempts(store.database, [...first, ...manual].map(delivered), nowMs);
  expect(seqs(await look())).toEqual([2n]);
});

test('C-60: an endpoint for which the dispatcher had no room keeps its turn for the next scan', async () => {
  const accountId = await openShop();
  await addDeliveries(accountId, 3, longAgoMs);
  const look = dispatcherOf(2);
  expect(seqs(await look())).toEqual([1n, 2n]);
  expect(seqs(await look())).toEqual([3n]);
});

test('C-60: a dispatcher that is woken repeatedly scans for new deliveries', async () => {
  const since = new Set<unknown>();
  const noting = <Query extends Database['query']>(query: Query) =>
    ((statement, values) => {
      if (statement.name === 'turn_take') since.add(values[3]);
      return query(statement, values);
    }) as Query;
  const database: Database = {
    ...store.database,
    withTx: (work) => store.database.withTx((tx) => work({ query: noting(tx.query) })),
  };
  const clock = new TestClock();
  const accountId = await addBusiness(store.database, store.owner);
  const worker = runWebhooks(database, clock);
  try {
    await eventually('looks for all, and for what is new', () => {
      clock.notifier.notifyMoved([{ accountId, transactionId: 0n }]);
      return since.has('-infinity') && since.size > 1;
    });
  } finally {
    await worker.stop();
  }
});
