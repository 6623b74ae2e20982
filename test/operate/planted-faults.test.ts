/**
 * Goal: a fault of a provider, of a list or of the books, and work that no person does, fire their alerts within a minute, and no others. Method: the
 * application with live rails whose PIX provider is unreachable, a scrape while all is well, then ten faults, a scrape of them, and the real rules
 * over both, evaluated by `promtool` where it is installed. Each fault is one that the application meets or finds itself; where its threshold is
 * hours, the row that it left is set back by that much. A transfer that does not end is such a row alone.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiPix } from '../../src/rails/api-pix/index.ts';
import { createScreening, readScreeningSettings } from '../../src/rails/screening/index.ts';
import type { BackgroundWork } from '../../src/resolvers/engine/repeat.ts';
import { startContinuousVerify } from '../../src/resolvers/reconciliation/verify-continuously.ts';
import { rescreenSlice } from '../../src/resolvers/screening/rescreen.ts';
import { settingsFor } from '../rails/api-pix/harness.ts';
import { useApp } from '../support/app.ts';
import { compareAlerts, hasPromtool } from '../support/fired-alerts.ts';
import { fundAccount } from '../support/fund-account.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { type Samples, startMetrics, type TestMetrics } from '../support/metrics.ts';
import { usePsp } from '../support/psp.ts';
import { eventually } from '../support/receiver.ts';
import { age, LIST_FILES, listFolderOf } from '../support/screening-lists.ts';
import { SILENT } from '../support/webhooks.ts';

const psp = usePsp();
/** Addresses of this machine where no provider listens. */
const NOWHERE = { url: 'https://127.0.0.1:1/v2', tokenUrl: 'https://127.0.0.1:1/token' };
const folder = listFolderOf();
const lists = [{ kind: 'lists', folder, lists: ['ofac', 'un'] }];
const part = <Port>(port: Port) => ({ port, checks: async () => [] });
const app = useApp({
  railsFile: {
    live: {
      pix: (tools) => createApiPix({ ...settingsFor(psp, 0), ...NOWHERE, callback: null }, tools),
      signer: () =>
        part({ describe: () => Promise.reject(new Error()), sign: () => Promise.reject(new Error()) }),
      networks: new Map([['TRX', () => part(LIVE_RAILS.chain)]]),
      rates: () => part(LIVE_RAILS.rates),
      liquidity: () => part(LIVE_RAILS.liquidity),
      identity: 'off',
      screening: (tools) => createScreening(readScreeningSettings(lists, 'screening'), tools),
    },
  },
});
let metrics: TestMetrics;
let verification: BackgroundWork;
let shop: { accountId: bigint; apiKey: string };
let healthy: Samples;
let troubled: Samples;

const above = (name: string, threshold: number) => (samples: Samples) =>
  (samples.get(`crossramp_${name}`) ?? 0) > threshold;

const isListOld = above('screening_list_age_seconds{mode="live",list="ofac"}', 604_800);

/** The faults, their alerts, and the samples that those read. */
const FAULTS: readonly (readonly [fault: string, alert: string, isThere: (samples: Samples) => boolean])[] = [
  ['a charge that fails', 'CrossrampJobsFailing', above('jobs_failing{mode="live",kind="create_charge"}', 0)],
  [
    'a transfer without an end',
    'CrossrampTransfersStuck',
    above('transfers_oldest_seconds{mode="live",network="TRX"}', 3_600),
  ],
  [
    'a provider that reports nothing',
    'CrossrampRailSilent',
    above('rail_report_age_seconds{mode="live",rail="pix"}', 21_600),
  ],
  [
    'a provider that is unreachable',
    'CrossrampRailFailing',
    above('rail_calls_total{rail="pix",outcome="failed"}', 2),
  ],
  [
    'money out above the ceiling of the hour',
    'CrossrampOutflowCeiling',
    above('limits_reached_total{limit="outflow_ceiling"}', 0),
  ],
  ['a damaged posting', 'CrossrampVerifyDefects', above('verify_defects', 0)],
  ['a verification that stands still', 'CrossrampVerifyLate', above('verify_new_age_seconds', 120)],
  ['an unknown payment', 'CrossrampSuspenseWaiting', above('suspense_oldest_seconds{mode="live"}', 14_400)],
  ['a list that is not renewed', 'CrossrampScreeningListOld', isListOld],
  [
    'a customer on a list',
    'CrossrampScreeningHitWaiting',
    above('screening_hits_oldest_seconds{mode="live"}', 14_400),
  ],
];

/** Figures of the faults that the application finds itself. */
const FOUND = [
  'jobs_failing{mode="live",kind="create_charge"}',
  'suspense_open{mode="live"}',
  'screening_hits_open{mode="live"}',
  'verify_defects',
];

/** Makes an onramp of a live account, which is answered 503 as long as its charge is not there. */
async function order(clientName: string): Promise<void> {
  const { status, text } = await app.post(
    '/v2/onramp',
    {
      ...{ currency_exit_received_code: 'USDT_TRX', amount_payment: '100.00' },
      ...{ client_name: clientName, client_tax_id: '52998224725' },
    },
    { key: shop.apiKey },
  );
  expect([201, 503], text).toContain(status);
}

