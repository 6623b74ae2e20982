/**
 * Goal: what is due is sent in order, signed, as often as contract section 8 says, and never twice at once. Method: events
 * written as the engine writes them, real receivers on this machine, a clock that is set ahead.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rotateMonths } from '../../src/resolvers/engine/housekeeping.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { endAttempts, leaseDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { createDispatcher } from '../../src/webhooks/dispatcher.ts';
import { JITTER } from '../../src/webhooks/schedule.ts';
import type { WebhookWorker } from '../../src/webhooks/worker.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, SECRET, writeEvents } from '../support/events.ts';
import { loseAnswer } from '../support/lost-answers.ts';
import { type Behaviour, eventually, type Received, useReceiver } from '../support/receiver.ts';
import { TEST_SECRETS } from '../support/secrets.ts';
import {
  DAY,
  expectSigned,
  HOUR,
  MINUTE,
  runWebhooks,
  SECOND,
  SILENT,
  TestClock,
} from '../support/webhooks.ts';

const test$ = useDatabase();
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
  // What is left of one test must not be sent in the next.
  await test$.owner.query(`update webhook_endpoint set state = 'paused' where state = 'enabled'`);
});

const UNENDED = 'the outcome of a webhook could not be stored';

interface Shop {
  readonly accountId: bigint;
  readonly name: string;
}

/** An account whose events go to a path of the receiver. */
async function openShop(endpoint: Record<string, unknown> = {}, transactions = 1): Promise<Shop> {
  const name = `hook-${place}-${Math.random().toString(36).slice(2, 8)}`;
  const accountId = await addBusiness(test$.database, test$.owner, { transactions });
  await addEndpointRow(test$.owner, accountId, { id: 'e', url: receiver.url(name), ...endpoint });
  return { accountId, name };
}

async function happen({ accountId }: Shop, ...transactionIds: number[]): Promise<void> {
  await writeEvents(
    test$.database,
    transactionIds.map((id) => ({ accountId, transactionId: BigInt(id) })),
  );
  clock.notifier.notifyMoved([{ accountId, transactionId: 0n }]);
}

interface DeliveryRow {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  readonly attempts: number;
  /** From the end of the newest attempt, whenever one looks. */
  readonly dueAfterMs: number;
  readonly dueMs: number;
}
const deliveriesOf = async ({ accountId }: Shop): Promise<DeliveryRow[]> =>
  (
    await test$.owner.query(
      `select d.id, event_seq::int as seq, state, attempts, (extract(epoch from due_at) * 1000)::float8 as "dueMs",
          (extract(epoch from due_at - a.at) * 1000 - a.duration_ms)::float8 as "dueAfterMs"
         from webhook_delivery d left join webhook_attempt a
           on a.account_id = d.account_id and a.delivery_id = d.id and a.attempt = d.attempts
        where d.account_id = $1 order by event_seq, round`,
      [String(accountId)],
    )
  ).rows;
const endpointOf = async ({ accountId }: Shop) =>
  (await test$.owner.query(`select * from webhook_endpoint where account_id = $1`, [String(accountId)]))
    .rows[0];
const attemptsOf = async ({ accountId }: Shop) =>
  (
    await test$.owner.query(
      `select attempt, at, status, error, answer, duration_ms from webhook_attempt where account_id = $1 order by delivery_id, attempt`,
      [String(accountId)],
    )
  ).rows;
const payloadOf = async ({ accountId }: Shop, seq: number): Promise<string> =>
  (
    await test$.owner.query(
      `select event_body(form, payload) as payload from event where account_id = $1 and seq = $2`,
      [String(accountId), seq],
    )
  ).rows[0]?.payload;
/** Within the tenth by which the schedule spreads retries, and the millisecond to which instants are rounded. */
function expectAbout(ms: number, waitMs: number): void {
  expect(Math.abs(ms - waitMs)).toBeLessThanOrEqual(waitMs * JITTER + 1);
}
const untilStates = (shop: Shop, ...states: string[]) =>
  eventually(`deliveries ${states}`, async () => {
    const rows = await deliveriesOf(shop);
    return `${rows.map(({ state }) => state)}` === `${states}` ? rows : undefined;
  });
