/**
 * What is kept for a time goes when the time is over, and nothing that something else still needs; events of a clock that
 * was set far ahead lie in the partitions of their months.
 */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import {
  prune,
  type Retention,
  rotateMonths,
  startHousekeeping,
} from '../../../src/resolvers/engine/housekeeping.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { beginRetention, PRUNE_BATCH } from '../../../src/store/account/retention.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { settleMonths } from '../../../src/store/events/event-log.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { setAheadMs } from '../../../src/store/rails/sandbox.ts';
import { useDatabase } from '../../support/database.ts';
import { insertTransactions, newTransaction } from '../../support/records.ts';
import { SILENT } from '../../support/webhooks.ts';

const test = useDatabase();
const DEFAULTS = readConfig({}).retention;
const OFF = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null])) as Retention;
const TABLES = {
  idempotencyKeys: 'idempotency_key',
  attempts: 'webhook_attempt',
  deliveries: 'webhook_delivery',
  quotes: 'quote',
  railEvents: 'rail_news',
  depositSlots: 'deposit_slot',
  sandboxOrders: 'sandbox_order',
  requests: 'request_batch',
  sessions: 'person_session',
  links: 'person_link',
  notifications: 'notification',
};
let accountId: bigint;

const daysAgo = (days: number) => `now() - interval '${days} days'`;
const keysOf = async (table: string, column: string) =>
  (await test.owner.query(`select ${column}::text as key from ${table} order by 1`)).rows.map(
    ({ key }) => key,
  );

