/**
 * Goal: each trouble that a payment system meets in operation fires its alert within a minute. Method: a server of its own and a gateway as a
 * process; a scrape of it while all is well, then twelve troubles, a scrape of them, and the real rules over both, evaluated by `promtool`
 * where it is installed. Planted as they happen: webhooks and jobs without a worker, connection slots, a slow statement, the clock, a slot
 * without its replica, the certificate, the event loop. Planted as the rows that they leave, because their thresholds are minutes:
 * the age of those jobs and webhooks, rails, rates, the imbalance. The disk is small by its setting: no disk is filled here.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/compose/open-store.ts';
import { createAuthority, type Identity, issue } from '../../src/psp/ca.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { compareAlerts, hasPromtool } from '../support/fired-alerts.ts';
import { freePort } from '../support/free-port.ts';
import { fundAccount } from '../support/fund-account.ts';
import { newHome } from '../support/home.ts';
import { type Samples, scrape } from '../support/metrics.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { crossramp, type Ended, type Running, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';

const DAY_MS = 86_400_000;
const WALL_CLOCK = `--import=${new URL('../support/wall-clock.mjs', import.meta.url).pathname}`;
const { home, remove } = newHome();
const authority = createAuthority('Test authority');
const clients: pg.Client[] = [];
let server: MortalPostgres;
let store: Store;
let accountId: bigint;
let healthy: Samples;
let troubled: Samples;
let doctor: readonly { readonly check: string; readonly ok: boolean }[];
let verified: string;

/** The twelve with the samples that their alerts read, and what each is when the alert fires. */
const TROUBLES: readonly (readonly [
  trouble: string,
  alert: string,
  isThere: (samples: Samples) => boolean | undefined,
])[] = [
  ['webhooks stuck', 'CrossrampWebhooksStuck', above('relay_lag_seconds{mode="live"}', 60)],
  ['jobs stuck', 'CrossrampJobsStuck', above('jobs_oldest_seconds{mode="live",kind="news"}', 300)],
  [
    'network away',
    'CrossrampNetworkSilent',
    above('network_trouble_seconds{mode="live",network="TRX"}', 300),
  ],
  ['PIX provider away', 'CrossrampStatementUnread', above('pix_statement_age_seconds{mode="live"}', 600)],
  ['imbalance', 'CrossrampLedgerImbalance', above('ledger_imbalances{mode="live"}', 0)],
  [
    'disk',
    'CrossrampDiskFilling',
    (samples) => share(samples, 'database_size_bytes', 'database_disk_bytes') > 0.85,
  ],
  [
    'slots',
    'CrossrampConnectionSlots',
    (samples) => share(samples, 'server_connections_used', 'server_connections_max') > 0.9,
  ],
  ['slow statement', 'CrossrampSlowStatement', above('longest_statement_seconds', 30)],
  ['clock', 'CrossrampClockSkew', above('clock_ahead_seconds', 2)],
  [
    'replica away',
    'CrossrampReplicaLag',
    (samples) => samples.get('crossramp_replication_slot_active{slot="replica"}') === 0,
  ],
  [
    'replica without a slot away',
    'CrossrampReplicaAway',
    (samples) => share(samples, 'replicas_connected', 'replicas_expected') < 1,
  ],
  [
    'certificate',
    'CrossrampCertificateEnding',
    (samples) => {
      const left = samples.get(
        'crossramp_certificate_seconds_left{mode="live",rail="pix",certificate="certificate"}',
      );
      return left !== undefined && left < (21 * DAY_MS) / 1_000;
    },
  ],
  ['rates stale', 'CrossrampRatesStale', above('rate_age_seconds{mode="live",asset="USDT"}', 300)],
  ['event loop', 'CrossrampEventLoopLag', above('nodejs_eventloop_lag_p99_seconds', 0.5)],
];

function above(name: string, threshold: number) {
  return (samples: Samples) => (samples.get(`crossramp_${name}`) ?? 0) > threshold;
}