const untilAttempts = (shop: Shop, count: number) =>
  eventually(`${count} attempts`, async () => {
    const rows = await attemptsOf(shop);
    return rows.length >= count ? rows : undefined;
  });
const seqOf = ({ headers }: Received) => Number(headers['webhook-id']?.split('_')[1]);

test('C-60: a secret that cannot be decrypted does not count as a failure of the receiver', async () => {
  const warn = vi.spyOn(SILENT, 'warn');
  const shop = await openShop({ signing_key: 's1.000000000000.AAAA' });
  await happen(shop, 1);
  await eventually('the warning', async () => warn.mock.calls.find(([, text]) => text === UNENDED));
  expect(await endpointOf(shop)).toMatchObject({
    state: 'enabled',
    consecutive_failures: 0,
    failing_since: null,
  });
  expect(await attemptsOf(shop)).toEqual([]);
  expect(receiver.at(shop.name)).toEqual([]);
});

describe('a delivery', () => {
  test('is the stored body byte for byte, signed, with its name, position and attempt', async () => {
    const shop = await openShop();
    await happen(shop, 1);
    const [received] = await receiver.until(shop.name, 1);
    expect(received?.body).toBe(await payloadOf(shop, 1));
    expectSigned(received as Received);
    expect(received?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'webhook-id': expect.stringMatching(/^evt_1_[0-9a-f]{16}$/),
      'crossramp-event': 'onramp.payment.paid',
      'crossramp-sequence': '1',
      'crossramp-attempt': '1',
    });
    expect(received?.headers['crossramp-test']).toBeUndefined();
    await untilStates(shop, 'delivered');
    expect(await attemptsOf(shop)).toMatchObject([
      { attempt: 1, status: 200, error: null, answer: 'answer 200' },
    ]);
  });

  test('is signed with all valid secrets, and with a key if the endpoint has one', async () => {
    const { newSigningKey } = await import('../../src/base/access/webhook-keys.ts');
    const shop = await openShop({ signing_key: newSigningKey().secret });
    const old = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const over = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    await test$.owner.query(
      `insert into webhook_secret (account_id, endpoint_id, secret, created_at, valid_until)
         values ($1, 'e', $2, now(), now() + interval '1 hour'), ($1, 'e', $3, now(), now() - interval '1 hour')`,
      [String(shop.accountId), old, over],
    );
    await happen(shop, 1);
    const [received] = (await receiver.until(shop.name, 1)) as [Received];
    expectSigned(received, SECRET);
    expectSigned(received, old);
    expect(() => expectSigned(received, over)).toThrow();
    expect(received.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/);
  });
});

/**
 * Waits until the dispatcher has looked at all that is due, and sent it: two events that begin now are received one after the
 * other. So what was due before has been sent, and what has not been sent was not due.
 */
async function untilLooked(): Promise<void> {
  const marker = await openShop();
  for (const count of [1, 2]) {
    await happen(marker, 1);
    await receiver.until(marker.name, count);
    await untilAttempts(marker, count);
  }
}

describe('order', () => {
  test('is kept within each transaction, while other transactions continue', async () => {
    const shop = await openShop({}, 5);
    receiver.answer(shop.name, () => ({ status: 200, delayMs: Math.random() * 20 }));
    for (let n = 0; n < 6; n += 1) await happen(shop, 1, 2, 3, 4, 5);
    const received = await receiver.until(shop.name, 30);
    const seqs = (transaction: number) => received.map(seqOf).filter((seq) => (seq - 1) % 5 === transaction);
    for (const transaction of [0, 1, 2, 3, 4]) {
      expect(seqs(transaction)).toEqual(seqs(transaction).toSorted((a, b) => a - b));
      expect(seqs(transaction)).toHaveLength(6);
    }
    expect(receiver.most(shop.name)).toBeGreaterThan(1);
  });

  const modes = { transaction: [1, 3], account: [1], parallel: [1, 2, 3] };
  test.each(Object.entries(modes))('%s: a first event that fails lets through %j', async (mode, begun) => {
    const shop = await openShop({ order_mode: mode }, 2);
    receiver.answer(shop.name, (received) => ({ status: seqOf(received) === 1 ? 500 : 200 }));
    await happen(shop, 1, 1, 2);
    await receiver.until(shop.name, begun.length);
    await untilAttempts(shop, begun.length);
    await untilLooked();
    expect(receiver.at(shop.name).map(seqOf).toSorted()).toEqual(begun);
    receiver.answer(shop.name, { status: 200 });
    clock.advance(6 * SECOND);
    await untilStates(shop, 'delivered', 'delivered', 'delivered');
  });
});

