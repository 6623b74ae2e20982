/**
 * Goal: a database server is lost, its synchronous standby takes over, and gateways go on by themselves: 0 acknowledged payments are lost
 * (docs/reliability.md). Method: three failovers in a row, each to a new standby, under payments: the primary is killed; it hangs, and comes back
 * after the failover; it is cut off from the standby, while gateways still reach it. Gateways know both hosts from `DATABASE_URL`. Losses are
 * judged; times are told, and judged with `FAILOVER_TIMES=judged`, for a machine that does nothing else. `FAILOVER_ROUNDS=10` for 30 failovers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { migrate } from '../../src/store/migration/migrate.ts';
import { newHome } from '../support/home.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { failToStart, type Running, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';
import { makeSynchronous, type Standby, startStandby } from '../support/standby.ts';
import { startTrading, untilPaid } from '../support/trading.ts';

/** Gateways answer writes so soon after the new primary takes them. */
const GOAL_MS = 3_000;
const TRADE_MS = 3_000;
const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 1);
const areTimesJudged = process.env.FAILOVER_TIMES === 'judged';

const { home, remove } = newHome();
const { home: files, remove: removeFiles } = newHome();
const standbys: Standby[] = [];
const running: Running[] = [];
let first: MortalPostgres;
let key = '';

/** @returns one URL of both servers, as libpq writes it. */
function both(one: string, other: string): string {
  const [a, b] = [new URL(one), new URL(other)];
  return a.href.replace(a.host, `${a.host},${b.host}`).concat('?target_session_attrs=read-write');
}

/** @returns gateways on a server and its standby, one that serves and works, one that serves. */
async function startGateways(url: string): Promise<Running[]> {
  const settings = { SANDBOX: '1', RATE_LIMIT: 'off', LOG_LEVEL: 'error', CROSSRAMP_HOME: files };
  const env = { ...settings, DATABASE_URL: url, DRAIN_DELAY: '0' };
  const gateways = [await start(env), await start({ ...env, ROLE: 'serve' })];
  running.push(...gateways);
  key ||= JSON.parse(readFileSync(join(files, 'sandbox.json'), 'utf8')).apiKey;
  return gateways;
}

beforeAll(async () => {
  first = await startMortalPostgres();
}, 120_000);
afterAll(async () => {
  for (const each of running) await each.end('SIGKILL');
  for (const each of standbys) {
    each.signal('SIGCONT');
    await each.stop();
  }
  await first?.remove();
  remove();
  removeFiles();
});

interface Failover {
  readonly what: string;
  readonly lose: (primary: Pick<Standby, 'signal'>) => void;
  /** Acts on the old primary when the new one works. */
  readonly after?: (primary: Pick<Standby, 'signal'>) => void;
  /** The old primary answers reads until each gateway has noticed the new one: a payment of the other gateway is not there yet. */
  readonly isOldReadable?: true;
}

const FAILOVERS: readonly Failover[] = [
  { what: 'is killed', lose: (primary) => primary.signal('SIGKILL') },
  {
    what: 'hangs, and comes back when another took over',
    lose: (primary) => primary.signal('SIGSTOP'),
    after: (primary) => primary.signal('SIGCONT'),
    isOldReadable: true,
  },
  { what: 'is cut off from its standby, and still there for gateways', lose: () => {}, isOldReadable: true },
];

let primaryUrl: string;
let primary: Pick<Standby, 'signal'>;

test.each(
  Array.from({ length: ROUNDS }).flatMap(() => FAILOVERS),
)('the primary $what: gateways continue with the standby, and nothing acknowledged is lost', async ({
  what,
  lose,
  after,
  isOldReadable,
}) => {
  primaryUrl ??= first.url;
  primary ??= {
    signal: (name) =>
      ({ SIGKILL: first.kill, SIGSTOP: first.pause, SIGCONT: first.resume })[name as 'SIGKILL'](),
  };
  const name = `b${standbys.length}`;
  // The schema first: a standby has it too.
  if (!key) await migrate(primaryUrl);
  const standby = await startStandby(primaryUrl, home, name);
  standbys.push(standby);
  await makeSynchronous(primaryUrl, name);
  const gateways = await startGateways(both(standby.url, primaryUrl));
  const trading = startTrading({ gateways: () => gateways, key });
  await sleep(TRADE_MS);

  const former = primary;
  const lostAt = performance.now();
  lose(former);
  [primary, primaryUrl] = [standby, standby.url];
  await sleep(500);
  await standby.promote();
  const takenAt = performance.now();
  // A write that ended now began after the promotion.
  await eventually('a write', () => trading.met.writtenAt > takenAt + 1, 60_000);
  const writtenAt = trading.met.writtenAt;
  after?.(former);
  await sleep(TRADE_MS);
  const acknowledged = await trading.stop();
  const { met } = trading;

  process.stdout.write(
    `the primary ${what}: promoted ${Math.round(takenAt - lostAt)} ms after, written by gateways ${Math.round(writtenAt - takenAt)} ms after that; ${acknowledged.length} payments, ${met.refused.length} answers of 503 or 409\n`,
  );
  // The first request under a key may have been answered by nobody: its key is taken for a while.
  const usual = isOldReadable ? /: (?:503|404) |IDEMPOTENCY_RUNNING/ : /: 503 |IDEMPOTENCY_RUNNING/;
  expect(met.refused.filter((each) => !usual.test(each))).toEqual([]);
  expect(met.lost).toBe(0);
  if (areTimesJudged) expect(writtenAt - takenAt).toBeLessThan(GOAL_MS);
  const client = new pg.Client({ connectionString: standby.url });
  await client.connect();
  const { rows } = await client.query('select from transaction where end2end = any ($1)', [acknowledged]);
  expect(rows).toHaveLength(acknowledged.length);
  await untilPaid((text, values) => client.query(text, values), acknowledged);
  const database = openDatabase(standby.url);
  const { rows: accounts } = await client.query<{ id: string }>('select id from account');
  for (const { id } of accounts) expect((await verifyLedger(database, BigInt(id))).defects).toEqual([]);
  await database.close();
  // No one writes to the old primary, whatever it would take.
  const { rows: writers } = await client.query(
    `select count(*)::int as count from pg_stat_activity where application_name = 'crossramp'`,
  );
  expect(writers[0].count).toBeGreaterThan(0);
  await client.end();
  for (const each of gateways) expect((await each.end('SIGTERM')).code).toBe(0);
  running.length = 0;
}, 300_000);

test('a start on several hosts without a primary ends with one line that names them', async () => {
  const url = new URL(primaryUrl);
  url.port = '9';
  const nobody = both(url.href, url.href).replace(':9/', ':10/');
  const { code, stderr } = await failToStart({
    DATABASE_URL: nobody,
    START_WAIT: '0',
    PORT: '0',
    CROSSRAMP_HOME: files,
  });
  expect(stderr).toContain('none of the servers 127.0.0.1:9, 127.0.0.1:10 takes writes');
  expect(code).toBe(1);
}, 60_000);
