/**
 * Goal: who leases, ends and gives back deliveries loses none of them and counts each try once (C-62, C-64). Method: the
 * statements of the dispatcher, one by one, in the order that makes them meet; nothing runs beside them.
 */
import { afterEach, expect, test } from 'vitest';
import type { AccountMode } from '../../../src/base/access/account-mode.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { endAttempts, type LeasedDelivery, leaseDeliveries } from '../../../src/store/webhooks/deliveries.ts';
import {
  claimEndpoints,
  findMissedEndpoints,
  releaseUnknownDeliveries,
  releaseUnsentDeliveries,
  sendHeartbeat,
} from '../../../src/store/webhooks/endpoint-schedule.ts';
import { addTest, redeliverOne } from '../../../src/store/webhooks/redeliveries.ts';
import { removeEndpoint } from '../../../src/store/webhooks/webhooks.ts';
import { useDatabase } from '../../support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../../support/events.ts';
import { DAY, HOUR } from '../../support/webhooks.ts';

const test$ = useDatabase();
const nowMs = Date.now();

afterEach(() => test$.owner.query(`update webhook_endpoint set state = 'paused'; delete from webhook_turn`));

/** An account whose endpoints have so many deliveries each, due since an hour. */
async function openShop(endpoints: readonly string[], deliveries: number, mode: AccountMode = 'sandbox') {
  const accountId = await addBusiness(test$.database, test$.owner, { mode });
  for (const id of endpoints) await addEndpointRow(test$.owner, accountId, { id });
  await writeEvents(
    test$.database,
    Array.from({ length: deliveries }, () => ({ accountId })),
  );
  await test$.owner.query(
    `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, state, due_at, created_at)
       select e.account_id, p.id, e.seq, e.transaction_id, 'pending', $2, $2 from event e join webhook_endpoint p using (account_id) where account_id = $1`,
    [String(accountId), new Date(nowMs - HOUR)],
  );
  await test$.owner.query(
    `insert into webhook_turn (account_id, endpoint_id, at) select account_id, id, '-infinity' from webhook_endpoint where account_id = $1`,
    [String(accountId)],
  );
  return accountId;
}

const lease = (worker: string, mode: AccountMode = 'sandbox', atMs = nowMs) =>
  leaseDeliveries(test$.database, { mode, nowMs: atMs, machineMs: atMs, worker, limit: 100 });
const failed = (delivery: LeasedDelivery) => ({
  ...delivery,
  isTest: false,
  atMs: nowMs,
  durationMs: 1,
  status: 500,
  error: null,
  answer: null,
  state: 'pending' as const,
  dueMs: nowMs + HOUR,
  blockedUntilMs: nowMs + HOUR,
  isGone: false,
});
const healthOf = async (accountId: bigint) =>
  (
    await test$.owner.query(
      `select consecutive_failures as failures, failing_since as since, blocked_until as blocked from webhook_endpoint where account_id = $1`,
      [String(accountId)],
    )
  ).rows;

test('C-64: manual redeliveries to several blocked endpoints are all sent, however many', async () => {
  const accountId = await openShop(['a', 'b'], 50);
  await test$.owner.query(`update webhook_delivery set at_once = true where account_id = $1`, [
    String(accountId),
  ]);
  await test$.owner.query(
    `update webhook_endpoint set consecutive_failures = 10, blocked_until = $2 where account_id = $1`,
    [String(accountId), new Date(nowMs + HOUR)],
  );
  const leased: LeasedDelivery[] = [];
  for (let isMore = true; isMore; ) {
    const turn = await lease('p');
    leased.push(...turn.leased);
    isMore = turn.isMore;
  }
  expect(new Set(leased.map(({ endpointId, eventSeq }) => `${endpointId}/${eventSeq}`)).size).toBe(100);
  // Nothing by hand is left: now their turn comes when they are not blocked any more.
  const { rows } = await test$.owner.query(`select at from webhook_turn where account_id = $1`, [
    String(accountId),
  ]);
  for (const { at } of rows) expect(at).toEqual(new Date(nowMs + HOUR));
});