describe('a failure', () => {
  const ways: readonly (readonly [string, Behaviour, Record<string, unknown>])[] = [
    ['an error', { status: 500 }, { status: 500, error: null }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, { status: 302 }],
    ['silence', 'hang', { status: null, error: 'TIMEOUT' }],
    ['half an answer', 'cut', { error: expect.any(String) }],
  ];
  test.each(ways)('%s: retried as the same event', async (_way, behaviour, kept) => {
    if (behaviour === 'hang') {
      await worker.stop();
      worker = runWebhooks(test$.database, clock, { timeoutMs: 300 });
    }
    const shop = await openShop();
    receiver.answer(shop.name, behaviour);
    await happen(shop, 1);
    const [attempt] = await untilAttempts(shop, 1);
    expect(attempt).toMatchObject(kept);
    const [row] = (await deliveriesOf(shop)) as [DeliveryRow];
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    expectAbout(row.dueAfterMs, 5 * SECOND);
    if (behaviour === 'hang') {
      await worker.stop();
      worker = runWebhooks(test$.database, clock);
    }
    receiver.answer(shop.name, { status: 200 });
    clock.advance(6 * SECOND);
    const [first, second] = (await receiver.until(shop.name, 2)) as [Received, Received];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.body).toBe(first.body);
    expect([first, second].map(({ headers }) => headers['crossramp-attempt'])).toEqual(['1', '2']);
    expectSigned(second);
    await untilStates(shop, 'delivered');
    expect(await endpointOf(shop)).toMatchObject({ consecutive_failures: 0, failing_since: null });
  });

  test('429 with Retry-After: nothing is sent to the endpoint before that time', async () => {
    const shop = await openShop({}, 2);
    receiver.answer(shop.name, { status: 429, headers: { 'retry-after': '600' } });
    await happen(shop, 1);
    await untilAttempts(shop, 1);
    receiver.answer(shop.name, { status: 200 });
    await happen(shop, 2);
    clock.advance(9 * MINUTE);
    await untilLooked();
    expect(receiver.at(shop.name)).toHaveLength(1);
    clock.advance(2 * MINUTE);
    await untilStates(shop, 'delivered', 'delivered');
  });

  test('a forbidden address is an attempt with that reason', async () => {
    const shop = await openShop({ url: 'http://10.0.0.1/hook' });
    await happen(shop, 1);
    const [attempt] = await untilAttempts(shop, 1);
    expect(attempt).toMatchObject({ status: null, error: expect.stringContaining('REFUSED') });
  });

  test('is dead after the tenth attempt, and then the next event is sent', {
    timeout: 60_000,
  }, async () => {
    const shop = await openShop();
    receiver.answer(shop.name, (received) => ({ status: seqOf(received) === 1 ? 503 : 200 }));
    await happen(shop, 1, 1);
    const waits = [
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ];
    for (const [index, wait] of waits.entries()) {
      await untilAttempts(shop, index + 1);
      const [row] = (await deliveriesOf(shop)) as [DeliveryRow];
      expectAbout(row.dueAfterMs, wait);
      clock.advance(row.dueMs - (await clock.nowMs()) + 1);
    }
    await eventually('dead', async () => (await deliveriesOf(shop))[0]?.state === 'dead' || undefined);
    expect((await attemptsOf(shop)).map(({ attempt }) => attempt).slice(0, 10)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    // Ten failures in a row opened the breaker.
    clock.advance(MINUTE);
    await untilStates(shop, 'dead', 'delivered');
  });
});

