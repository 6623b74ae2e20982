/**
 * Goal: a restored database is noticed by its server, once, with the time of its newest sign of life, and no order passes a decision
 * that is made meanwhile. Method: the stored timeline is changed to the one that a backup would have; decisions have a connection of
 * their own.
 */
import { beforeEach, expect, inject, test, vi } from 'vitest';
import { known } from '../../../src/base/errors/assert.ts';
import { sentBeforeRestore } from '../../../src/resolvers/rails/restored-rails.ts';
import {
  beginRestore,
  checkRestoredRail,
  noticeRestore,
  noticesRestores,
  readRestoredRail,
  storeAlive,
  storeRescan,
  storeRestoredRail,
} from '../../../src/store/rails/restores.ts';
import {
  addUnknownPayments,
  decideUnknownPayment,
  listUnknownPayments,
  lockUnknownPayment,
} from '../../../src/store/rails/unknown-payments.ts';
import { useDatabase } from '../../support/database.ts';
import { databaseUrl, withAdmin } from '../../support/global-setup.ts';
import { elsewhere } from '../../support/one-connection.ts';

const store = useDatabase();
const PIX = { mode: 'live', rail: 'pix' } as const;
const ALIVE_MS = Date.parse('2026-11-29T12:00:00Z');
const points = async () =>
  (await store.owner.query('select timeline, since from restore_point order by id')).rows;
const backUp = () =>
  store.owner.query(`update restore_point set timeline = timeline - 1, alive_at = '2026-11-29T12:00:00Z'`);

beforeEach(async () => {
  await store.owner.query('truncate restore_point, restored_rail, unknown_payment cascade');
  await noticeRestore(store.database);
});

test('the first start stores the timeline, and stops nothing', async () => {
  await noticeRestore(store.database);
  expect(await points()).toEqual([{ timeline: expect.any(Number), since: null }]);
  expect(await checkRestoredRail(store.database, PIX)).toBeUndefined();
});

test('a higher timeline of the same server is a restore, which several processes notice once', async () => {
  await backUp();
  await storeAlive(store.database);
  await Promise.all([1, 2, 3].map(() => noticeRestore(store.database)));
  expect(await points()).toHaveLength(2);
  const restored = await readRestoredRail(store.database, PIX);
  expect(restored).toMatchObject({ clearedAt: null, sinceMs: ALIVE_MS - 600_000 });
});

test('another server is a restore, and a sign of life is stored under its own server alone', async () => {
  await backUp();
  await store.owner.query(`update restore_point set system = '1'`);
  await storeAlive(store.database);
  const { rows } = await store.owner.query('select alive_at from restore_point');
  expect(rows).toEqual([{ alive_at: new Date(ALIVE_MS) }]);
  expect(await checkRestoredRail(store.database, PIX)).toMatchObject({ sinceMs: ALIVE_MS - 600_000 });
  expect(await checkRestoredRail(store.database, PIX)).toMatchObject({ clearedAt: null });
  expect(await points()).toHaveLength(2);
});

test('a restore stops rails that an earlier one stopped, and that were cleared since', async () => {
  await beginRestore(store.database, new Date(ALIVE_MS));
  const first = await readRestoredRail(store.database, PIX);
  expect(first).toMatchObject({ sinceMs: ALIVE_MS, clearedAt: null });
  if (first) await storeRestoredRail(store.database, first, PIX, { clearedAtMs: Date.now() });
  expect((await readRestoredRail(store.database, PIX))?.clearedAt).not.toBeNull();
  await beginRestore(store.database, new Date(ALIVE_MS + 1_000));
  expect(await readRestoredRail(store.database, PIX)).toMatchObject({
    sinceMs: ALIVE_MS + 1_000,
    clearedAt: null,
  });
});

test('a rail is scanned from the earliest restore after which it was not cleared', async () => {
  await beginRestore(store.database, new Date(ALIVE_MS));
  await beginRestore(store.database, new Date(ALIVE_MS + 60_000));
  const both = known(await readRestoredRail(store.database, PIX), 'a restore');
  expect(both.sinceMs).toBe(ALIVE_MS);
  await storeRestoredRail(store.database, both, PIX, { clearedAtMs: Date.now() });
  expect((await readRestoredRail(store.database, PIX))?.sinceMs).toBe(ALIVE_MS);
  await beginRestore(store.database, new Date(ALIVE_MS + 120_000));
  expect((await readRestoredRail(store.database, PIX))?.sinceMs).toBe(ALIVE_MS + 120_000);
  expect((await readRestoredRail(store.database, { mode: 'live', rail: 'ETH' }))?.sinceMs).toBe(ALIVE_MS);
});

