/**
 * Goal: a lost machine loses nothing that was acknowledged before the time of the restore, and what comes back says nothing false. Method:
 * a gateway as a process with its embedded database, backed up under load; then its processes are killed and its home is deleted, and the
 * backup is restored into another home. `DRILL_SECONDS=60` for a longer load.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome } from '../support/home.ts';
import { cpfOf } from '../support/load.ts';
import { crossramp, type Running, start } from '../support/process.ts';
import { useReceiver } from '../support/receiver.ts';
import { killPostgresOf } from './lost-machine.ts';

const SECONDS = Number(process.env.DRILL_SECONDS ?? 4);
/** Customers who create and pay, one onramp after another each. */
const CUSTOMERS = 4;
/** More than that of the sandbox's rails. */
const SETTLED_MS = 60_000;

const receiver = useReceiver();
const machine = newHome();
const spare = newHome();
const homeOf = ({ home }: { readonly home: string }) => join(home, 'gateway');
const backups = join(spare.home, 'backups');
/** Kept apart from the backups, as the documents ask. */
const keyFile = join(spare.home, 'kept-apart.key');
let gateway: Running;
let apiKey = '';

interface Made {
  readonly idempotencyKey: string;
  readonly body: object;
  readonly begunMs: number;
  readonly end2end: string;
  readonly answeredMs: number;
  /** When the payment was answered. */
  paidMs?: number;
}
const made: Made[] = [];
let isOver = false;
let customers = 0;

const envOf = (place: { readonly home: string }, key?: string) => ({
  CROSSRAMP_HOME: homeOf(place),
  RATE_LIMIT: 'off',
  SECRETS_KEY_FILE: key ?? join(homeOf(place), 'secrets.key'),
});

beforeAll(async () => {
  gateway = await start(envOf(machine));
  apiKey = JSON.parse(readFileSync(join(homeOf(machine), 'sandbox.json'), 'utf8')).apiKey;
}, 120_000);
afterAll(async () => {
  isOver = true;
  await gateway?.end('SIGKILL');
  for (const place of [machine, spare]) {
    await killPostgresOf(homeOf(place));
    place.remove();
  }
});

