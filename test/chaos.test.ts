/**
 * Goal: a network to the database that fails at random loses nothing, stops nothing for longer than it is down itself, and
 * `/readyz` says so (C-51, C-60). Method: two processes that serve and two that work, on one PostgreSQL, behind a proxy that
 * holds, drops, halves, delays, refuses and cuts; customers who pay all the while; a transaction that is open from the
 * beginning to the end; a sampler that really reads and writes. What callers were promised, the log and what the receiver of
 * webhooks got are compared: losses are judged, times are told. CHAOS_SECONDS=1200 CHAOS_RATE=15 for the full run,
 * CHAOS_FAULTS=long for its faults in a shorter one, CHAOS_FAULTS=short for more of them in a full one, SEED to choose the faults again, CHAOS_TIMES=judged on a machine that does
 * nothing else.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/store/connection/connection.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { newHome } from './support/home.ts';
import { cpfOf, randomOf } from './support/load.ts';
import { findOlderPostgres, type MortalPostgres, startMortalPostgres } from './support/mortal-postgres.ts';
import { type Running, start } from './support/process.ts';
import { type Direction, type Fault, startProxy, type TestProxy, through } from './support/proxy.ts';
import { useReceiver } from './support/receiver.ts';

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 16);
/** Onramps that are begun in a second; each has seven events. */
const RATE = Number(process.env.CHAOS_RATE ?? 3);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const EVENTS = 7;
const IS_FULL = SECONDS >= 300;
const JUDGES_TIMES = process.env.CHAOS_TIMES === 'judged';
/** A fault lasts so long, and so long the network works between two of them. Unit: ms. */
const IS_LONG = process.env.CHAOS_FAULTS === 'long' || (IS_FULL && process.env.CHAOS_FAULTS !== 'short');
const FAULT_MS = IS_LONG ? [500, 25_000] : [500, 3_000];
const CALM_MS = IS_LONG ? [7_000, 20_000] : [3_000, 5_000];
/** Promised of a machine that does nothing else. Unit: ms. */
const WEBHOOK_MAX_MS = 5_000;
const DISAGREEMENT_MAX_MS = 2_000;
/** What a shorter run waits for: machines that do much else take their time. Unit: ms. */
const PATIENCE_MS = 30_000;
/** A webhook that waits for longer is explained, up to so many of them. */
const SLOW_MS = 3_000;
const EXPLAINED_MAX = 50;
/** Times for which a gateway and its readiness differed, the longest first: so many are told. */
const DIFFERENCES_MAX = 20;
const SAMPLES_PER_SECOND = 5;
/** Customers who wait for an answer at once: a machine that cannot keep up gets no more. */
const RUNNING_MAX = 300;
/** What has not moved for so long stands still. Unit: ms. */
const STILL_MS = 120_000;
/** The work of a run may go on for so long after it, on a machine that does much else. Unit: ms. */
const REST_MAX_MS = 1_500_000;
/** Part of the load that has to come about in the time for which the network works. */
const LOAD_LEAST = 0.9;

const receiver = useReceiver();
const place = newHome();
const random = randomOf(SEED);
const gateways: Running[] = [];
const surprises: string[] = [];
const promised: string[] = [];
const outages: { readonly what: string; readonly fromMs: number; toMs: number }[] = [];
interface Sample {
  readonly atMs: number;
  readonly gateway: number;
  works: boolean;
  isReady: boolean;
  seen: string;
}
const samples: Sample[] = [];
let unavailable = 0;
/** Calls without an answer within their time; each is made again. */
let unanswered = 0;
let isOver = false;
let postgres: MortalPostgres;
let proxy: TestProxy;
let owner: pg.Pool;
let idle: pg.Client;
let apiKey = '';

