/**
 * Goal: events lose nothing and keep the order of each transaction, whoever dies (C-60, C-62). Method: a process that
 * serves, one that works and the PostgreSQL of both, set up as in production, each killed with SIGKILL at random moments and
 * started again, under load; what a receiver and a subscriber got is compared with the event log, and the log with what
 * callers were promised. SECONDS=120 for the long run, RATE for another load.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BEFORE_FIRST, encodeEventCursor } from '../src/events/cursor.ts';
import { type ServerEvent, subscribe } from './live/streams.ts';
import { outlast } from './support/change-unlocked.ts';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { cpfOf } from './support/load.ts';
import { type MortalPostgres, startMortalPostgres } from './support/mortal-postgres.ts';
import { type Running, start } from './support/process.ts';
import { useReceiver } from './support/receiver.ts';

const SECONDS = Number(process.env.SECONDS ?? 8);
/** Transactions that are begun in a second, whatever became of the others; each has seven events. */
const RATE = Number(process.env.RATE ?? 44);
const EVENTS = 7;
const RUNNING_MAX = 1_000;
/** How long something lives: a start takes three seconds on a busy machine, in which there is no load. */
const LIFE_MIN_MS = 1_000;
const LIFE_MAX_MS = Math.min(40_000, SECONDS * 500);
const OUTAGE_MAX_MS = 1_500;
const AGAIN_MS = 1_000;
/** A short run does not wait for leases of the dead to end, a long one does. */
const IS_SHORT = SECONDS < 60;
const SETTLE_MAX_MS = 120_000;

const receiver = useReceiver();
const place = newHome();
const roles = { serve: {}, work: {} } as Record<'serve' | 'work', Record<string, string>>;
const alive = new Map<string, Running>();
const kills = { serve: 0, work: 0, postgres: 0 };
/** What should not have happened. */
const surprises: string[] = [];
/** Transactions that callers were told of. */
const promised: string[] = [];
/** Numbers of the events that the subscriber got, and the cursor of the last. */
const followed: string[] = [];
let unavailable = 0;
let restartedAt = new Date(0);
let postgres: MortalPostgres;
let owner: pg.Pool;
let api = { baseUrl: '', apiKey: '', platformKey: '', accountId: '' };
let isOver = false;

beforeAll(async () => {
  postgres = await startMortalPostgres();
  owner = new pg.Pool({ connectionString: postgres.url, max: 2 });
  owner.on('error', () => {});
  for (const role of ['serve', 'work'] as const) {
    const port = String(await freePort());
    const env = { DATABASE_URL: postgres.url, SANDBOX: '1', CROSSRAMP_HOME: place.home, RATE_LIMIT: 'off' };
    roles[role] = { ...env, LOG_LEVEL: 'fatal', ROLE: role, PORT: port };
    alive.set(role, await start(roles[role]));
  }
  const { apiKey, platformKey, accountId } = JSON.parse(
    readFileSync(join(place.home, 'sandbox.json'), 'utf8'),
  );
  api = { apiKey, platformKey, accountId, baseUrl: `http://127.0.0.1:${roles.serve.PORT}` };
}, 120_000);
afterAll(async () => {
  for (const each of alive.values()) await each.end('SIGKILL');
  await owner?.end();
  await postgres?.remove();
  place.remove();
}, 60_000);