/** Has an account pay out more than its ceiling of the hour allows. */
async function payOut(): Promise<void> {
  await fundAccount(app.database, shop.accountId, { currency: 'USDT_TRX', amount: '100' });
  await app.owner.query(
    `insert into account_setting (account_id, outflow_per_hour, whitelist_cooling_seconds) values ($1, 1, 0)
       on conflict (account_id) do update set outflow_per_hour = 1, whitelist_cooling_seconds = 0`,
    [String(shop.accountId)],
  );
  const { status, text } = await app.post(
    '/v2/offramp',
    {
      ...{ amount_sent: 20, currency_entry_paid_code: 'USDT_TRX', client_name: 'Bea Lima' },
      ...{ client_tax_id: '11144477735', pix_key: '11144477735', pix_key_type: 'cpf' },
    },
    { key: shop.apiKey },
  );
  expect(status, text).toBe(201);
}

/** A PIX that nobody ordered. */
const pay = (endToEndId: string) =>
  app.services.forMode('live').receive({
    ...{ kind: 'payment', txid: null, endToEndId, amount: '7.00', payerTaxId: null },
    settledAt: new Date().toISOString(),
  });

/** Changes rows past the triggers that forbid it. */
async function change(table: string, statement: string): Promise<void> {
  const toggle = (state: string) => `alter table ${table} ${state} trigger user`;
  await app.owner.query(`begin; ${toggle('disable')}; ${statement}; ${toggle('enable')}; commit`);
}

const isRead = (samples: Samples) =>
  [...samples].every(([name, value]) => !name.startsWith('crossramp_figures_read') || value === 1);

async function plantFaults(): Promise<void> {
  await order('Ana Souza');
  await order('Al-Zawahiri, Ayman');
  await payOut();
  await pay('E99999999202611220000unknown00001');
  for (const name of ['SDN.CSV', 'ALT.CSV', 'ADD.CSV']) age(folder, name, 8);
  await app.owner.query(
    `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, from_address, due_at, ordered_at)
     values ('live', 'TRX', 'planted', 'withdrawal', 'USDT_TRX', 'T', 1, 'T', now(), now() - interval '2 hours')`,
  );
  await change('ledger_line', `delete from ledger_line where account_id = ${shop.accountId} and seq = 2`);
  // Where a turn came between posting and damage, a round finds it: now, not in twenty hours.
  await app.owner.query('update verify_place set round_ended_at = null');
}

/** Sets back what the faults left, by the hours for which nobody does anything about them. */
async function letTimePass(): Promise<void> {
  await verification.stop();
  await app.owner.query(`update verify_turn set new_until = now() - interval '3 minutes'`);
  await app.owner.query(`update suspense_entry set opened_at = now() - interval '5 hours'`);
  await change('screening_hit', `update screening_hit set raised_at = now() - interval '5 hours'`);
  await change('rail_news', `update rail_news set seen_at = now() - interval '7 hours'`);
}

beforeAll(async () => {
  for (const name of Object.keys(LIST_FILES)) age(folder, name, 1);
  metrics = await startMetrics({ everyMs: 0, slowEveryMs: 0, sharedMs: 0 });
  metrics.watch({ services: app.services, streams: app.streams });
  shop = await app.addAccount({ mode: 'live' });
  await fundAccount(app.database, shop.accountId, { currency: 'BRL', amount: '5' });
  await fundAccount(app.database, shop.accountId, { currency: 'BRL', amount: '7' });
  await app.owner.query(`insert into chain_network (mode, network, head_at) values ('live', 'TRX', now())`);
  verification = startContinuousVerify({ database: app.database, log: SILENT });
  const live = app.services.forMode('live');
  healthy = await eventually(
    'a scrape without faults',
    async () => {
      await rescreenSlice(live, SILENT);
      const samples = await metrics.scrape();
      return samples.has('crossramp_verify_new_age_seconds') && isRead(samples) && samples;
    },
    60_000,
  );
  await plantFaults();
  let missing: readonly string[] = FOUND;
  await eventually(
    'all faults in the database',
    async () => {
      await rescreenSlice(live, SILENT);
      const samples = await metrics.scrape();
      missing = FOUND.filter((name) => !above(name, 0)(samples));
      return missing.length === 0 && isListOld(samples);
    },
    90_000,
  ).catch((error) => {
    throw new Error(`not found: ${missing}`, { cause: error });
  });
  await letTimePass();
  troubled = await eventually('all figures', async () => {
    const samples = await metrics.scrape();
    return isRead(samples) && samples;
  });
}, 240_000);
afterAll(() => metrics?.close());

test('no fault is seen while all is well', () => {
  expect(FAULTS.filter(([, , isThere]) => isThere(healthy)).map(([fault]) => fault)).toEqual([]);
});

test.each(FAULTS)('%s is seen in the metric that %s reads', (_fault, _alert, isThere) => {
  expect(isThere(troubled)).toBe(true);
});

test.skipIf(!hasPromtool)('a minute after them their alerts fire, and no other', () => {
  // A machine that does much else delays every process.
  const withoutLag = (samples: Samples) =>
    new Map([...samples].filter(([name]) => !name.includes('eventloop_lag')));
  const alerts = FAULTS.map(([, alert]) => alert);
  expect(compareAlerts(withoutLag(healthy), withoutLag(troubled), alerts)).toBe('');
});
