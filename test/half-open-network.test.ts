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
import {
  BACK_MAX_MS,
  DISAGREEMENT_MAX_MS,
  disagreementOf,
  type Sampled,
  sample,
  sampleUntil,
  sampleUntilSteady,
} from './support/availability.ts';
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
const PATIENCE_MS = 60_000;

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
    const sampled: Sampled = { baseUrl: gateway.baseUrl, apiKey, isTimed: IS_FULL, seen: new Set() };
    const before = { connections: countConnections(), attempts: proxy.accepted() };
    expect(await sample(sampled)).toMatchObject({ works: true, isReady: true });
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
    const during = await sampleUntil(sampled, () => performance.now() >= healMs);
    const attempts = proxy.accepted() - before.attempts;
    proxy.heal();
    const { samples: after, isSteady, backMs } = await sampleUntilSteady(sampled);
    isOver = true;
    await counting;
    const summary = {
      ...{ fault, direction, seconds: SECONDS, samples: during.length + after.length },
      ...{ connectionsBefore: before.connections, connections, attempts },
      disagreementMs: disagreementOf([...during, ...after]),
      backMs,
    };
    process.stderr.write(`half open: ${JSON.stringify(summary)}\n`);
    expect(isSteady).toBe(true);
    expect(during.some(({ works, isReady }) => !works && !isReady)).toBe(true);
    expect([...sampled.seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(connections).toBeLessThanOrEqual(CONNECTIONS_MAX);
    expect(gateway.child.exitCode).toBeNull();
    if (!IS_FULL) return;
    expect(summary.disagreementMs).toBeLessThanOrEqual(DISAGREEMENT_MAX_MS);
    expect(summary.backMs).toBeLessThanOrEqual(BACK_MAX_MS);
  },
  SECONDS * 1_000 + 3 * PATIENCE_MS,
);