/** Asks until there is an answer: not of a dying process, nor of one whose database is away. */
async function query(path: string, body: object, idempotencyKey?: string) {
  for (;;) {
    const answer = await fetch(api.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${path === '/v2/sandbox/clock' ? api.platformKey : api.apiKey}`,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined);
    const json = await answer?.json().catch(() => undefined);
    if (answer && json && (answer.status < 300 || isDoneBefore(json))) return json;
    if (answer && json) noteRefusal(path, answer, json);
    if (json?.code === 'STEP_CONFLICT') return json;
    // Hundreds that ask at every moment would take the machine from those who start.
    await sleep(AGAIN_MS * (0.5 + Math.random()));
  }
}

/** An act that was done and not answered does not fit any more when it is asked for again. */
function isDoneBefore({ code, detail }: { code?: string; detail?: string }): boolean {
  return (
    code === 'STEP_CONFLICT' &&
    /at step (depositpix\/PAID|swap_transfer\/INITIAL|success\/DONE)$/.test(detail ?? '')
  );
}

function noteRefusal(path: string, { status, headers }: Response, json: { code?: string }): void {
  if (status === 503 && Number(headers.get('retry-after')) >= 1) unavailable++;
  else if (json.code !== 'IDEMPOTENCY_RUNNING')
    surprises.push(`${path} answers ${status}: ${JSON.stringify(json)}`);
}

/** @param n - each has a customer of its own, whose limits are not reached. */
async function makeAndPay(n: number): Promise<void> {
  const onramp = {
    amount_payment: 20,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana',
    client_tax_id: cpfOf(n),
    webhook: receiver.url('hook'),
  };
  const { end2end } = await query('/v2/onramp', onramp, randomUUID());
  promised.push(end2end);
  await query('/v2/sandbox/trigger', { scenario: 'pay', end2end });
}

async function load(): Promise<void> {
  const running = new Set<Promise<void>>();
  const begun = Date.now();
  for (let made = 0; !isOver; ) {
    const due = Math.floor(((Date.now() - begun) / 1_000) * RATE);
    for (; made < due && running.size < RUNNING_MAX; made++) {
      const one = makeAndPay(made).finally(() => running.delete(one));
      running.add(one);
    }
    await sleep(20);
  }
  await Promise.all(running);
}

async function killProcesses(role: 'serve' | 'work'): Promise<void> {
  while (!isOver) {
    await sleep(LIFE_MIN_MS + Math.random() * (LIFE_MAX_MS - LIFE_MIN_MS));
    const ended = await alive.get(role)?.end('SIGKILL');
    if (ended?.code !== null) surprises.push(`${role} fell over with ${ended?.code}: ${ended?.stderr}`);
    kills[role]++;
    alive.set(role, await startAgain(role));
    restartedAt = new Date();
  }
}

/** As who supervises does: a process does not start without its database, and says so in a line. */
async function startAgain(role: 'serve' | 'work'): Promise<Running> {
  for (;;) {
    const started = await start(roles[role]).catch(({ message }: Error) => message);
    if (typeof started !== 'string') return started;
    if (started.split('\n').length > 2) surprises.push(`${role} does not start: ${started}`);
    await sleep(200);
  }
}

async function killPostgres(): Promise<void> {
  while (!isOver) {
    await sleep(LIFE_MIN_MS + Math.random() * (LIFE_MAX_MS - LIFE_MIN_MS));
    postgres.kill();
    kills.postgres++;
    await sleep(Math.random() * OUTAGE_MAX_MS);
    await postgres.start();
    restartedAt = new Date();
  }
}

/** Subscribes to the log from its beginning, and again from its place whenever the stream ends, until the signal. */
async function follow(signal: AbortSignal): Promise<void> {
  let lastEventId = encodeEventCursor(BigInt(api.accountId), BEFORE_FIRST);
  const take = ({ id, event, data }: ServerEvent) => {
    if (data?.errors) surprises.push(`the stream says ${JSON.stringify(data)}`);
    if (event !== 'next' || id === undefined) return;
    lastEventId = id;
    if (data.data.events.__typename === 'TransactionEvent')
      followed.push(Buffer.from(id, 'base64url').toString().split(':')[2] as string);
  };
  while (!signal.aborted) {
    const query = 'subscription { events { __typename cursor } }';
    const stream = await subscribe(api, query, { lastEventId }).catch(() => undefined);
    const close = () => stream?.close();
    signal.addEventListener('abort', close);
    const takeNew = () => {
      for (const each of stream?.events.splice(0) ?? []) take(each);
      return false;
    };
    // Whoever waits for the last event looks while the stream is open.
    await stream?.until(takeNew, SECONDS * 1_000 + SETTLE_MAX_MS);
    close();
    signal.removeEventListener('abort', close);
    await sleep(100);
  }
}

/** As if the leases that were taken before the last start had ended. */
function outlastLeases(): Promise<void> {
  return outlast(
    owner,
    [
      ['job', 'true', 6],
      ['webhook_delivery', `state = 'pending'`, 25],
      ['idempotency_key', 'answer is null', 15],
    ],
    restartedAt,
  );
}

/** Events that were not relayed, jobs that were not done, rail events that wait to be tried again, deliveries that have not ended. */
async function pending(): Promise<number> {
  const { rows } = await owner.query(
    `select (select count(*) from webhook_delivery where state = 'pending') + (select count(*) from job where kind not like 'expire%')
       + (select count(*) from rail_news where outcome = 'pending') + (select count(*) from relay_queue) as n`,
  );
  return Number(rows[0].n);
}

async function comeToRest(): Promise<void> {
  const until = Date.now() + SETTLE_MAX_MS;
  while ((await pending()) > 0 && Date.now() < until) {
    // What failed while somebody was away waits for its time on the sandbox's clock.
    await query('/v2/sandbox/clock', { advance: '10s' });
    await sleep(300);
  }
}

interface LoggedEvent {
  readonly id: string;
  readonly seq: string;
  readonly payload: string;
  readonly transaction: string;
  readonly sequence: number;
  readonly at: Date;
}

async function readLog(): Promise<LoggedEvent[]> {
  const { rows } = await owner.query<LoggedEvent>(
    `select 'evt_' || seq || '_' || token as id, seq::text, event_body(form, payload) as payload, transaction_id as transaction, sequence, occurred_at as at from event e order by e.seq`,
  );
  return rows;
}

/** @returns how many came in a second: on the average, outages and all, and in the better half of the seconds. */
function rates(log: readonly LoggedEvent[], endedAt: Date): string {
  const seconds = Map.groupBy(
    log.filter(({ at }) => at < endedAt),
    ({ at }) => Math.floor((endedAt.getTime() - at.getTime()) / 1_000),
  );
  const counts = Array.from({ length: SECONDS }, (_, n) => seconds.get(n)?.length ?? 0);
  const mean = Math.round(counts.reduce((sum, each) => sum + each, 0) / SECONDS);
  const [median] = counts.toSorted((a, b) => a - b).slice(SECONDS / 2);
  return `${mean} per second on the average, outages included, ${median} or more in half of the seconds`;
}

/** @returns what the receiver did not get, or not as it should. */
function deliveryDefects(log: readonly LoggedEvent[]): string[] {
  const byId = new Map(log.map((event) => [event.id, event]));
  const firstAt = new Map<string, number>();
  const found: string[] = [];
  for (const [at, { headers, body }] of receiver.at('hook').entries()) {
    const id = headers['webhook-id'] as string;
    if (byId.get(id)?.payload !== body) found.push(`${id} came with another body, or is no event`);
    if (!firstAt.has(id)) firstAt.set(id, at);
  }
  found.push(...log.filter(({ id }) => !firstAt.has(id)).map(({ id }) => `${id} is lost`));
  for (const events of Map.groupBy(log, ({ transaction }) => transaction).values()) {
    const order = events.toSorted((a, b) => a.sequence - b.sequence).map(({ id }) => firstAt.get(id) ?? 0);
    if (String(order) !== String(order.toSorted((a, b) => a - b)))
      found.push(`${events.map(({ id }) => id)} came out of order`);
  }
  return found;
}

/** @returns transactions that callers were told of and that are not there, or did not come to their end. */
async function promiseDefects(): Promise<string[]> {
  const { rows } = await owner.query<{ end2end: string; step: string }>(
    `select end2end, component || '/' || state as step from transaction`,
  );
  const steps = new Map(rows.map(({ end2end, step }) => [end2end, step]));
  return promised
    .filter((end2end) => steps.get(end2end) !== 'success/DONE')
    .map((end2end) => `${end2end} was promised and is ${steps.get(end2end) ?? 'lost'}`);
}

test(
  'C-60: every event arrives whichever process dies, in order for its transaction, and twice only under its id',
  async () => {
    const { rows } = await owner.query('show synchronous_commit');
    expect(rows[0].synchronous_commit).toBe('on');
    const enough = new AbortController();
    const following = follow(enough.signal);
    const work = [load(), killProcesses('serve'), killProcesses('work'), killPostgres()];
    await sleep(SECONDS * 1_000);
    const endedAt = new Date();
    isOver = true;
    await Promise.all(work.slice(1));
    if (IS_SHORT) await outlastLeases();
    await Promise.all(work);
    await comeToRest();
    const log = await readLog();
    const last = log.at(-1)?.seq;
    const until = Date.now() + SETTLE_MAX_MS;
    while (followed.at(-1) !== last && Date.now() < until) await sleep(100);
    enough.abort();
    await following;
    const requests = receiver.at('hook').length;
    const dead = `${kills.serve} serving, ${kills.work} working, ${kills.postgres} PostgreSQL`;
    process.stdout.write(
      `killed: ${dead}; ${log.length} events (${rates(log, endedAt)}), ${requests} requests, ${requests - log.length} of them again, ${unavailable} times 503\n`,
    );
    expect(surprises).toEqual([]);
    expect(deliveryDefects(log)).toEqual([]);
    expect(await promiseDefects()).toEqual([]);
    expect(followed).toEqual(log.map(({ seq }) => seq));
    expect(log.length).toBe(promised.length * EVENTS);
    // Within seconds it can be that whoever would have said so was not there either; test/edges/rest-outage.test.ts asks for it.
    if (!IS_SHORT) expect(unavailable).toBeGreaterThan(0);
  },
  SECONDS * 1_000 + SETTLE_MAX_MS + 60_000,
);