beforeAll(async () => {
  accountId = await createAccount(test.database, 'Holder', { templates: [] });
  const old = new Date(Date.now() - 400 * 86_400_000).toISOString();
  const fresh = new Date().toISOString();
  await test.database.withTx((tx) =>
    insertTransactions(tx, accountId, [
      newTransaction({ end2end: 'OLD', createdAt: old, updatedAt: old }),
      newTransaction({ end2end: 'BUSY', createdAt: old, updatedAt: old }),
      newTransaction({ end2end: 'FRESH', createdAt: old, updatedAt: fresh }),
    ]),
  );
  await test.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at) select ${accountId}, id, 'expire', now() from transaction where end2end = 'BUSY';
     insert into webhook_endpoint (account_id, id, url, kind, created_at) values (${accountId}, 'e', 'https://shop.invalid/', 'general', now());
     update transaction set process = '{"returns": [{"returnId": "D-DONE", "state": "done"}, {"returnId": "D-SENT", "state": "requested"}]}'
       where end2end = 'OLD'`,
  );
});

beforeEach(async () => {
  await test.owner.query(
    `truncate ${Object.values(TABLES).join(', ')}, notification_mail, notification_hook, suspense_entry, passkey_challenge`,
  );
  const id = (end2end: string) =>
    `(select id from transaction where account_id = ${accountId} and end2end = '${end2end}')`;
  const order = (key: string, transactionId: string, days = 100) =>
    `insert into sandbox_order (account_id, transaction_id, key, kind, request, placed_at)
      values (${accountId}, ${transactionId}, '${key}', 'pix', '{}', ${daysAgo(days)})`;
  const inserts = [
    ...[0, 2].map(
      (days) =>
        `insert into idempotency_key (account_id, route, key, request_hash, answer, status, leased_until, created_at)
         values (${accountId}, 'r', 'done ${days}', '', '{}', 201, ${daysAgo(days)}, ${daysAgo(days)})`,
    ),
    `insert into idempotency_key (account_id, route, key, request_hash, leased_until, created_at)
      values (${accountId}, 'r', 'running', '', now() + interval '15 s', ${daysAgo(2)})`,
    ...[
      [1, 'delivered', 40],
      [2, 'delivered', 100],
      [3, 'dead', 100],
      [4, 'pending', 100],
      [5, 'delivered', 5],
    ].map(
      ([seq, state, days]) =>
        `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, state, due_at, created_at, ended_at)
         values (${accountId}, 'e', ${seq}, 1, '${state}', now(), ${daysAgo(Number(days))}, ${state === 'pending' ? 'null' : daysAgo(Number(days))})`,
    ),
    `insert into webhook_attempt (account_id, delivery_id, attempt, at, duration_ms)
      select account_id, id, 1, created_at, 1 from webhook_delivery`,
    ...[1, 40].map(
      (days) =>
        `insert into quote (account_id, id, template, currency, quote, ref_quote, brl_amount, fees, crypto_amount, network_fee, created_at, expires_at)
         values (${accountId}, 'q${days}', 't', 'c', 1, 1, 1, 1, 1, 1, ${daysAgo(days)}, ${daysAgo(days)})`,
    ),
    ...['OLD', 'BUSY', 'FRESH'].flatMap((end2end) => [
      `insert into rail_news (mode, rail, kind, body, outcome, account_id, key, transaction_id, seen_at)
        values ('sandbox', 'pix', 'payment', '{}', 'step', ${accountId}, '${end2end}', ${id(end2end)}, ${daysAgo(400)})`,
      `insert into deposit_slot (address, currency, amount_minor, account_id, transaction_id, held_until)
       values ('${end2end}', 'c', 1, ${accountId}, ${id(end2end)}, ${daysAgo(100)})`,
      order(`${end2end}:1`, id(end2end)),
      order(`D-${end2end}`, id(end2end)),
    ]),
    order('D-DONE', id('OLD')),
    order('D-SENT', id('OLD')),
    ...['returning', 'returned'].flatMap((state, n) => [
      `with news as (insert into rail_news (mode, rail, kind, body, outcome, account_id, key)
          values ('sandbox', 'pix', 'payment', '{}', 'suspense', ${accountId}, '${state.toUpperCase()}') returning id)
        insert into suspense_entry (id, account_id, news_id, currency, amount_minor, reason, state, journal_id, opened_at, decided_at, return_id)
          overriding system value select ${n + 1_000}, ${accountId}, id, 'BRL', 1, 'unknown', '${state}', 1, now(), now(), 'D-${state.toUpperCase()}' from news`,
      order(`suspense:${n + 1_000}:7`, 'null'),
      order(`D-${state.toUpperCase()}`, 'null'),
    ]),
    `insert into rail_news (mode, rail, kind, body, outcome, account_id, key, transaction_id)
      values ('sandbox', 'pix', 'payment', '{}', 'step', ${accountId}, 'NEW', ${id('OLD')})`,
    `insert into rail_news (mode, rail, kind, body, outcome, key, seen_at, due_at)
      values ('sandbox', 'pix', 'payment', '{}', 'pending', 'PENDING', ${daysAgo(400)}, now())`,
    `insert into rail_news (mode, rail, kind, body, outcome, key, seen_at)
      values ('sandbox', 'pix', 'payout_ended', '{}', 'failed', 'FAILED', ${daysAgo(400)})`,
    `insert into rail_news (mode, rail, kind, body, outcome, key, seen_at, due_at)
      values ('sandbox', 'pix', 'unconfirmed', '{}', 'failed', 'DENIED', ${daysAgo(400)}, null),
        ('sandbox', 'pix', 'unconfirmed', '{}', 'pending', 'UNCONFIRMED', ${daysAgo(400)}, now())`,
    `with news as (insert into rail_news (mode, rail, kind, body, outcome, account_id, key, seen_at)
        values ('sandbox', 'pix', 'payment', '{}', 'suspense', ${accountId}, 'WAITING', ${daysAgo(400)}) returning id)
      insert into suspense_entry (account_id, news_id, currency, amount_minor, reason, journal_id, opened_at)
        select ${accountId}, id, 'BRL', 1, 'unknown', 1, now() from news`,
    `insert into deposit_slot (address, currency, amount_minor, account_id, transaction_id, held_until)
      values ('HELD', 'c', 1, ${accountId}, ${id('OLD')}, now())`,
    order('OLD:2', id('OLD'), 0),
  ];
  const people = [
    `insert into person (id, name, email, created_at) values ('per_1', 'Ana', 'ana@shop.invalid', now()) on conflict do nothing`,
    ...[
      ['ended', 100],
      ['asked', 100],
      ['used', 89],
    ].map(
      ([id, days]) =>
        `insert into person_session (id, person_id, account_id, hash, created_at, seen_at)
          values ('${id}', 'per_1', ${accountId}, sha256('${id}'), ${daysAgo(Number(days))}, ${daysAgo(Number(days))})`,
    ),
    `insert into passkey_challenge (challenge, purpose, session_id, expires_at) values ('c', 'CONFIRM', 'asked', now())`,
    ...[100, 89].map(
      (days) =>
        `insert into person_link (hash, person_id, account_id, kind, created_at, expires_at)
          values (sha256('${days}'), 'per_1', ${accountId}, 'INVITATION', ${daysAgo(days)}, ${daysAgo(days)})`,
    ),
    ...[40, 20].map(
      (days) =>
        `with told as (insert into notification (account_id, kind, subject, at) values (${accountId}, 'key', 'k${days}', ${daysAgo(days)}) returning *)
          insert into notification_mail (account_id, notification_id, person_id, due_at) select account_id, id, 'per_1', at from told`,
    ),
    'delete from receipt_mail',
    ...[
      ['OLD', 40],
      ['FRESH', 20],
    ].map(
      ([end2end, days]) =>
        `insert into receipt_mail (account_id, transaction_id, email, language, at) values (${accountId}, ${id(String(end2end))}, '${end2end}@shop.invalid', 'pt', ${daysAgo(Number(days))})`,
    ),
  ];
  await test.owner.query([...inserts, ...people].join(';'));
});

it('expired records are deleted, and needed ones stay', async () => {
  const { gone, isDone } = await prune(test.database, DEFAULTS);
  expect(isDone).toBe(true);
  expect(gone).toEqual({
    idempotencyKeys: 1,
    attempts: 3,
    deliveries: 2,
    quotes: 1,
    railEvents: 2,
    depositSlots: 2,
    sandboxOrders: 7,
    sessions: 2,
    links: 1,
    notifications: 1,
  });
  expect(await keysOf('notification', 'subject')).toEqual(['k20']);
  expect(await keysOf('notification_mail', 'person_id')).toEqual(['per_1']);
  expect(await keysOf('receipt_mail', `coalesce(email, state)`)).toEqual(['FRESH@shop.invalid', 'failed']);
  expect(await keysOf('person_session', 'id')).toEqual(['used']);
  expect(await keysOf('idempotency_key', 'key')).toEqual(['done 0', 'running']);
  expect(await keysOf('webhook_delivery', 'event_seq')).toEqual(['1', '4', '5']);
  const { rows } = await test.owner.query(
    `select event_seq::text as seq from webhook_attempt join webhook_delivery d on d.id = delivery_id order by 1`,
  );
  expect(rows.map(({ seq }) => seq)).toEqual(['4', '5']);
  expect(await keysOf('quote', 'id')).toEqual(['q1']);
  expect(await keysOf('rail_news', 'key')).toEqual([
    'BUSY',
    'FAILED',
    'FRESH',
    'NEW',
    'PENDING',
    'RETURNED',
    'RETURNING',
    'UNCONFIRMED',
    'WAITING',
  ]);
  expect(await keysOf('deposit_slot', 'address')).toEqual(['FRESH', 'HELD']);
  expect(await keysOf('sandbox_order', 'key')).toEqual([
    'BUSY:1',
    'D-BUSY',
    'D-RETURNING',
    'D-SENT',
    'OLD:2',
    'suspense:1000:7',
  ]);
  expect(await prune(test.database, DEFAULTS)).toEqual({ gone: {}, isDone: true });
});

it('attempts are deleted with their delivery', async () => {
  await prune(test.database, { ...OFF, deliveries: 90 });
  expect(await keysOf('webhook_delivery', 'event_seq')).toEqual(['1', '4', '5']);
  expect(await keysOf('webhook_attempt', 'attempt')).toHaveLength(3);
});

it.each(Object.entries(TABLES))('%s: off keeps all', async (name, table) => {
  const count = async () => (await test.owner.query(`select count(*) from ${table}`)).rows;
  const before = await count();
  await prune(test.database, { ...DEFAULTS, deliveries: null, [name]: null });
  expect(await count()).toEqual(before);
});

it('continues batch by batch, and stops when its time is over', async () => {
  await test.owner.query(
    `insert into idempotency_key (account_id, route, key, request_hash, leased_until, created_at)
      select ${accountId}, 'r', n, '', ${daysAgo(3)}, ${daysAgo(3)} from generate_series(1, ${2 * PRUNE_BATCH}) n`,
  );
  const only = { ...OFF, idempotencyKeys: 1 };
  expect(await prune(test.database, only, { budgetMs: -1 })).toEqual({ gone: {}, isDone: false });
  expect(await prune(test.database, only)).toEqual({
    gone: { idempotencyKeys: 2 * PRUNE_BATCH + 1 },
    isDone: true,
  });
});

it('one process of a database deletes at a time', async () => {
  const other = await test.owner.connect();
  try {
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock(hashtext('public.retention'))`);
    expect(await prune(test.database, DEFAULTS)).toEqual({ gone: {}, isDone: true });
  } finally {
    await other.query('rollback');
    other.release();
  }
});