test('C-62: a failure whose outcome is written again, because the answer was lost, counts once', async () => {
  const accountId = await openShop(['e'], 1);
  const [first] = (await lease('p')).leased;
  if (!first) throw new Error('nothing was leased');
  await endAttempts(test$.database, [failed(first)], nowMs);
  const after = await healthOf(accountId);
  expect(after).toMatchObject([{ failures: 1, since: new Date(nowMs), blocked: new Date(nowMs + HOUR) }]);
  await endAttempts(test$.database, [failed(first)], nowMs + 1_000);
  expect(await healthOf(accountId)).toEqual(after);
});

test('C-62: both at the same time count once', async () => {
  const accountId = await openShop(['e'], 1);
  const [first] = (await lease('p')).leased;
  if (!first) throw new Error('nothing was leased');
  await Promise.all([1, 2, 3].map(() => endAttempts(test$.database, [failed(first)], nowMs)));
  expect(await healthOf(accountId)).toMatchObject([{ failures: 1 }]);
});

test('C-62: an attempt whose lease was taken over does not count for the endpoint', async () => {
  const accountId = await openShop(['e'], 1);
  const [lost] = (await lease('gone')).leased;
  await test$.owner.query(
    `update webhook_delivery set leased_until = null; update webhook_turn set at = '-infinity'`,
  );
  const [taken] = (await lease('p')).leased;
  if (!lost || !taken) throw new Error('nothing was leased');
  await endAttempts(test$.database, [{ ...failed(lost), isGone: true }], nowMs);
  expect(await healthOf(accountId)).toEqual([{ failures: 0, since: null, blocked: null }]);
  await endAttempts(test$.database, [failed(taken)], nowMs);
  await endAttempts(test$.database, [{ ...failed(lost), state: 'delivered', dueMs: null }], nowMs);
  expect(await healthOf(accountId)).toMatchObject([{ failures: 1 }]);
});

test('C-62: deliveries of live accounts of a dead process are free immediately, by either clock', async () => {
  const accountId = await openShop(['e'], 1, 'live');
  await sendHeartbeat(test$.database, 'gone', nowMs);
  expect((await lease('gone', 'live')).leased).toHaveLength(1);
  // The process that buries it serves the sandbox, whose clock is a month ahead.
  await sendHeartbeat(test$.database, 'sandbox', nowMs + 10_000);
  const { leased } = await lease('live', 'live', nowMs + 10_000);
  expect(leased).toMatchObject([{ accountId, attempt: 2 }]);
});

test('a removed endpoint has no turn, even if a delivery was under way or is added meanwhile', async () => {
  const accountId = await openShop(['e'], 2);
  const turns = () =>
    test$.owner.query(`select from webhook_turn where account_id = $1`, [String(accountId)]);
  const [first] = (await lease('p')).leased;
  if (!first) throw new Error('nothing was leased');
  await removeEndpoint(test$.database, accountId, 'e', new Date(nowMs));
  expect((await turns()).rowCount).toBe(0);
  await endAttempts(test$.database, [{ ...failed(first), state: 'delivered', dueMs: null }], nowMs);
  await lease('p', 'sandbox', nowMs + DAY);
  expect((await turns()).rowCount).toBe(0);
  expect(
    await test$.database.withTx((tx) =>
      claimEndpoints(tx, { mode: 'sandbox', nowMs: nowMs + DAY }, { since: '-infinity', limit: 10 }),
    ),
  ).toEqual([]);
});

/** Deliveries of an endpoint, of which one process is sent twenty at once and leases as many ahead. */
async function openBusyShop(deliveries: number): Promise<bigint> {
  const accountId = await openShop(['e'], deliveries);
  await test$.owner.query(
    `update webhook_endpoint set order_mode = 'parallel', max_concurrency = 20 where account_id = $1`,
    [String(accountId)],
  );
  return accountId;
}
const turnAt = () => test$.owner.query(`update webhook_turn set at = $1`, [new Date(nowMs)]);
async function leaseAhead(
  worker: string,
  ahead: number,
  { limit = 500, database = test$.database }: { limit?: number; database?: Pick<Database, 'withTx'> } = {},
) {
  const times = { mode: 'sandbox' as const, nowMs, machineMs: nowMs };
  const options = { ...times, worker, limit, ahead: () => ahead };
  const { leased } = await leaseDeliveries(database as Database, options);
  return leased;
}
const mostOf = (leased: readonly LeasedDelivery[]) => [
  leased.length,
  ...new Set(leased.map(({ most }) => most)),
];