describe('the endpoint', () => {
  test('410 disables it immediately and skips waiting deliveries', async () => {
    const shop = await openShop({ max_concurrency: 1 }, 3);
    receiver.answer(shop.name, (received) => ({ status: seqOf(received) === 2 ? 410 : 200 }));
    await happen(shop, 1, 2, 3);
    await untilStates(shop, 'delivered', 'skipped', 'skipped');
    expect(await endpointOf(shop)).toMatchObject({
      state: 'disabled',
      disabled_reason: 'the receiver answered 410 Gone',
      disabled_from_seq: '2',
    });
    await happen(shop, 1);
    clock.advance(DAY);
    await untilLooked();
    expect(receiver.at(shop.name)).toHaveLength(2);
    expect(await deliveriesOf(shop)).toHaveLength(3);
  });

  test('after ten failures one delivery at a time is attempted, at growing intervals; a success sends the rest', {
    timeout: 60_000,
  }, async () => {
    const shop = await openShop({}, 30);
    receiver.answer(shop.name, { status: 500 });
    await happen(shop, ...Array.from({ length: 30 }, (_, at) => at + 1));
    await eventually(
      'the breaker',
      async () => (await endpointOf(shop)).consecutive_failures >= 10 || undefined,
    );
    await eventually('all are back', async () =>
      (await test$.owner.query(`select from webhook_delivery where leased_until is not null`)).rows.length ===
      0
        ? true
        : undefined,
    );
    const begun = receiver.at(shop.name).length;
    expect(begun).toBeLessThanOrEqual(20);
    const waits: number[] = [];
    for (let probe = 1; probe <= 5; probe += 1) {
      const before = (await endpointOf(shop)).blocked_until as Date;
      // In half minutes: the clock goes on while the test looks.
      waits.push(Math.round((before.getTime() - (await clock.nowMs())) / (30 * SECOND)));
      clock.advance(before.getTime() - (await clock.nowMs()) + 1);
      await receiver.until(shop.name, begun + probe);
      await eventually(
        'the outcome',
        async () => (await endpointOf(shop)).consecutive_failures >= 10 + probe || undefined,
      );
      await untilLooked();
      expect(receiver.at(shop.name)).toHaveLength(begun + probe);
    }
    expect(waits.at(-1)).toBe(10);
    expect(Math.max(...waits)).toBe(10);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    receiver.answer(shop.name, { status: 200 });
    clock.advance(6 * MINUTE);
    await eventually(
      'the reset',
      async () => (await endpointOf(shop)).consecutive_failures === 0 || undefined,
    );
    clock.advance(HOUR);
    await untilStates(shop, ...Array.from({ length: 30 }, () => 'delivered'));
  });

  test('that fails for five days is disabled and shows the reason', async () => {
    const shop = await openShop({}, 2);
    receiver.answer(shop.name, { status: 500 });
    await happen(shop, 1);
    await untilAttempts(shop, 1);
    clock.advance(5 * DAY - HOUR);
    await untilAttempts(shop, 2);
    expect((await endpointOf(shop)).state).toBe('enabled');
    await happen(shop, 2);
    await untilAttempts(shop, 3);
    clock.advance(2 * HOUR);
    await untilStates(shop, 'skipped', 'skipped');
    expect(await endpointOf(shop)).toMatchObject({
      state: 'disabled',
      disabled_reason: 'every delivery failed for 5 days',
      disabled_from_seq: '1',
    });
  });

  test('never has more parallel deliveries than it allows', async () => {
    const shop = await openShop({ max_concurrency: 3 }, 30);
    receiver.answer(shop.name, { status: 200, delayMs: 20 });
    await happen(shop, ...Array.from({ length: 30 }, (_, at) => at + 1));
    await receiver.until(shop.name, 30);
    expect(receiver.most(shop.name)).toBe(3);
  });

  test('C-62: that is healthy gets as many deliveries in one lease as it accepted in a second, within its limit of parallel requests', async () => {
    await worker.stop();
    const shop = await openShop({ max_concurrency: 2 }, 60);
    worker = runWebhooks(test$.database, clock, { max: 0 });
    await happen(shop, ...Array.from({ length: 60 }, (_, at) => at + 1));
    await untilStates(shop, ...Array.from({ length: 60 }, () => 'pending'));
    await worker.stop();
    const services = { database: test$.database, clock, mode: 'sandbox', secrets: TEST_SECRETS } as const;
    const dispatcher = createDispatcher(services, SILENT, { allowsLoopback: true });
    receiver.answer(shop.name, { status: 200, delayMs: 5 });
    // Nothing waits too long, however slow the machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    const counts: number[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      await dispatcher.cycle();
      await dispatcher.idle();
      counts.push(receiver.at(shop.name).length);
      if (turn % 5 === 4) await dispatcher.tend();
    }
    vi.useRealTimers();
    expect(counts).toEqual([2, 4, 6, 8, 10, 20, 30, 40, 50, 60]);
    expect(receiver.most(shop.name)).toBeLessThanOrEqual(2);
    await untilStates(shop, ...Array.from({ length: 60 }, () => 'delivered'));
  });

  test('never gets more deliveries in a second than it allows', async () => {
    const shop = await openShop({ max_per_second: 5 }, 12);
    await happen(shop, ...Array.from({ length: 12 }, (_, at) => at + 1));
    await receiver.until(shop.name, 12);
    // When they began, not when they came: on a busy machine some take longer to come than others.
    const times = (await untilAttempts(shop, 12)).map(({ at }) => at.getTime());
    for (const start of times)
      expect(times.filter((at) => at >= start && at < start + SECOND).length).toBeLessThanOrEqual(5);
  });

  test('that was paused gets all events when it is resumed', async () => {
    const shop = await openShop({ state: 'paused' });
    await happen(shop, 1, 1, 1);
    await untilStates(shop, 'pending', 'pending', 'pending');
    await untilLooked();
    expect(receiver.at(shop.name)).toEqual([]);
    await test$.owner.query(`update webhook_endpoint set state = 'enabled' where account_id = $1`, [
      String(shop.accountId),
    ]);
    const received = await receiver.until(shop.name, 3);
    expect(received.map(seqOf)).toEqual([1, 2, 3]);
  });
});