it('events outside of every month move to partitions of their months, as they are', async () => {
  const other = await createAccount(test.database, 'Ahead', { templates: [] });
  for (const [seq, at] of [
    '2041-03-31T23:59:59.999Z',
    '2041-04-01T00:00:00Z',
    '2043-01-01T00:00:00Z',
  ].entries())
    await test.owner.query(
      `update account_head set event_seq = ${seq + 1} where account_id = ${other};
       insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       values (${other}, ${seq + 1}, 'n', 1, ${seq + 1}, 'a', 'b', '${at}', '{}')`,
    );
  const read = async () =>
    (await test.owner.query(`select * from event where account_id = ${other} order by seq`)).rows;
  const places = async () =>
    (
      await test.owner.query(
        `select tableoid::regclass::text as place from event where account_id = ${other} order by seq`,
      )
    ).rows.map(({ place }) => place);
  const before = await read();
  expect(await places()).toEqual(['event_other', 'event_other', 'event_other']);
  await rotateMonths({ database: test.database }, 90);
  expect(await places()).toEqual(['event_204103', 'event_204104', 'event_204301']);
  expect(await read()).toEqual(before);
  await rotateMonths({ database: test.database }, 90);
  expect(await read()).toEqual(before);
  for (const table of ['event_204103', 'event_other'])
    await expect(test.owner.query(`truncate ${table}`)).rejects.toThrow('append-only');
  await expect(test.owner.query(`delete from event_204103`)).rejects.toThrow('append-only');
});

