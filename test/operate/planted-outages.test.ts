/**
 * Goal: an outage of a process, of its log, its connections or its database fires its alert within a minute, and no other does. Method: a server of
 * its own and a gateway as a process whose log is on a full device; outages one after the other, each between two scrapes, and the real rules
 * over both, evaluated by `promtool` where it is installed.
 */
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { compareAlerts, hasPromtool } from '../support/fired-alerts.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { type Samples, scrapeLikePrometheus } from '../support/metrics.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { type Running, startWithLog } from '../support/process.ts';
import { eventually, useReceiver } from '../support/receiver.ts';

const PATIENCE_MS = 90_000;
const WAITING = 'crossramp_pool_waiting';
/** Each is a line of 400 bytes in the log, which keeps 4 MB of them. */
const REQUESTS_MAX = 40_000;
const PARALLEL = 50;
const { home, remove } = newHome();
const receiver = useReceiver();
let server: MortalPostgres;
let gateway: Running;
let url: string;
let apiKey: string;

const call = (path: string, { key = apiKey, ...init }: RequestInit & { key?: string } = {}) =>
  fetch(gateway.baseUrl + path, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...init,
  }).then((answer) => answer.text());

/** Scrapes until a sample is as bad as the outage makes it. @returns that scrape. */
function until(name: string, isBad: (value: number | undefined) => boolean): Promise<Samples> {
  return eventually(
    name,
    async () => {
      const samples = await scrapeLikePrometheus(url);
      return isBad(samples.get(name)) && samples;
    },
    PATIENCE_MS,
  );
}

/** Waits until all figures are read. */
async function healthy(): Promise<Samples> {
  let unread: readonly string[] = [];
  return eventually(
    'a scrape of all figures',
    async () => {
      const samples = await scrapeLikePrometheus(url);
      const read = [...samples].filter(([name]) => name.startsWith('crossramp_figures_read'));
      unread = read.filter(([, value]) => value !== 1).map(([name]) => name);
      const isIdle = samples.get(WAITING) === 0;
      return read.length > 0 && unread.length === 0 && isIdle && samples;
    },
    PATIENCE_MS,
  ).catch((error) => {
    throw new Error(`not read: ${unread}`, { cause: error });
  });
}

/** Holds tables so that nobody reads them, while the work lasts. */
async function whileLocked<Result>(tables: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(
      `set idle_in_transaction_session_timeout = 0; begin; lock table ${tables} in access exclusive mode`,
    );
    return await work();
  } finally {
    await client.end();
  }
}

/**
 * Compares alerts without figures that are bad for a moment and stand for a minute here: the lag of an event loop, as a machine that does much else
 * delays every process, and, where the pool is no part of the outage, callers that wait for one of its few connections.
 */
function expectAlerts(before: Samples, after: Samples, alerts: readonly string[]): void {
  const isOfPool = alerts.includes('CrossrampPoolStarved');
  const steady = (samples: Samples) =>
    new Map(
      [...samples].filter(([name]) => !name.includes('eventloop_lag') && (isOfPool || name !== WAITING)),
    );
  if (hasPromtool) expect(compareAlerts(steady(before), steady(after), alerts)).toBe('');
}

beforeAll(async () => {
  server = await startMortalPostgres();
  const port = await freePort();
  gateway = await startWithLog(openSync('/dev/full', 'w'), {
    ...{ CROSSRAMP_HOME: home, DATABASE_URL: server.url, SANDBOX: '1', DATABASE_CONNECTIONS: '3' },
    ...{ METRICS_PORT: String(port), RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', LOG_LEVEL: 'info' },
  });
  url = `http://127.0.0.1:${port}/metrics`;
  apiKey = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
}, PATIENCE_MS);
afterAll(async () => {
  gateway?.child.kill('SIGKILL');
  await server?.remove();
  remove();
});

test('a receiver that is gone has its endpoint disabled, which is CrossrampDeliveriesDisabled', async () => {
  const before = await healthy();
  receiver.answer('gone', { status: 410 });
  const order = {
    ...{ currency_exit_received_code: 'USDT_TRX', amount_payment: '50', webhook: receiver.url('gone') },
    ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
  };
  await call('/v2/onramp', { method: 'POST', body: JSON.stringify(order) });
  const after = await until(
    'crossramp_webhook_endpoints{mode="sandbox",state="disabled"}',
    (value) => value === 1,
  );
  expectAlerts(before, after, ['CrossrampDeliveriesDisabled']);
}, 240_000);

test('a table that cannot be read leaves its figures out, which is CrossrampFiguresUnread', async () => {
  const before = await healthy();
  const after = await whileLocked('screening_list', () =>
    until('crossramp_figures_read{group="screeningLists"}', (value) => value === 0),
  );
  expectAlerts(before, after, ['CrossrampFiguresUnread']);
}, 240_000);

test('a transaction that locks what all need leaves no connection, which is CrossrampPoolStarved', async () => {
  const before = await healthy();
  const waiting = new AbortController();
  const after = await whileLocked('account, api_key, job, transaction', async () => {
    const calls = Array.from({ length: 5 * PARALLEL }, () =>
      call('/v2/balance', { key: newApiKey('test'), signal: waiting.signal }).catch(() => {}),
    );
    let found = before;
    const of = (name: string) => found.get(`crossramp_${name}`) ?? 0;
    // A read of figures waits as all others do.
    const samples = await eventually(
      'a starved pool',
      async () => {
        found = await scrapeLikePrometheus(url);
        const isStarved =
          of('pool_waiting') > 0 && of('pool_connections_used') === of('pool_connections_max');
        return isStarved && of('database_up') === 0 && found;
      },
      PATIENCE_MS,
    );
    waiting.abort();
    await Promise.all(calls);
    return samples;
  });
  expectAlerts(before, after, ['CrossrampDatabaseAway', 'CrossrampPoolStarved']);
}, 240_000);

test('a database server that was killed is CrossrampDatabaseAway', async () => {
  const before = await healthy();
  server.kill();
  try {
    const after = await until('crossramp_database_up', (value) => value === 0);
    expectAlerts(before, after, ['CrossrampDatabaseAway']);
  } finally {
    await server.start();
  }
}, 240_000);

test('a log that takes no lines loses some of many, which is CrossrampLogLinesDropped', async () => {
  const before = await healthy();
  const headers = { 'x-request-id': 'x'.repeat(128) };
  const dropped = 'crossramp_log_lines_dropped_total';
  let after = before;
  for (let sent = 0; sent < REQUESTS_MAX && after.get(dropped) === 0; sent += 20 * PARALLEL) {
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: PARALLEL }, () => call('/healthz', { headers })));
    after = await scrapeLikePrometheus(url);
  }
  expect([before.get(dropped), after.get(dropped)]).toEqual([0, expect.any(Number)]);
  expect(after.get(dropped)).toBeGreaterThan(0);
  expectAlerts(before, after, ['CrossrampLogLinesDropped']);
}, 240_000);

test('a process that was killed is CrossrampProcessDown', async () => {
  const before = await healthy();
  gateway.child.kill('SIGKILL');
  await gateway.ended;
  const after = await scrapeLikePrometheus(url);
  expect([before.get('up'), after]).toEqual([1, new Map([['up', 0]])]);
  expectAlerts(before, after, ['CrossrampProcessDown']);
}, 240_000);