describe('several dispatchers', () => {
  test('never send one delivery twice', { timeout: 60_000 }, async () => {
    const others = [runWebhooks(test$.database, clock), runWebhooks(test$.database, clock)];
    try {
      const shop = await openShop({ max_concurrency: 20 }, 40);
      receiver.answer(shop.name, () => ({ status: 200, delayMs: Math.random() * 15 }));
      const all = Array.from({ length: 40 }, (_, at) => at + 1);
      for (let n = 0; n < 10; n += 1) await happen(shop, ...all);
      const received = await receiver.until(shop.name, 400, 30_000);
      await untilStates(shop, ...Array.from({ length: 400 }, () => 'delivered'));
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(400);
      expect(receiver.at(shop.name)).toHaveLength(400);
      for (const transaction of all) {
        const seqs = received.map(seqOf).filter((seq) => (seq - 1) % 40 === transaction - 1);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }
    } finally {
      for (const other of others) await other.stop();
    }
  });

  test('C-62: one releases leases whose answer was lost as soon as the database answers again', async () => {
    await worker.stop();
    const shop = await openShop();
    const whenLost = () =>
      test$.owner.query(
        `update webhook_delivery set leased_until = 'infinity' where account_id = $1 and leased_until is not null`,
        [String(shop.accountId)],
      );
    const { database, seen } = loseAnswer(test$.database, {
      name: 'delivery_lease',
      refuses: 'turn_give_back',
      whenLost,
    });
    worker = runWebhooks(database, clock);
    await happen(shop, 1, 1);
    await untilStates(shop, 'delivered', 'delivered');
    expect(seen).toEqual({ isLost: true, refused: 3 });
    vi.restoreAllMocks();
  });

  test('deliveries of a dead one are released, and its late outcomes are ignored', async () => {
    await worker.stop();
    const shop = await openShop();
    await happen(shop, 1);
    worker = runWebhooks(test$.database, clock, { max: 0 });
    await untilStates(shop, 'pending');
    await worker.stop();
    const nowMs = await clock.nowMs();
    const lease = { mode: 'sandbox' as const, nowMs, machineMs: Date.now(), worker: 'gone', limit: 10 };
    const {
      leased: [lost],
    } = await leaseDeliveries(test$.database, lease);
    expect((await leaseDeliveries(test$.database, lease)).leased).toEqual([]);
    await test$.owner.query(
      `update webhook_delivery set leased_until = now() - interval '1 second' where account_id = $1`,
      [String(shop.accountId)],
    );
    worker = runWebhooks(test$.database, clock);
    const [received] = await receiver.until(shop.name, 1);
    expect(received?.headers['crossramp-attempt']).toBe('2');
    await untilStates(shop, 'delivered');
    if (!lost) throw new Error('nothing was leased');
    const late = {
      atMs: nowMs,
      durationMs: 1,
      status: 500,
      error: null,
      answer: null,
      isTest: false,
      isGone: false,
    };
    await endAttempts(
      test$.database,
      [{ ...lost, ...late, state: 'pending', dueMs: nowMs, blockedUntilMs: null }],
      nowMs,
    );
    await untilStates(shop, 'delivered');
    expect(await attemptsOf(shop)).toMatchObject([
      { attempt: 1, status: 500 },
      { attempt: 2, status: 200 },
    ]);
  });
});

