/**
 * Goal: ages go by the clock of the database (docs/decisions/0055). Method: gateways as processes, one of which has another wall clock
 * than the database: from its start, or since it jumped, while orders come with retries of one key, and through a turn of housekeeping.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { failToStart, type Running, start } from './support/process.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JUMPS_MS = [200 * DAY_MS, -48 * HOUR_MS, 48 * HOUR_MS, 25 * HOUR_MS, 0];
/** A gateway that far ahead starts, and deletes nothing. */
const SLIGHTLY_AHEAD_MS = 30_000;
/** Callers that make an order a second each, and make it again at the other gateway under its key. */
const CALLERS = 20;
/** The jump after those, which lasts until the gateway has looked at its clock. */
const LASTING_JUMP_MS = 2 * DAY_MS;
const NODE_OPTIONS = `--import=${fileURLToPath(new URL('support/wall-clock.mjs', import.meta.url))}`;

/** Level of `error` in the log. */
const ERROR = 50;

const store = useDatabase();
const { home, remove } = newHome();
let right: Running;
let jumping: Running;
let env: Record<string, string>;
let log = '';
let key: string;

beforeAll(async () => {
  env = { DATABASE_URL: store.url, SANDBOX: '1', CROSSRAMP_HOME: home, RATE_LIMIT: 'off' };
  right = await start(env);
  jumping = await start({ ...env, NODE_OPTIONS, WALL_CLOCK_JUMPS_MS: [...JUMPS_MS, LASTING_JUMP_MS].join() });
  jumping.child.stderr?.on('data', (chunk: Buffer) => (log += chunk));
  key = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
}, 120_000);
afterAll(async () => {
  for (const each of [right, jumping]) await each?.end('SIGKILL');
  remove();
});

async function post({ baseUrl }: Running, path: string, body: object, idempotencyKey?: string) {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

const order = {
  amount_payment: 50,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana',
  client_tax_id: '52998224725',
};

async function reasonOf({ baseUrl }: Running): Promise<string> {
  const answer = await fetch(`${baseUrl}/readyz`);
  return (await answer.json()).reason ?? 'ready';
}

test('while the wall clock of one gateway jumps, no order is made twice, nothing expires early, and it is not ready', async () => {
  const made = new Map<string, string>();
  const create = async (on: Running, idempotencyKey: string): Promise<void> => {
    const { status, json } = await post(on, '/v2/onramp', order, idempotencyKey);
    // A busy machine may keep the account's lock from a caller, who repeats the request.
    if (status === 503) return create(on, idempotencyKey);
    expect([status, json.code]).toEqual([201, undefined]);
    expect(json.end2end).toBe(made.get(idempotencyKey) ?? json.end2end);
    made.set(idempotencyKey, json.end2end);
  };
  const retryAll = async () => {
    for (const each of made.keys()) for (const on of [jumping, right]) await create(on, each);
  };
  /** Makes an order a second until `stop`. */
  const createAlways = async (caller: number, stop: AbortSignal) => {
    const gateways = caller % 2 === 0 ? [right, jumping] : [jumping, right];
    for (let number = 0; !stop.aborted; number += 1) {
      const pause = setTimeout(1_000);
      for (const each of gateways) await create(each, `load-${caller}-${number}`);
      await pause;
    }
  };
  await create(right, 'first');
  const ended = new AbortController();
  const load = Promise.all(
    Array.from({ length: CALLERS }, (_, caller) => createAlways(caller, ended.signal)),
  );
  expect(await reasonOf(jumping)).toBe('ready');
  try {
    for (const jumpMs of JUMPS_MS) {
      jumping.child.kill('SIGUSR2');
      const reason = jumpMs === 0 ? 'ready' : 'the clock of this machine is off';
      await vi.waitFor(async () => expect(await reasonOf(jumping)).toBe(reason), { timeout: 20_000 });
      await vi.waitFor(async () => expect(await reasonOf(right)).toBe('ready'), { timeout: 20_000 });
      await create(jumping, `there-${jumpMs}`);
      await create(right, `here-${jumpMs}`);
    }
  } finally {
    ended.abort();
  }
  await load;
  await retryAll();
  const { rows } = await store.owner.query(
    `select count(*)::int as made, count(*) filter (where abs(extract(epoch from created_at - clock_timestamp())) > 3600)::int as odd,
       count(*) filter (where state = 'EXPIRED')::int as expired,
       (select count(*)::int from event where state = 'EXPIRED') as "expiryEvents",
       (select count(*)::int from event) as events, (select count(*)::int from idempotency_key) as keys from transaction`,
  );
  const none = { odd: 0, expired: 0, expiryEvents: 0 };
  expect(rows).toEqual([{ made: made.size, ...none, events: expect.any(Number), keys: made.size }]);
  expect(rows[0].events).toBeGreaterThanOrEqual(made.size);
}, 120_000);

test('a gateway logs that its clock is wrong', async () => {
  jumping.child.kill('SIGUSR2');
  await vi.waitFor(() => expect(log).toContain('the clock of this machine is off'), { timeout: 20_000 });
  const line = JSON.parse(log.split('\n').find((each) => each.includes('is off')) ?? '');
  expect([line.level, Math.abs(line.aheadMs) > DAY_MS]).toEqual([ERROR, true]);
}, 30_000);

test('a gateway whose clock jumped by 200 days deletes nothing when its housekeeping runs', async () => {
  const REFUSAL = 'nothing is deleted while the clock of this machine is off';
  const gateway = await start({
    ...env,
    NODE_OPTIONS,
    WALL_CLOCK_MS: String(SLIGHTLY_AHEAD_MS),
    WALL_CLOCK_JUMPS_MS: String(200 * DAY_MS),
  });
  let text = '';
  gateway.child.stderr?.on('data', (chunk: Buffer) => (text += chunk));
  const counts = async () =>
    (
      await store.owner.query(
        `select (select count(*)::int from idempotency_key) as keys, (select count(*)::int from event) as events`,
      )
    ).rows[0];
  try {
    const before = await counts();
    expect(before.keys).toBeGreaterThan(0);
    gateway.child.kill('SIGUSR2');
    // Its lines have its own time.
    const isAfterJump = (line: string) =>
      line.includes(REFUSAL) && JSON.parse(line).time > Date.now() + 100 * DAY_MS;
    await vi.waitFor(() => expect(text.split('\n').slice(0, -1).some(isAfterJump)).toBe(true), {
      ...{ timeout: 120_000, interval: 500 },
    });
    const after = await counts();
    expect(after.keys).toBe(before.keys);
    expect(after.events).toBeGreaterThanOrEqual(before.events);
  } finally {
    await gateway.end('SIGKILL');
  }
}, 240_000);

test.each([
  ['48 hours ahead', 48 * HOUR_MS, /172\d{3} seconds ahead of/],
  ['48 hours behind', -48 * HOUR_MS, /172\d{3} seconds behind/],
  ['130 days ahead', 130 * DAY_MS, /112\d{5} seconds ahead of/],
])(
  'a process whose clock is %s does not start, and deletes nothing',
  async (_, aheadMs, words) => {
    const events = async () => (await store.owner.query('select count(*)::int as count from event')).rows;
    const before = await events();
    const { code, stderr } = await failToStart({
      ...env,
      PORT: '0',
      NODE_OPTIONS,
      WALL_CLOCK_MS: String(aheadMs),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
    expect(await events()).toEqual(before);
  },
  60_000,
);