/** Writes the next event of an account, at a moment. */
const happen = (id: bigint, at: string) =>
  test.owner.query(
    `with head as (update account_head set event_seq = event_seq + 1 where account_id = ${id} returning event_seq)
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       select ${id}, event_seq, 'n', 1, event_seq, 'a', 'b', '${at}', '{}' from head`,
  );
/** Where the account's events lie, in their order. */
const placesOf = async (id: bigint) =>
  (
    await test.owner.query(
      `select tableoid::regclass::text as place from event where account_id = ${id} order by seq`,
    )
  ).rows.map(({ place }) => place);

it('events of a sandbox clock that is years ahead have months of their own, and the years between have none', async () => {
  const id = await createAccount(test.database, 'Future', { templates: [] });
  const years = 40;
  const at = new Date(Date.now() + years * 365 * 86_400_000);
  const months = async () => (await test.owner.query(`select from pg_inherits`)).rowCount as number;
  await rotateMonths({ database: test.database }, null);
  const before = await months();
  await setAheadMs(test.database, at.getTime() - Date.now());
  try {
    await rotateMonths({ database: test.database }, null);
  } finally {
    await setAheadMs(test.database, 0);
  }
  // Each has its index of the same kinds.
  expect((await months()) - before).toBeLessThan(4 * 20);
  for (const days of [0, 61]) await happen(id, new Date(at.getTime() + days * 86_400_000).toISOString());
  for (const place of await placesOf(id)) expect(place).toMatch(/^event_20[67]\d{3}$/);
});

it('events move in parts, are read meanwhile, and new ones of their month move as well', async () => {
  const id = await createAccount(test.database, 'Parts', { templates: [] });
  for (let n = 0; n < 5; n += 1) await happen(id, `2051-02-0${n + 1}Z`);
  const read = async () =>
    (await test.owner.query(`select * from event where account_id = ${id} order by seq`)).rows;
  const before = await read();
  expect(await settleMonths(test.database, 2)).toBe(2);
  expect(await read()).toEqual(before);
  await happen(id, '2051-02-28Z');
  expect(await placesOf(id)).toEqual(Array(6).fill('event_other'));
  expect(await settleMonths(test.database, 2)).toBe(2);
  expect(await settleMonths(test.database, 2)).toBe(2);
  const all = await read();
  expect(all.slice(0, 5)).toEqual(before);
  expect(await settleMonths(test.database, 2)).toBe(1);
  expect(await settleMonths(test.database, 2)).toBe(0);
  expect(await placesOf(id)).toEqual(Array(6).fill('event_205102'));
  expect(await read()).toEqual(all);
  await happen(id, '2051-02-28Z');
  expect((await placesOf(id)).at(-1)).toBe('event_205102');
  for (const action of ['delete from', 'truncate'])
    await expect(test.owner.query(`${action} event_205102`)).rejects.toThrow('append-only');
});