test('C-62: an endpoint that answers well is leased ahead, to one process, which sends no more in parallel', async () => {
  await openBusyShop(200);
  expect(mostOf(await leaseAhead('p', 60))).toEqual([60, 20]);
  await turnAt();
  expect(await leaseAhead('a', 60), 'another process waits').toEqual([]);
  await turnAt();
  expect(mostOf(await leaseAhead('p', 80))).toEqual([20, 20]);
  await turnAt();
  expect(await leaseAhead('p', 0), 'nothing more once it is slow').toEqual([]);
});

test('C-62: of two processes that send to an endpoint, one leases ahead, and together they stay within the limit', async () => {
  await openBusyShop(200);
  expect(mostOf(await leaseAhead('m', 0, { limit: 8 }))).toEqual([8, 20]);
  await turnAt();
  expect(mostOf(await leaseAhead('z', 60)), 'the later one').toEqual([12, 12]);
  await test$.owner.query(`update webhook_delivery set leased_until = null where leased_by = 'z'`);
  await turnAt();
  expect(mostOf(await leaseAhead('a', 60)), 'the first one').toEqual([60, 12]);
  await turnAt();
  expect(await leaseAhead('m', 60)).toEqual([]);
});

test('C-62: a failing one, and one of many due ones, are not leased ahead', async () => {
  const accountId = await openBusyShop(200);
  await test$.owner.query(`update webhook_endpoint set consecutive_failures = 1 where account_id = $1`, [
    String(accountId),
  ]);
  expect(await leaseAhead('p', 60)).toHaveLength(20);
  const many = await openShop(['a', 'b', 'c', 'd'], 60);
  await test$.owner.query(
    `update webhook_endpoint set order_mode = 'parallel', max_concurrency = 20 where account_id = $1`,
    [String(many)],
  );
  const leased = await leaseAhead('p', 60, { limit: 200 });
  const ofEach = Map.groupBy(leased, ({ endpointId }) => endpointId);
  expect([...ofEach.values()].map(({ length }) => length)).toEqual([25, 25, 25, 25]);
});

test('C-62, C-64: leased and unsent deliveries are free immediately, and count as never attempted', async () => {
  const accountId = await openBusyShop(3);
  const [first, second, third] = await leaseAhead('p', 3);
  if (!first || !second || !third) throw new Error('three were leased');
  await endAttempts(test$.database, [{ ...failed(third), state: 'delivered', dueMs: null }], nowMs);
  const other = { ...second, leasedUntil: new Date(nowMs).toISOString() };
  await releaseUnsentDeliveries(test$.database, 'p', [first, other, third], nowMs);
  const { rows } = await test$.owner.query(
    `select id::text, state, attempts, leased_by as by from webhook_delivery where account_id = $1 order by id`,
    [String(accountId)],
  );
  const byId = Map.groupBy(rows, ({ id }) => id);
  expect(byId.get(String(first.id))).toMatchObject([{ state: 'pending', attempts: 0, by: null }]);
  expect(byId.get(String(second.id)), 'another lease').toMatchObject([{ attempts: 1, by: 'p' }]);
  expect(byId.get(String(third.id))).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  expect(await leaseAhead('q', 0)).toMatchObject([{ id: first.id, attempt: 1 }]);
});

test('C-62: a release that is repeated, because its answer was lost, takes nothing from the next lease', async () => {
  const accountId = await openShop(['e'], 1);
  const [first] = (await lease('p')).leased;
  if (!first) throw new Error('nothing was leased');
  await releaseUnsentDeliveries(test$.database, 'p', [first], nowMs);
  expect((await lease('p', 'sandbox', nowMs + 1)).leased).toMatchObject([{ id: first.id, attempt: 1 }]);
  await releaseUnsentDeliveries(test$.database, 'p', [first], nowMs + 1);
  const { rows } = await test$.owner.query(
    `select attempts, leased_by as by from webhook_delivery where account_id = $1`,
    [String(accountId)],
  );
  expect(rows).toEqual([{ attempts: 1, by: 'p' }]);
});