/** What is done every second, however many events there are: signs of life, and looks for what was missed. */
const BY_TIME = /^(?:turn_(?:live|bury|look)|relay_(?:behind|lag))$/;

test('at most four statements are needed per event under load', { timeout: 60_000 }, async () => {
  await worker.stop();
  const byName = new Map<string, number>();
  const counted = <Query extends Database['query']>(query: Query) =>
    (async (statement, values) => {
      const rows = await query(statement, values);
      // A look that finds nobody's turn is no part of an event.
      const isEmpty = statement.name === 'turn_take' && rows.length === 0;
      if (!isEmpty && !BY_TIME.test(statement.name))
        byName.set(statement.name, (byName.get(statement.name) ?? 0) + 1);
      return rows;
    }) as Query;
  const counting: Database = {
    ...test$.database,
    query: counted(test$.database.query),
    withTx: (work) => test$.database.withTx((tx) => work({ query: counted(tx.query) })),
  };
  const shop = await openShop({ max_concurrency: 50 }, 100);
  worker = runWebhooks(counting, clock);
  for (let n = 0; n < 10; n += 1) await happen(shop, ...Array.from({ length: 100 }, (_, at) => at + 1));
  await receiver.until(shop.name, 1_000, 30_000);
  await untilStates(shop, ...Array.from({ length: 1_000 }, () => 'delivered'));
  const statements = [...byName.values()].reduce((sum, each) => sum + each, 0);
  expect(statements / 1_000, JSON.stringify([...byName])).toBeLessThan(4);
});

test('monthly partitions are created ahead, and dropped with their deliveries after the retention time', async () => {
  const shop = await openShop({ state: 'paused' });
  await worker.stop();
  await test$.owner.query(
    `create table event_202401 partition of event for values from ('2024-01-01Z') to ('2024-02-01Z');
     update account_head set event_seq = 1 where account_id = ${shop.accountId};
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       values (${shop.accountId}, 1, 'old', 1, 1, 'a', 'b', '2024-01-15Z', '{}')`,
  );
  const months = () => test$.owner.query(`select to_regclass('event_202401')::text as month`);
  await rotateMonths({ database: test$.database }, 90);
  expect((await months()).rows, 'the relay has not seen it').toEqual([{ month: 'event_202401' }]);
  worker = runWebhooks(test$.database, clock);
  await happen(shop, 1);
  await untilStates(shop, 'pending', 'pending');
  await rotateMonths({ database: test$.database }, 90);
  expect((await deliveriesOf(shop)).map(({ state }) => state)).toEqual(['skipped', 'pending']);
  const { rows } = await test$.owner.query(
    `select from pg_class where relname in ('event_202401', 'event_' || to_char(now() + interval '1 month', 'YYYYMM'))`,
  );
  expect(rows).toHaveLength(1);
});