test('a scan that ends late neither stops a released rail, nor clears one after a request for a rescan', async () => {
  await beginRestore(store.database, new Date(ALIVE_MS));
  const read = known(await readRestoredRail(store.database, PIX), 'a restore');
  const released = { clearedAtMs: Date.now(), by: 'ana', reason: 'compared' };
  expect(await storeRestoredRail(store.database, read, PIX, released)).toBe(true);
  const failed = { clearedAtMs: null, trouble: 'no answer' };
  expect(await storeRestoredRail(store.database, read, PIX, failed)).toBe(false);
  expect(await readRestoredRail(store.database, PIX)).toMatchObject({ clearedBy: 'ana', reason: 'compared' });
  await storeRescan(store.database, read, PIX, 'another transaction');
  expect(await storeRestoredRail(store.database, read, PIX, { clearedAtMs: Date.now() })).toBe(false);
  const again = known(await readRestoredRail(store.database, PIX), 'a restore');
  expect(again).toMatchObject({ clearedAt: null, trouble: 'another transaction' });
  expect(await storeRestoredRail(store.database, again, PIX, { clearedAtMs: Date.now() })).toBe(true);
});

/** Attempts an order while a decision about the first payment to its destination is in progress. */
async function attemptDuring(orderKey: string | null, names: readonly string[]) {
  await beginRestore(store.database, new Date(ALIVE_MS));
  const read = known(await readRestoredRail(store.database, PIX), 'a restore');
  await storeRestoredRail(store.database, read, PIX, { clearedAtMs: Date.now() });
  const payment = { kind: 'payout', currency: 'BRL', amountMinor: 1_250n, sentAtMs: ALIVE_MS } as const;
  const found = names.map((name) => ({ ...payment, name, destination: 'ana@example.com' }));
  await addUnknownPayments(store.database, PIX, found);
  const [first] = await listUnknownPayments(store.database, 'live', { isOpen: true, limit: 1 });
  const restored = known(await readRestoredRail(store.database, PIX), 'a restore');
  const order = { key: 'CRX1:9', kind: 'payout', destination: 'ana@example.com', name: 'own' } as const;
  let attempt: Promise<string | undefined> | undefined;
  await store.database.withTx(async (tx) => {
    const locked = known(await lockUnknownPayment(tx, 'live', known(first, 'a payment').id), 'a payment');
    const reason = orderKey === null ? 'booked' : null;
    await decideUnknownPayment(tx, locked, { orderKey, by: 'ana', reason, atMs: Date.now() });
    attempt = elsewhere(() => sentBeforeRestore(store.database, PIX, restored, order));
    attempt.catch(() => {});
    await vi.waitFor(
      async () => {
        const waiting = `select from pg_locks l join pg_stat_activity a using (pid)
        where a.datname = current_database() and not l.granted`;
        expect((await store.owner.query(waiting)).rows).not.toHaveLength(0);
      },
      { timeout: 20_000 },
    );
  });
  return attempt;
}

test('an order that is matched while it is attempted is not sent', async () => {
  expect(await attemptDuring('CRX1:9', ['one'])).toBe('one');
});

test('an order is held by the next payment when the first one is dismissed while it is attempted', async () => {
  await expect(attemptDuring(null, ['one', 'two'])).rejects.toThrow('a person decides');
  const [two] = await listUnknownPayments(store.database, 'live', { isOpen: true, limit: 10 });
  expect(two).toMatchObject({ name: 'two', heldOrders: ['CRX1:9'], heldCount: 1 });
});

test('a server that does not disclose its timeline is named, and its rails are stopped by a person alone', async () => {
  const name = new URL(store.url).pathname.slice(1);
  const permit = (act: string) =>
    withAdmin(databaseUrl(inject('adminUrl'), name), async (client) => {
      await client.query(`${act} public`);
    });
  await permit('revoke execute on function pg_control_system() from');
  await backUp();
  expect(await noticesRestores(store.database)).toBe(false);
  expect(await checkRestoredRail(store.database, PIX)).toBeUndefined();
  await beginRestore(store.database, new Date(ALIVE_MS));
  expect(await checkRestoredRail(store.database, PIX)).toMatchObject({ sinceMs: ALIVE_MS });
  await permit('grant execute on function pg_control_system() to');
  expect(await noticesRestores(store.database)).toBe(true);
});