function share(samples: Samples, part: string, whole: string): number {
  return (samples.get(`crossramp_${part}`) ?? 0) / (samples.get(`crossramp_${whole}`) ?? Number.NaN);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

/** Writes a certificate that ends then, and the rail that uses it; nobody answers at its address. */
function writeRails(endsInDays: number): string {
  const validUntil = new Date(Date.now() + endsInDays * DAY_MS);
  const { certificate, key }: Identity = issue(authority, { name: 'Gateway', validUntil });
  const files = { 'a.pem': certificate, 'a-key.pem': key, 'ca.pem': authority.certificate, secret: 'secret' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text, { mode: 0o600 });
  const url = 'https://pix.invalid';
  const pix = {
    ...{ kind: 'api-pix', url: `${url}/v2`, tokenUrl: `${url}/oauth/token`, clientId: 'shop' },
    ...{ clientSecretFile: 'secret', certificateFile: 'a.pem', keyFile: 'a-key.pem', caFile: 'ca.pem' },
    ...{ pixKey: '7d9f0335-8dcc-4054-9bf9-0dbd61d36906', ispb: '12345678' },
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, JSON.stringify({ live: { pix, identity: 'off', screening: 'off' } }));
  return file;
}

/** Starts a gateway that only answers: nothing does the jobs. */
async function startServing(settings: Record<string, string>): Promise<{ gateway: Running; url: string }> {
  const port = await freePort();
  const gateway = await start({
    ...{ CROSSRAMP_HOME: home, DATABASE_URL: server.url, ROLE: 'serve', RATE_LIMIT: 'off' },
    ...{ SECRETS_KEY_FILE: join(home, 'secrets.key'), METRICS_PORT: String(port) },
    ...settings,
  });
  return { gateway, url: `http://127.0.0.1:${port}/metrics` };
}

/** Rows that change every second while all is well, as fresh as they are then, or as old as they are in trouble. */
async function writeRows(age: string): Promise<void> {
  // Not one more connection for each look: they would use up the slots.
  const [client = await connect()] = clients;
  await client.query(`begin; delete from rate where mode = 'live'; delete from chain_network; delete from pix_cursor;
    insert into rate (mode, asset, mid, observed_at) values ('live', 'USDT', 5, now() - interval '${age}');
    insert into pix_cursor (mode, source, read_at, free_at) values ('live', 'bank', now() - interval '${age}', now());
    insert into chain_network (mode, network, head_at, trouble, trouble_since)
      values ('live', 'TRX', now() - interval '${age}', case when '${age}' <> '0' then 'no answer' end,
              case when '${age}' <> '0' then now() - interval '${age}' end); commit`);
}

async function plantTroubles(): Promise<void> {
  const client = await connect();
  // Its result is never read: the server ends it with the connection.
  (await connect()).query('select pg_sleep(3600)').catch(() => {});
  await client.query(`select pg_create_physical_replication_slot('replica', true)`);
  await writeRows('20 minutes');
  await client.query(`insert into job (account_id, transaction_id, kind, due_at, is_live)
    values (${accountId}, 0, 'news', now() - interval '10 minutes', true)`);
  await client.query(`insert into relay_place (account_id, seq) values (${accountId}, 0) on conflict do nothing;
    insert into relay_queue (account_id, seq, at)
    values (${accountId}, 1, now() - interval '5 minutes')`);
  await client.query(`alter table ledger_balance disable trigger user;
    update ledger_balance set balance = balance + 1 where (account_id, ledger_account_id) =
      (select account_id, ledger_account_id from ledger_balance where account_id = ${accountId} limit 1)`);
}

/** Takes the connections that the server has left, but a few. */
async function takeConnections(url: string): Promise<void> {
  const samples = await scrape(url);
  const [used, max] = ['used', 'max'].map((name) => samples.get(`crossramp_server_connections_${name}`));
  for (let left = Math.ceil((max ?? 0) * 0.94) - (used ?? 0); left > 0; left--) await connect();
}

/** Runs a command. On a slow machine the gateway takes the last slots meanwhile: then some of the test's own are freed. @returns its output. */
async function outputOf(run: () => Promise<Ended>): Promise<string> {
  const { stdout, stderr } = await run();
  if (stdout || !stderr.includes('53300')) return stdout;
  await clients.pop()?.end();
  return outputOf(run);
}

/** Scrapes a process that stands still for most of the time between two scrapes. */
async function scrapeStanding({ child }: Running, url: string): Promise<Samples> {
  await scrape(url);
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  child.kill('SIGCONT');
  return scrape(url);
}

/** Has a process stand still for most of the time that work takes. */
async function whileStanding<Result>({ child }: Running, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    child.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return work;
}

beforeAll(async () => {
  server = await startMortalPostgres();
  const databaseUrl = server.url;
  store = await openStore({ home, databaseUrl, databaseConnections: 2 });
  accountId = await createAccount(store.database, 'Loja Azul', { templates: ['onramp'], mode: 'live' });
  await fundAccount(store.database, accountId, { currency: 'BRL', amount: '100' });
  await (await connect()).query('grant pg_read_all_stats to crossramp_app; delete from relay_queue');
  await writeRows('0');
  const { gateway, url } = await startServing({ RAILS_FILE: writeRails(365) });
  try {
    const look = async () => {
      await writeRows('0');
      const samples = await scrape(url);
      healthy = samples;
      const isWell = !TROUBLES.some(([, , isThere]) => isThere(samples));
      return isWell && samples.get('crossramp_ledger_imbalances{mode="live"}') !== undefined
        ? samples
        : undefined;
    };
    // A start holds its event loop up for a moment, and the figure of it looks back for thirty seconds.
    healthy = await eventually('a scrape of all figures', look, 90_000).catch(() => healthy);
  } finally {
    await gateway.end('SIGTERM');
  }
  await plantTroubles();
  const { gateway: second, url: at } = await startServing({
    ...{ RAILS_FILE: writeRails(10), DATABASE_DISK_GB: '0.005', DATABASE_REPLICAS: '1' },
    ...{ NODE_OPTIONS: WALL_CLOCK, WALL_CLOCK_MS: '20000' },
  });
  try {
    await takeConnections(at);
    const missing = (samples: Samples) =>
      TROUBLES.filter(([, , isThere]) => !isThere(samples)).map(([trouble]) => trouble);
    troubled = await eventually(
      'all troubles in one scrape',
      async () => {
        const samples = await scrapeStanding(second, at);
        troubled = samples;
        return missing(samples).length === 0 ? samples : undefined;
      },
      90_000,
    ).catch(() => troubled);
    const env = { CROSSRAMP_HOME: home, DATABASE_URL: server.url, RAILS_FILE: join(home, 'rails.json') };
    const settings = {
      ...env,
      DATABASE_DISK_GB: '0.005',
      DATABASE_REPLICAS: '1',
      METRICS_PORT: new URL(at).port,
    };
    const examined = () => whileStanding(second, crossramp(settings, 'doctor', '--json'));
    doctor = JSON.parse(await outputOf(examined)).checks;
    verified = await outputOf(() => crossramp(env, 'verify'));
  } finally {
    await second.end('SIGTERM');
  }
}, 300_000);
afterAll(async () => {
  for (const client of clients) await client.end().catch(() => {});
  await store?.close();
  await server?.remove();
  remove();
});

test('no trouble is seen while all is well', () => {
  expect(TROUBLES.filter(([, , isThere]) => isThere(healthy)).map(([trouble]) => trouble)).toEqual([]);
});

test.each(TROUBLES)('%s is seen in the metric that %s reads', (_trouble, _alert, isThere) => {
  expect(isThere(troubled)).toBe(true);
});

test.skipIf(!hasPromtool)('a minute after them their alerts fire, and no other', () => {
  const expected = TROUBLES.map(([, alert]) => alert);
  expect(compareAlerts(healthy, troubled, expected)).toBe('');
});

test.each([
  ...[
    'jobs of live accounts',
    'webhooks of live accounts',
    'connection slots',
    'statements',
    'replicas',
    'disk',
  ],
  ...['ledger', 'process: clock', 'process: event loop'],
  ...['live pix: certificate', 'live pix: token'],
])('doctor fails at %s', (name) => {
  expect(doctor.find(({ check }) => check === name)).toMatchObject({ ok: false });
});

test('verify names the imbalance by its ledger account and line', () => {
  expect(verified).toMatch(
    new RegExp(`^account ${accountId}, ledger account -?\\d+, at \\d+: balance differs from its lines: `),
  );
});