async function call(path: string, body?: object, idempotencyKey?: string) {
  const answer = await fetch(`${gateway.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}

async function makeAndPay(): Promise<void> {
  const idempotencyKey = randomUUID();
  const body = {
    amount_payment: 20,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana',
    client_tax_id: cpfOf(customers++),
    webhook: receiver.url('hook'),
  };
  const begunMs = Date.now();
  const { status, json } = await call('/v2/onramp', body, idempotencyKey);
  expect(status).toBe(201);
  const onramp: Made = { idempotencyKey, body, begunMs, end2end: json.end2end, answeredMs: Date.now() };
  made.push(onramp);
  await call('/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end });
  onramp.paidMs = Date.now();
}

async function beCustomer(): Promise<void> {
  while (!isOver) await makeAndPay();
}

/** The whole log from the oldest event on. */
async function readLog() {
  const events: { cursor: string; sequence: number; transaction: { end2end: string } }[] = [];
  for (let after = ''; ; ) {
    const { json } = await call(`/v2/events?limit=100&after=${after}`);
    events.push(...json.events);
    if (json.events.length === 0) return { events, end: json.next as string };
    after = json.next;
  }
}

/** Ids of webhooks by the event that they are about. */
function idsByEvent(): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { headers, body } of receiver.at('hook')) {
    const event = `${JSON.parse(body).end2end} ${headers['crossramp-sequence']}`;
    ids.set(event, (ids.get(event) ?? new Set()).add(headers['webhook-id'] ?? ''));
  }
  return ids;
}

async function loseMachine(): Promise<void> {
  await gateway.end('SIGKILL');
  isOver = true;
  await killPostgresOf(homeOf(machine));
  rmSync(homeOf(machine), { recursive: true });
}

test('a machine is lost under load; acknowledged data up to a time are restored on another one, without false reports', {
  timeout: 240_000,
}, async () => {
  await cp(join(homeOf(machine), 'secrets.key'), keyFile);
  // A customer whose call the lost machine did not answer ends with it.
  const load = Promise.allSettled(Array.from({ length: CUSTOMERS }, beCustomer));
  await expect.poll(() => made.length).toBeGreaterThan(CUSTOMERS);
  const backUp = await crossramp(envOf(machine), 'backup', backups, '--archive-timeout', '1', '--json');
  expect(backUp).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
  expect(JSON.parse(backUp.stdout)).toMatchObject({ hasSecretsKey: false });
  expect(statSync(join(backups, 'base')).mode & 0o777).toBe(0o700);
  await sleep(SECONDS * 500);
  const { end: cursorBefore } = await readLog();
  const untilMs = Date.now();
  await sleep(SECONDS * 500);
  const { end: cursorAfter } = await readLog();
  const knownBefore = idsByEvent();
  // A change after the last one of the load, so that everything before it is archived.
  const archived = (await readdir(join(backups, 'wal'))).length;
  await expect.poll(async () => (await readdir(join(backups, 'wal'))).length).toBeGreaterThan(archived + 1);
  await loseMachine();
  await load;

  const env = envOf(spare, keyFile);
  const until = new Date(untilMs).toISOString();
  const restored = await crossramp(env, 'restore', backups, '--until', until, '--json');
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(await crossramp(env, 'verify')).toMatchObject({
    stderr: '',
    code: 0,
    stdout: expect.stringMatching(/ 0 defects\n$/),
  });
  gateway = await start(env);

  // Each customer that was answered in time is there, and none that came later.
  const before = made.filter(({ answeredMs }) => answeredMs <= untilMs);
  const after = made.filter(({ begunMs }) => begunMs > untilMs);
  expect([before.length, after.length]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.min(before.length, after.length)).toBeGreaterThan(0);
  for (const { end2end } of before)
    expect(await call(`/v2/onramp/${end2end}`)).toMatchObject({ status: 200 });
  for (const { end2end } of after) expect(await call(`/v2/onramp/${end2end}`)).toMatchObject({ status: 404 });

  // Answers under a key of before are the same; a key of later is new.
  const repeated = before.at(-1) as Made;
  const again = await call('/v2/onramp', repeated.body, repeated.idempotencyKey);
  expect(again).toMatchObject({ status: 201, json: { end2end: repeated.end2end } });
  const lost = after.at(-1) as Made;
  const anew = await call('/v2/onramp', lost.body, lost.idempotencyKey);
  expect(anew.status).toBe(201);
  expect(anew.json.end2end).not.toBe(lost.end2end);

  // Cursors of what was lost have expired; one of before goes on.
  expect(await call(`/v2/events?after=${cursorAfter}`)).toMatchObject({
    status: 410,
    json: { code: 'CURSOR_EXPIRED' },
  });
  expect((await call(`/v2/events?after=${cursorBefore}`)).status).toBe(200);

  // Work that was under way goes on: every onramp that was paid in time ends.
  const paid = before.filter(({ paidMs = Number.POSITIVE_INFINITY }) => paidMs <= untilMs);
  expect(paid.length).toBeGreaterThan(0);
  const open = async () => {
    const states = paid.map(async ({ end2end }) => (await call(`/v2/onramp/${end2end}`)).json.state);
    return (await Promise.all(states)).filter((state) => state !== 'DONE');
  };
  await expect.poll(open, { timeout: SETTLED_MS }).toEqual([]);

  // Webhooks of events that were restored came and come under one id each.
  const { events } = await readLog();
  const kept = new Set(events.map(({ sequence, transaction }) => `${transaction.end2end} ${sequence}`));
  await expect
    .poll(() => [...kept].filter((event) => !idsByEvent().has(event)), { timeout: SETTLED_MS })
    .toEqual([]);
  const logBefore = new Set(
    events
      .filter(({ cursor }) => Number(numberOf(cursor)) <= Number(numberOf(cursorBefore)))
      .map(({ sequence, transaction }) => `${transaction.end2end} ${sequence}`),
  );
  for (const [event, ids] of idsByEvent()) {
    if (!logBefore.has(event)) continue;
    expect([event, ids.size]).toEqual([event, 1]);
    for (const id of knownBefore.get(event) ?? []) expect([...ids]).toEqual([id]);
  }
  expect(await crossramp(env, 'verify')).toMatchObject({ code: 0 });
});

/** Number of the event of a cursor. */
function numberOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString().split(':')[2] ?? '';
}
