/**
 * Goal: a network that accepts connections and passes nothing on takes few slots of the server, answers and `/readyz` agree meanwhile,
 * and the gateway works again without a restart (C-51). Method: the gateway as a process, on PostgreSQL behind a proxy that holds or loses
 * what one side sends, or both; a sampler that reads, writes and asks for readiness. HALF_OPEN_SECONDS=30 for the full run, which has
 * limits of time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome } from './support/home.ts';
import { type MortalPostgres, startMortalPostgres } from './support/mortal-postgres.ts';
import { type Running, start } from './support/process.ts';
import { type Direction, type Fault, startProxy, type TestProxy, through } from './support/proxy.ts';

const SECONDS = Number(process.env.HALF_OPEN_SECONDS ?? 5);
const IS_FULL = SECONDS >= 30;
const CONNECTIONS = 10;
/** Those that were open, and attempts that the server has not given up yet: some at once, then fewer than one a second. */
const CONNECTIONS_MAX = CONNECTIONS + 30 + Math.min(SECONDS, 60);
const SAMPLE_MS = 250;
/** Longest time for which answers and `/readyz` may differ, and until all works again, in the full run. Unit: ms. */
const DISAGREEMENT_MAX_MS = 2_000;
const BACK_MAX_MS = 5_000;
const PATIENCE_MS = 60_000;
/** Samples in a row after which all works again. */
const STEADY = 8;

interface Sample {
  readonly atMs: number;
  /** When all of it was answered. */
  readonly doneMs: number;
  readonly works: boolean;
  readonly isReady: boolean;
}

const place = newHome();
let postgres: MortalPostgres;
let proxy: TestProxy;
/** Of the server, which serve no connection. */
let ownProcesses = 0;
let gateway: Running;
let apiKey = '';

beforeAll(async () => {
  postgres = await startMortalPostgres();
  proxy = await startProxy(Number(new URL(postgres.url).port));
  gateway = await start({
    DATABASE_URL: through(proxy, postgres.url),
    DATABASE_CONNECTIONS: String(CONNECTIONS),
    SANDBOX: '1',
    CROSSRAMP_HOME: place.home,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'fatal',
  });
  apiKey = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  const { rows } = await owner.query(
    `select count(*)::int as n from pg_stat_activity where backend_type = 'client backend'`,
  );
  ownProcesses = postgres.countProcesses() - rows[0].n;
  await owner.end();
}, 180_000);
afterAll(async () => {
  proxy?.heal();
  gateway?.child.kill('SIGKILL');
  await proxy?.close();
  await postgres?.remove();
  place.remove();
}, 60_000);

async function statusOf(path: string, body?: object): Promise<number> {
  const answer = await fetch(gateway.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body?.cancel();
  return answer.status;
}

const CHECKOUT = { amount_payment: 20, currency_exit_received_code: 'USDT_TRX' };

async function sample(seen: Set<number>): Promise<Sample> {
  const atMs = performance.now();
  const [read, write, ready] = await Promise.all([
    statusOf('/v2/balance'),
    statusOf('/v2/crossramp_checkout', CHECKOUT),
    statusOf('/readyz'),
  ]);
  for (const status of [read, write, ready]) seen.add(status);
  const doneMs = performance.now();
  // Whoever waits for longer than `/readyz` may take is not served.
  const isInTime = !IS_FULL || doneMs - atMs <= DISAGREEMENT_MAX_MS;
  return { atMs, doneMs, works: isInTime && read === 200 && write === 201, isReady: ready === 200 };
}

/** Takes samples until enough was seen, whether those before are answered or not. @returns them in their order. */
async function sampleUntil(isEnough: (done: readonly Sample[]) => boolean, seen: Set<number>) {
  const asked: Promise<void>[] = [];
  const done: Sample[] = [];
  while (!isEnough(done)) {
    asked.push(sample(seen).then((each) => void done.push(each)));
    await sleep(SAMPLE_MS);
  }
  await Promise.all(asked);
  return done.toSorted((one, other) => one.atMs - other.atMs);
}

/** @returns for how long at most what was answered and what the gateway said of itself differed without a break. Unit: ms. */
function disagreementOf(samples: readonly Sample[]): number {
  let most = 0;
  let sinceMs: number | undefined;
  for (const { atMs, works, isReady } of samples) {
    sinceMs = works === isReady ? undefined : (sinceMs ?? atMs);
    if (sinceMs !== undefined) most = Math.max(most, atMs - sinceMs);
  }
  return most;
}

/** @returns connections that the server has, also those that it waits for to log in. */
function countConnections(): number {
  return postgres.countProcesses() - ownProcesses;
}

test.each<[Fault, Direction]>([
  ['hold', 'both'],
  ['drop', 'up'],
  ['drop', 'down'],
])(
  'C-51: a network that does "%s" (%s) takes few connections of the server, and all works again after it',
  async (fault, direction) => {
    const seen = new Set<number>();
    const before = { connections: countConnections(), attempts: proxy.accepted() };
    expect(await sample(seen)).toMatchObject({ works: true, isReady: true });
    let connections = before.connections;
    let isOver = false;
    const counting = (async () => {
      while (!isOver) {
        connections = Math.max(connections, countConnections());
        await sleep(SAMPLE_MS);
      }
    })();
    proxy.fail(fault, direction);
    const healMs = performance.now() + SECONDS * 1_000;
    const during = await sampleUntil(() => performance.now() >= healMs, seen);
    const attempts = proxy.accepted() - before.attempts;
    proxy.heal();
    const healedMs = performance.now();
    const isSteady = (done: readonly Sample[]) =>
      done.length >= STEADY && done.slice(-STEADY).every(({ works, isReady }) => works && isReady);
    const after = await sampleUntil(
      (done) => isSteady(done) || performance.now() > healedMs + PATIENCE_MS,
      seen,
    );
    isOver = true;
    await counting;
    const backMs = backAt(after) - healedMs;
    const summary = {
      ...{ fault, direction, seconds: SECONDS, samples: during.length + after.length },
      ...{ connectionsBefore: before.connections, connections, attempts },
      disagreementMs: Math.round(disagreementOf([...during, ...after])),
      backMs: Math.round(backMs),
    };
    process.stderr.write(`half open: ${JSON.stringify(summary)}\n`);
    expect(isSteady(after)).toBe(true);
    expect(during.some(({ works, isReady }) => !works && !isReady)).toBe(true);
    expect([...seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(connections).toBeLessThanOrEqual(CONNECTIONS_MAX);
    expect(gateway.child.exitCode).toBeNull();
    if (!IS_FULL) return;
    expect(summary.disagreementMs).toBeLessThanOrEqual(DISAGREEMENT_MAX_MS);
    expect(summary.backMs).toBeLessThanOrEqual(BACK_MAX_MS);
  },
  SECONDS * 1_000 + 3 * PATIENCE_MS,
);

/** @returns when the first sample was answered after which none failed. */
function backAt(samples: readonly Sample[]): number {
  const last = samples.findLastIndex(({ works, isReady }) => !works || !isReady);
  return samples[last + 1]?.doneMs ?? Number.POSITIVE_INFINITY;
}
