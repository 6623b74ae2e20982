/**
 * Goal: what somebody asks for by hand is sent at once, whatever holds other deliveries back, or is refused with the reason
 * (C-64); a process that was killed does not hold an endpoint up while another lives. Method: real receivers on this
 * machine, a clock that is set ahead only where a test says so, a process that loses its database instead of its life.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/connection/database.ts';
import { addTest, redeliverAll, redeliverOne } from '../../src/store/webhooks/redeliveries.ts';
import type { WebhookWorker } from '../../src/webhooks/worker.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../support/events.ts';
import { eventually, useReceiver } from '../support/receiver.ts';
import { HOUR, runWebhooks, TestClock } from '../support/webhooks.ts';

const test$ = useDatabase();
const inTx: Database['withTx'] = (work) => test$.database.withTx(work);
const receiver = useReceiver();
let clock: TestClock;
let worker: WebhookWorker;
let place = 0;

beforeEach(() => {
  place += 1;
  clock = new TestClock();
  worker = runWebhooks(test$.database, clock);
});
afterEach(async () => {
  await worker.stop();
  await test$.owner.query(`update webhook_endpoint set state = 'paused' where state = 'enabled'`);
});

const path = () => `by-hand-${place}`;
const now = async () => new Date(await clock.nowMs());
const notify = (accountId: bigint) => clock.notifier.notifyMoved([{ accountId, transactionId: 0n }]);

async function openShop(endpoint: Record<string, unknown> = {}): Promise<bigint> {
  const accountId = await addBusiness(test$.database, test$.owner, { transactions: 2 });
  await addEndpointRow(test$.owner, accountId, { id: 'e', url: receiver.url(path()), ...endpoint });
  return accountId;
}

async function happen(accountId: bigint, ...transactionIds: number[]): Promise<void> {
  await writeEvents(
    test$.database,
    transactionIds.map((id) => ({ accountId, transactionId: BigInt(id) })),
  );
  notify(accountId);
}

const deliveriesOf = async (accountId: bigint) =>
  (
    await test$.owner.query<{ id: string; state: string; attempts: number; round: number }>(
      'select id, state, attempts, round from webhook_delivery where account_id = $1 order by event_seq, round',
      [String(accountId)],
    )
  ).rows;

/** An endpoint whose breaker is open for an hour, with one delivery that was made and two that wait. */
async function openBreaker(): Promise<{ accountId: bigint; made: bigint; first: bigint; second: bigint }> {
  const accountId = await openShop();
  await happen(accountId, 1);
  await eventually(
    'the first',
    async () => (await deliveriesOf(accountId))[0]?.state === 'delivered' || undefined,
  );
  await test$.owner.query(
    `update webhook_endpoint set consecutive_failures = 12, failing_since = $2, blocked_until = $3 where account_id = $1`,
    [String(accountId), await now(), new Date((await clock.nowMs()) + HOUR)],
  );
  await happen(accountId, 2, 2);
  const [made, first, second] = await eventually('all three', async () => {
    const rows = await deliveriesOf(accountId);
    return rows.length === 3 ? rows.map(({ id }) => BigInt(id)) : undefined;
  });
  expect(receiver.at(path())).toHaveLength(1);
  return { accountId, made: made as bigint, first: first as bigint, second: second as bigint };
}

test('C-64: a redelivery is sent although the breaker is open; its success closes the breaker', async () => {
  const { accountId, made } = await openBreaker();
  await inTx(async (tx) => redeliverOne(tx, accountId, made, await now()));
  notify(accountId);
  await receiver.until(path(), 2);
  await eventually(
    'all others follow',
    async () => (await deliveriesOf(accountId)).every(({ state }) => state === 'delivered') || undefined,
  );
});

test('C-64: a waiting delivery that is sent manually ignores an open breaker and the order', async () => {
  const { accountId, second } = await openBreaker();
  receiver.answer(path(), { status: 500 });
  await inTx(async (tx) => redeliverOne(tx, accountId, second, await now()));
  notify(accountId);
  const received = await receiver.until(path(), 2);
  expect(received[1]?.headers['webhook-id']).toMatch(/^evt_3_/);
  await eventually('its end', async () => {
    const { rows } = await test$.owner.query(
      'select from webhook_attempt where account_id = $1 and delivery_id = $2',
      [String(accountId), String(second)],
    );
    return rows.length === 1 || undefined;
  });
  // It failed: now it waits like the others.
  notify(accountId);
  const states = (await deliveriesOf(accountId)).map(({ state }) => state);
  expect(states).toEqual(['delivered', 'pending', 'pending']);
});