it('a long read of events delays neither other reads nor other deletions', async () => {
  const id = await createAccount(test.database, 'Read', { templates: [] });
  await happen(id, '2061-02-01Z');
  const reader = await test.owner.connect();
  try {
    await reader.query('begin');
    await reader.query('select count(*) from event');
    let isRefused = false;
    const refused = rotateMonths({ database: test.database }, 90).catch(({ message }: Error) => {
      isRefused = true;
      return message;
    });
    // Less than the five seconds that a statement of the gateway waits for a lock.
    while (!isRefused)
      await test.owner.query(`begin; set local lock_timeout = '3s'; select count(*) from event; commit`);
    expect(await refused).toContain('lock timeout');
    const housekeeping = startHousekeeping(test.database, DEFAULTS, SILENT);
    await expect.poll(() => keysOf('quote', 'id'), { timeout: 20_000 }).toEqual(['q1']);
    await housekeeping.stop();
    expect(await placesOf(id)).toEqual(['event_other']);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  await rotateMonths({ database: test.database }, 90);
  expect(await placesOf(id)).toEqual(['event_206102']);
});

it('an account that was idle while all its events expired has no defect, and one whose newest event is missing has', async () => {
  const [idle, short] = [
    await createAccount(test.database, 'Idle', { templates: [] }),
    await createAccount(test.database, 'Short', { templates: [] }),
  ];
  const lastMonth = (n: number) => `date_trunc('month', now(), 'UTC') - interval '${n} months'`;
  for (const [id, months] of [
    [idle, 8],
    [short, 9],
  ] as const)
    await test.owner.query(
      `select event_month(${lastMonth(months)});
       update account_head set event_seq = 3 where account_id = ${id};
       insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
         select ${id}, n, 'n', 1, n, 'a', 'b', ${lastMonth(months)}, '{}' from generate_series(1, 3) n`,
    );
  await test.owner.query(
    `update account_head set event_seq = 4 where account_id = ${short};
     update relay_place set seq = 3 where account_id in (${idle}, ${short})`,
  );
  await rotateMonths({ database: test.database }, 90);
  expect((await test.owner.query(`select from event where account_id in (${idle}, ${short})`)).rowCount).toBe(
    0,
  );
  expect(await verifyLedger(test.database, idle)).toEqual({ checked: 0, defects: [] });
  expect((await verifyLedger(test.database, short)).defects).toMatchObject([
    { defect: 'event gap', at: 4n, detail: 'no event after 3, the account has had 4' },
  ]);
});

it.each([
  ['RETENTION_EVENTS', '6', 'RETENTION_EVENTS: expected off, or days from 7 to 36500, got 6'],
  ['RETENTION_QUOTES', 'never', 'RETENTION_QUOTES: expected off, or days from 1 to 36500, got never'],
])('%s=%s is refused', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(message);
  expect(readConfig({ [name]: 'off' }).retention).toEqual({
    ...DEFAULTS,
    [name === 'RETENTION_EVENTS' ? 'events' : 'quotes']: null,
  });
});

it('records that expire while batches are deleted are left to the next run: all batches of a run have one time', async () => {
  const moments = new Set<string>();
  const seen: Database = {
    ...test.database,
    withTx: (work) =>
      test.database.withTx((tx) =>
        work({
          query: (statement, values) => {
            for (const each of values) if (each instanceof Date) moments.add(each.toISOString());
            return tx.query(statement, values);
          },
        }),
      ),
  };
  const everything = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, 1_000])) as Retention;
  await prune(seen, everything);
  expect(moments.size).toBe(1);
});

const countOf = async (table: string) =>
  (await test.owner.query(`select count(*)::int as count from ${table}`)).rows[0].count;

it('a machine whose clock is wrong deletes nothing, and reports that as an error', async () => {
  const before = await countOf('webhook_delivery');
  const off = { ...test.database, wallAheadMs: () => 130 * 86_400_000 };
  let housekeeping: ReturnType<typeof startHousekeeping> | undefined;
  const said = new Promise<string>((resolve) => {
    const log = { ...SILENT, error: (...words: unknown[]) => resolve(String(words.at(-1))) };
    housekeeping = startHousekeeping(off, DEFAULTS, log as typeof SILENT);
  });
  expect(await said).toBe('nothing is deleted while the clock of this machine is off');
  await housekeeping?.stop();
  expect([before > 0, await countOf('webhook_delivery')]).toEqual([true, before]);
});

it('the time of retention follows the clock by one day a run, so a clock that jumped deletes only records up to a day older', async () => {
  await test.owner.query(`update retention_time set as_of = now() - interval '130 days'`);
  const before = await countOf('webhook_delivery');
  const now = await beginRetention(test.database);
  expect(Math.round((test.database.nowMs() - now.getTime()) / 86_400_000)).toBe(129);
  expect(await prune(test.database, DEFAULTS, { now })).toEqual({ gone: {}, isDone: true });
  expect(await countOf('webhook_delivery')).toBe(before);
  await test.owner.query(`update retention_time set as_of = now() - interval '1 hour'`);
  const next = await beginRetention(test.database);
  expect(test.database.nowMs() - next.getTime()).toBeLessThan(3_600_000 / 2);
});