test('C-62: deliveries are leased in the order in which they became due', async () => {
  const accountId = await openBusyShop(20);
  await test$.owner.query(
    `update webhook_delivery set due_at = due_at - event_seq % 7 * interval '1 minute' - event_seq % 2 * interval '1 second' where account_id = $1`,
    [String(accountId)],
  );
  const { rows } = await test$.owner.query(
    `select event_seq::int as seq from webhook_delivery where account_id = $1 order by due_at, id`,
    [String(accountId)],
  );
  const leased = await test$.database.withTx(async (tx) => {
    // PostgreSQL may join by hashes, where much is due.
    for (const setting of ['enable_nestloop = off', 'plan_cache_mode = force_custom_plan'])
      await tx.query({ name: `test ${setting}`, text: `set local ${setting}` }, []);
    return leaseAhead('p', 20, { limit: 500, database: { withTx: (work) => work(tx) } });
  });
  expect(leased.map(({ eventSeq }) => Number(eventSeq))).toEqual(rows.map(({ seq }) => seq));
});

const block = (accountId: bigint) =>
  test$.owner.query(
    `update webhook_endpoint set consecutive_failures = 10, blocked_until = $2 where account_id = $1`,
    [String(accountId), new Date(nowMs + HOUR)],
  );

test('C-64: a redelivery requested after a lease read its clock is not put off until the breaker closes', async () => {
  const accountId = await openShop(['e'], 1);
  await block(accountId);
  await test$.database.withTx((tx) => addTest(tx, accountId, 'e', new Date(nowMs + 1)));
  const leased = [...(await lease('p')).leased, ...(await lease('p', 'sandbox', nowMs + 1)).leased];
  expect(leased).toMatchObject([{ isByHand: true }]);
});

test('C-64: a missed turn is found for manual redeliveries, though the breaker is open', async () => {
  const accountId = await openShop(['e'], 1);
  await block(accountId);
  await test$.owner.query(`update webhook_delivery set at_once = true where account_id = $1`, [
    String(accountId),
  ]);
  await test$.owner.query(`update webhook_turn set at = $1`, [new Date(nowMs + HOUR)]);
  const times = { mode: 'sandbox' as const, nowMs, machineMs: nowMs };
  for (let looked = await findMissedEndpoints(test$.database, times, undefined); looked; )
    looked = await findMissedEndpoints(test$.database, times, looked);
  expect((await lease('p')).leased).toMatchObject([{ isByHand: true }]);
});

test('C-64: a redelivery stays one after its lease was released', async () => {
  const accountId = await openShop(['e'], 1);
  await block(accountId);
  await test$.owner.query(`update webhook_delivery set at_once = true where account_id = $1`, [
    String(accountId),
  ]);
  expect((await lease('p')).leased).toHaveLength(1);
  await releaseUnknownDeliveries(test$.database, 'p', [], { nowMs, machineMs: nowMs });
  const [again] = (await lease('p')).leased;
  expect(again).toMatchObject({ isByHand: true });
  await endAttempts(test$.database, [failed(again as LeasedDelivery)], nowMs);
  const { rows } = await test$.owner.query(`select at_once from webhook_delivery where account_id = $1`, [
    String(accountId),
  ]);
  expect(rows, 'one wish is one attempt').toEqual([{ at_once: false }]);
});

test('C-64: one that is requested while it is leased ahead, and not sent, is sent as a manual one', async () => {
  const accountId = await openBusyShop(1);
  const [first] = await leaseAhead('p', 60);
  if (!first) throw new Error('nothing was leased');
  await test$.database.withTx((tx) => redeliverOne(tx, accountId, first.id, new Date(nowMs)));
  await releaseUnsentDeliveries(test$.database, 'p', [first], nowMs);
  await block(accountId);
  expect(await leaseAhead('p', 0)).toMatchObject([{ id: first.id, isByHand: true }]);
});

test('C-62: an endpoint with a rate is not leased ahead: waiting deliveries would be sent together with the next lot', async () => {
  const accountId = await openBusyShop(200);
  await test$.owner.query(`update webhook_endpoint set max_per_second = 50 where account_id = $1`, [
    String(accountId),
  ]);
  expect(await leaseAhead('p', 50)).toHaveLength(20);
});