beforeAll(async () => {
  const older = findOlderPostgres('16');
  if (IS_FULL && !older) throw new Error('the full run needs PostgreSQL 16: docs/reliability.md says how');
  postgres = await startMortalPostgres(older);
  proxy = await startProxy(Number(new URL(postgres.url).port));
  owner = new pg.Pool({ connectionString: postgres.url, max: 2 });
  // Its last connections may still be closing when the server ends.
  owner.on('error', () => {});
  const env = {
    DATABASE_URL: through(proxy, postgres.url),
    SANDBOX: '1',
    CROSSRAMP_HOME: place.home,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'fatal',
  };
  for (const ROLE of ['serve', 'serve', 'work', 'work']) gateways.push(await start({ ...env, ROLE }));
  apiKey = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
  idle = new pg.Client({ connectionString: postgres.url });
  await idle.connect();
  await idle.query('set idle_in_transaction_session_timeout = 0');
  await idle.query('begin');
  await idle.query('select pg_current_xact_id()');
}, 180_000);
afterAll(async () => {
  for (const each of gateways) await each.end('SIGKILL');
  await idle?.end();
  await owner?.end();
  await proxy?.close();
  await postgres?.remove();
  place.remove();
}, 60_000);

async function call(
  gateway: number,
  path: string,
  options: { body?: object; key?: string; withinMs: number },
) {
  const { body, key, withinMs } = options;
  const askedAt = performance.now();
  const answer = await fetch(`${gateways[gateway]?.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(withinMs),
  }).catch(() => undefined);
  const json = await answer?.json().catch(() => undefined);
  const tookMs = Math.round(performance.now() - askedAt);
  return answer && { status: answer.status, retryAfter: answer.headers.get('retry-after'), json, tookMs };
}

/** Asks one gateway or the other until there is an answer. @returns nothing when it was done before. */
async function query(path: string, body: object, key?: string): Promise<{ end2end: string } | undefined> {
  for (;;) {
    const gateway = Math.floor(Math.random() * 2);
    const answer = await call(gateway, path, { body, withinMs: 30_000, ...(key && { key }) });
    if (answer && answer.status < 300) return answer.json;
    const code = answer?.json?.code;
    // Paid by a request whose answer was lost.
    if (code === 'STEP_CONFLICT') return undefined;
    if (answer?.status === 503 && Number(answer.retryAfter) >= 1) unavailable++;
    else if (!answer) unanswered++;
    else if (code !== 'IDEMPOTENCY_RUNNING')
      surprises.push(`${path} answers ${answer.status}: ${JSON.stringify(answer.json)}`);
    await sleep(500 + Math.random() * 1_000);
  }
}

async function makeAndPay(n: number): Promise<void> {
  const onramp = {
    amount_payment: 20,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana',
    client_tax_id: cpfOf(n),
    webhook: receiver.url('hook'),
  };
  const made = await query('/v2/onramp', onramp, randomUUID());
  if (!made) return void surprises.push(`onramp ${n} conflicts`);
  promised.push(made.end2end);
  await query('/v2/sandbox/trigger', { scenario: 'pay', end2end: made.end2end });
}

async function load(): Promise<void> {
  const running = new Set<Promise<void>>();
  const begunMs = performance.now();
  for (let made = 0; !isOver; await sleep(20)) {
    const due = Math.floor(((performance.now() - begunMs) / 1_000) * RATE);
    for (; made < due && running.size < RUNNING_MAX; made++) {
      const one = makeAndPay(made).finally(() => running.delete(one));
      running.add(one);
    }
  }
  await Promise.all(running);
}

const FAULTS: readonly [Fault | 'cut', Direction][] = [
  ['drop', 'both'],
  ['drop', 'up'],
  ['drop', 'down'],
  ['hold', 'both'],
  ['halve', 'both'],
  ['delay', 'both'],
  ['refuse', 'both'],
  ['cut', 'both'],
];

async function failAtRandom(): Promise<void> {
  const between = ([least = 0, most = 0]: readonly number[]) => random.integer(least, most);
  await sleep(between(CALM_MS));
  for (let turn: (typeof FAULTS)[number][] = []; !isOver; ) {
    // All kinds come equally often.
    if (turn.length === 0) turn = random.shuffle(FAULTS);
    const [fault, direction] = turn.pop() as (typeof FAULTS)[number];
    const outage = { what: `${fault} ${direction}`, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    outages.push(outage);
    if (fault !== 'cut') proxy.fail(fault, direction);
    if (fault === 'cut' || fault === 'refuse') proxy.cut();
    if (fault !== 'cut') await sleep(between(FAULT_MS));
    proxy.heal();
    outage.toMs = Date.now();
    await sleep(between(CALM_MS));
  }
}

/** Reads and writes, and asks for readiness at the same moment, in turns of the two gateways. */
async function sample(): Promise<void> {
  const running: Promise<void>[] = [];
  for (let n = 0; !isOver; n++) {
    const gateway = n % 2;
    const one = { atMs: Date.now(), gateway, works: false, isReady: false, seen: '' };
    samples.push(one);
    const within = { withinMs: JUDGES_TIMES ? DISAGREEMENT_MAX_MS : PATIENCE_MS };
    const checkout = { amount_payment: 20, currency_exit_received_code: 'USDT_TRX' };
    const looks = [
      call(gateway, '/v2/balance', within),
      call(gateway, '/v2/crossramp_checkout', { ...within, body: checkout }),
      call(gateway, '/readyz', within),
    ];
    running.push(
      Promise.all(looks).then(([read, write, ready]) => {
        one.works = isInTime(read, 200) && isInTime(write, 201);
        one.isReady = ready?.status === 200;
        one.seen = `read ${reported(read)}, write ${reported(write)}, ready ${reported(ready)}`;
        if (!ready) unanswered++;
      }),
    );
    await sleep(1_000 / SAMPLES_PER_SECOND);
  }
  await Promise.all(running);
}

type Answer = Awaited<ReturnType<typeof call>>;

/** Whoever waits for longer than `/readyz` may take is not served, however patient the run is. */
function isInTime(answer: Answer, status: number): boolean {
  return answer?.status === status && answer.tookMs <= DISAGREEMENT_MAX_MS;
}

/** @returns what was answered, after how long, and what was said of it. */
function reported(answer: Answer): string {
  if (!answer) return 'nothing';
  const { status, tookMs, json } = answer;
  return `${status} after ${tookMs} ms ${json?.code ?? json?.reason ?? ''}`.trimEnd();
}

/** A time for which what a gateway did and what it said of itself differed. */
type Difference = readonly Sample[];

/** @returns them, the longest first. */
function differences(): Difference[] {
  const found: Sample[][] = [];
  for (const gateway of [0, 1]) {
    let differing: Sample[] | undefined;
    for (const each of samples.filter((sample) => sample.gateway === gateway)) {
      if (each.works === each.isReady) differing = undefined;
      else if (differing) differing.push(each);
      else {
        differing = [each];
        found.push(differing);
      }
    }
  }
  return found.toSorted((a, b) => lengthOf(b) - lengthOf(a));
}

function lengthOf(difference: Difference): number {
  return (difference.at(-1) as Sample).atMs - (difference[0] as Sample).atMs;
}

/** @returns how many there were: too careful or too confident, before or after healing, by the half second that they lasted. */
function distributionOf(found: readonly Difference[]): Record<string, number> {
  const kinds = Map.groupBy(found, (difference) => {
    const [first] = difference as readonly [Sample];
    const outage = outages.findLast(({ fromMs }) => fromMs <= first.atMs);
    const place = !outage ? 'before all faults' : outage.toMs < first.atMs ? 'after healing' : 'in the fault';
    const upToMs = (Math.floor(lengthOf(difference) / 500) + 1) * 500;
    return `${first.isReady ? 'ready, fails' : 'not ready, works'}, ${place}, < ${upToMs} ms`;
  });
  return Object.fromEntries([...kinds].map(([kind, list]) => [kind, list.length]).sort());
}

function differenceText(difference: Difference): string {
  const [first] = difference as readonly [Sample];
  const outage = outages.findLast(({ fromMs }) => fromMs <= first.atMs);
  const sinceMs = outage && first.atMs - outage.fromMs;
  const healedMs = outage && first.atMs - outage.toMs;
  const place = outage
    ? `${outage.what} +${sinceMs} ms${(healedMs as number) >= 0 ? `, healed +${healedMs} ms` : ''}`
    : 'before all faults';
  return `differs for ${lengthOf(difference)} ms, gateway ${first.gateway}, ${place}: ${difference.map(({ seen }) => seen).join(' | ')}`;
}

interface LoggedEvent {
  readonly id: string;
  readonly payload: string;
  readonly transaction: string;
  readonly sequence: number;
  readonly atMs: number;
}

async function readLog(): Promise<LoggedEvent[]> {
  const { rows } = await owner.query<LoggedEvent>(
    `select 'evt_' || e.seq || '_' || e.token as id, event_body(e.form, e.payload) as payload, e.transaction_id as transaction, e.sequence,
            (extract(epoch from e.occurred_at) * 1000)::float8 as "atMs"
       from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id
      where t.webhook is not null order by e.seq`,
  );
  return rows;
}

/** @returns how long an event waited for its webhook while the network worked, milliseconds: since it happened or since the last fault. */
function waitOf(happenedMs: number, arrivedMs: number): number {
  let fromMs = happenedMs;
  for (const outage of outages)
    if (outage.fromMs < arrivedMs && outage.toMs > fromMs && outage.fromMs < fromMs + WEBHOOK_MAX_MS)
      fromMs = Math.min(outage.toMs, arrivedMs);
  return arrivedMs - fromMs;
}

/** @returns what the receiver did not get, or not as it should, and how long each webhook waited, and the slowest of them. */
function compareWebhooks(log: readonly LoggedEvent[]): {
  defects: string[];
  waits: number[];
  slow: LoggedEvent[];
} {
  const first = new Map<string, { at: number; atMs: number }>();
  const byId = new Map(log.map((event) => [event.id, event]));
  const defects: string[] = [];
  for (const [at, { headers, body, atMs }] of receiver.at('hook').entries()) {
    const id = headers['webhook-id'] as string;
    if (byId.get(id)?.payload !== body) defects.push(`${id} came with another body, or is no event`);
    if (!first.has(id)) first.set(id, { at, atMs });
  }
  defects.push(...log.filter(({ id }) => !first.has(id)).map(({ id }) => `${id} is lost`));
  for (const events of Map.groupBy(log, ({ transaction }) => transaction).values()) {
    const order = events.toSorted((a, b) => a.sequence - b.sequence).map(({ id }) => first.get(id)?.at ?? 0);
    if (String(order) !== String(order.toSorted((a, b) => a - b)))
      defects.push(`${events.map(({ id }) => id)} came out of order`);
  }
  const waits = log.flatMap(({ id, atMs }) => waitOf(atMs, first.get(id)?.atMs ?? Number.NaN));
  const slow = [...log.keys()]
    .filter((at) => (waits[at] as number) > SLOW_MS)
    .sort((a, b) => (waits[b] as number) - (waits[a] as number))
    .slice(0, EXPLAINED_MAX)
    .map((at) => log[at] as LoggedEvent);
  return { defects, waits: waits.toSorted((a, b) => a - b), slow };
}

/** @returns what some of the slow webhooks waited for, and what was seen where a gateway and its readiness differed. */
async function explain(slow: readonly LoggedEvent[]): Promise<string[]> {
  const { rows } = await owner.query(
    `select e.transaction_id || '/' || e.sequence as step, e.occurred_at as happened, d.created_at as relayed,
            d.ended_at as ended, (select json_agg(a order by a.attempt) from webhook_attempt a
               where a.account_id = d.account_id and a.delivery_id = d.id) as tries
       from event e join webhook_delivery d on d.account_id = e.account_id and d.event_seq = e.seq
      where 'evt_' || e.seq || '_' || e.token = any ($1)
      order by array_position($1, 'evt_' || e.seq || '_' || e.token)`,
    [slow.map(({ id }) => id)],
  );
  return [
    ...outages.map((outage) => `${outage.what} from ${at(outage.fromMs)} to ${at(outage.toMs)}`),
    ...rows.map((row) => `slow webhook ${JSON.stringify(row)}`),
    ...differences().slice(0, DIFFERENCES_MAX).map(differenceText),
  ];
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

/** Waits until all is done, or nothing moves any more. */
async function comeToRest(isDone: () => Promise<boolean>): Promise<void> {
  let moved = '';
  let movedMs = Date.now();
  while (!(await isDone()) && Date.now() - movedMs < STILL_MS) {
    const now = `${promised.length} ${receiver.at('hook').length} ${unanswered} ${unavailable}`;
    if (now !== moved) movedMs = Date.now();
    moved = now;
    await sleep(300);
  }
}

async function isAllDelivered(): Promise<boolean> {
  const { rows } = await owner.query(
    `select (select count(*) from transaction t where t.webhook is not null and t.component <> 'success')
            + (select count(*) from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id
                where t.webhook is not null and not exists (
                  select from webhook_delivery d where d.account_id = e.account_id and d.event_seq = e.seq and d.state = 'delivered')) as n`,
  );
  return Number(rows[0].n) === 0;
}

async function unfinished(): Promise<string[]> {
  const { rows } = await owner.query<{ end2end: string; step: string }>(
    `select end2end, component || '/' || state as step from transaction`,
  );
  const steps = new Map(rows.map(({ end2end, step }) => [end2end, step]));
  return promised
    .filter((end2end) => steps.get(end2end) !== 'success/DONE')
    .map((end2end) => `${end2end} was promised and is ${steps.get(end2end) ?? 'lost'}`);
}

test(
  'C-51, C-60: a network that fails at random loses nothing and stops nothing for good',
  async () => {
    process.stderr.write(`chaos: SEED=${SEED} CHAOS_SECONDS=${SECONDS} CHAOS_RATE=${RATE}\n`);
    const work = [load(), failAtRandom(), sample()];
    await sleep(SECONDS * 1_000);
    isOver = true;
    let isAnswered = false;
    const answered = Promise.all(work).then(() => {
      isAnswered = true;
    });
    await comeToRest(async () => isAnswered);
    if (isAnswered) await answered;
    else surprises.push('some requests are never answered');
    await comeToRest(isAllDelivered);
    const log = await readLog();
    const { defects, waits, slow } = compareWebhooks(log);
    for (const line of await explain(slow)) process.stderr.write(`chaos: ${line}\n`);
    const found = differences();
    const faultSeconds = Math.round(
      outages.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1_000,
    );
    const summary = {
      postgres: (await owner.query('show server_version')).rows[0].server_version,
      faults: Object.fromEntries(
        [...Map.groupBy(outages, ({ what }) => what)].map(([what, list]) => [what, list.length]),
      ),
      faultSeconds,
      onramps: promised.length,
      events: log.length,
      webhooks: receiver.at('hook').length,
      unavailable,
      unanswered,
      loadShare: Number((promised.length / RATE / (SECONDS - faultSeconds)).toFixed(2)),
      samples: samples.length,
      disagreementMs: found[0] ? lengthOf(found[0]) : 0,
      differences: distributionOf(found),
      webhookWaitMs: { median: waits[waits.length >> 1], most: waits.at(-1) },
      defects: defects.length,
    };
    process.stderr.write(`chaos: ${JSON.stringify(summary)}\n`);
    expect(surprises).toEqual([]);
    expect(defects).toEqual([]);
    expect(await unfinished()).toEqual([]);
    expect(log.length).toBe(promised.length * EVENTS);
    expect(gateways.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual([null, null, null, null]);
    const database = openDatabase(postgres.url);
    for (const { id } of (await owner.query('select id from account')).rows)
      expect((await verifyLedger(database, BigInt(id))).defects).toEqual([]);
    await database.close();
    // Figures of another version are none of the full run.
    if (IS_FULL) expect(summary.postgres).toMatch(/^16\./);
    if (!JUDGES_TIMES) return;
    expect(unanswered).toBe(0);
    expect(summary.loadShare).toBeGreaterThan(LOAD_LEAST);
    expect(waits.at(-1)).toBeLessThan(WEBHOOK_MAX_MS);
    expect(summary.disagreementMs).toBeLessThanOrEqual(DISAGREEMENT_MAX_MS);
  },
  SECONDS * 1_000 + REST_MAX_MS,
);