test('C-64: a test is sent although the breaker is open, and leaves it open', async () => {
  const { accountId } = await openBreaker();
  await inTx(async (tx) => addTest(tx, accountId, 'e', await now()));
  notify(accountId);
  const received = await receiver.until(path(), 2);
  expect(received[1]?.headers['crossramp-test']).toBe('true');
  await eventually(
    'its end',
    async () =>
      (await deliveriesOf(accountId)).some(({ round, state }) => round < 0 && state === 'delivered') ||
      undefined,
  );
  const { rows } = await test$.owner.query(
    'select consecutive_failures, blocked_until from webhook_endpoint where account_id = $1',
    [String(accountId)],
  );
  expect(rows[0].consecutive_failures).toBe(12);
  expect(rows[0].blocked_until.getTime()).toBeGreaterThan((await clock.nowMs()) + HOUR / 2);
});

test('C-64: a bulk redelivery makes an open breaker probe immediately', async () => {
  const { accountId } = await openBreaker();
  const filter = {
    endpointId: 'e',
    states: ['delivered'],
    since: null,
    until: null,
    afterSeq: null,
    eventNames: [],
  };
  expect(await inTx(async (tx) => redeliverAll(tx, accountId, filter, await now(), false))).toMatchObject({
    redelivered: 1,
  });
  notify(accountId);
  await receiver.until(path(), 4);
});

test('C-64: sending to a disabled or removed endpoint is refused with the reason', async () => {
  const accountId = await openShop();
  await happen(accountId, 1);
  await eventually(
    'the first',
    async () => (await deliveriesOf(accountId))[0]?.state === 'delivered' || undefined,
  );
  const [row] = await deliveriesOf(accountId);
  const again = async (change: string) => {
    await test$.owner.query(`update webhook_endpoint set ${change} where account_id = $1`, [
      String(accountId),
    ]);
    return inTx(async (tx) => redeliverOne(tx, accountId, BigInt(row?.id ?? 0), await now()));
  };
  expect(await again(`state = 'disabled'`)).toEqual({ id: null, endpointState: 'disabled' });
  expect(await again(`removed_at = now()`)).toEqual({ id: null, endpointState: 'removed' });
  expect(await deliveriesOf(accountId)).toHaveLength(1);
});

test('C-62: deliveries of a killed process are sent by another one as soon as its heartbeat stops', async () => {
  await worker.stop();
  let isKilled = false;
  const gone = () => Promise.reject(new Error('the process was killed'));
  const mortal: Database = {
    ...test$.database,
    query: (statement, values) => (isKilled ? gone() : test$.database.query(statement, values)),
    withTx: (work) => (isKilled ? gone() : test$.database.withTx(work)),
  };
  const dying = runWebhooks(mortal, clock, { timeoutMs: 300 });
  const accountId = await openShop({ max_concurrency: 1 });
  receiver.answer(path(), 'hang');
  await happen(accountId, 1, 2);
  await receiver.until(path(), 1);
  isKilled = true;
  receiver.answer(path(), { status: 200 });
  // By its lease alone the first would not come.
  await test$.owner.query(
    `update webhook_delivery set leased_until = leased_until + interval '1 hour' where leased_until is not null`,
  );
  worker = runWebhooks(test$.database, clock);
  await receiver.until(path(), 3);
  await dying.stop();
});

test('C-64: several redeliveries at the same time are all sent', async () => {
  const accountId = await openShop();
  await happen(accountId, 1);
  const [made] = await eventually('the first', async () => {
    const rows = await deliveriesOf(accountId);
    return rows[0]?.state === 'delivered' ? rows : undefined;
  });
  const at = await now();
  const id = BigInt((made as { id: string }).id);
  const tests = Array.from({ length: 20 }, () => inTx((tx) => addTest(tx, accountId, 'e', at)));
  expect(new Set(await Promise.all(tests)).size).toBe(20);
  const asked = await Promise.all(
    Array.from({ length: 20 }, () => inTx((tx) => redeliverOne(tx, accountId, id, at))),
  );
  // Who finds that it waits already is given that delivery.
  expect(asked.every((each) => each?.id != null)).toBe(true);
  const rounds = (await deliveriesOf(accountId)).map(({ round }) => round);
  expect(new Set(rounds).size).toBe(rounds.length);
});
