/**
 * Goal: metrics follow what happens, their labels are bounded, and nobody who asks harms the gateway. Method: the application and its
 * webhooks with a listener of metrics beside it, asked over HTTP.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NoteRequest } from '../../../src/server/metrics/request-figures.ts';
import { closeWebhookConnections } from '../../../src/webhooks/send.ts';
import { startWebhooks, type WebhookWorker } from '../../../src/webhooks/worker.ts';
import { EVENTS, subscribe } from '../../live/streams.ts';
import { useApp } from '../../support/app.ts';
import { compareAlerts, hasPromtool } from '../../support/fired-alerts.ts';
import { countingReads, type Samples, startMetrics, type TestMetrics } from '../../support/metrics.ts';
import { eventually, useReceiver } from '../../support/receiver.ts';
import { openOnramp, SILENT } from '../../support/webhooks.ts';

const RULES = readFileSync(
  new URL('../../../deploy/prometheus/crossramp.rules.yml', import.meta.url),
  'utf8',
);
const noted: { to?: NoteRequest | undefined } = {};
const log = { dropped: 0 };
const app = useApp({ noteRequest: (...request) => noted.to?.(...request) });
const receiver = useReceiver();
let metrics: TestMetrics;
let webhooks: WebhookWorker;

beforeAll(async () => {
  metrics = await startMetrics({ everyMs: 0, slowEveryMs: 0, sharedMs: 0 }, log);
  metrics.watch({ services: app.services, streams: app.streams });
  noted.to = metrics.noteRequest;
  webhooks = startWebhooks(app.services, SILENT, { allowsLoopback: true });
});
afterAll(async () => {
  const stopped = webhooks?.stop();
  closeWebhookConnections();
  await stopped;
  await metrics?.close();
});

const sum = (samples: Samples, start: string) =>
  [...samples].reduce((total, [name, value]) => (name.startsWith(start) ? total + value : total), 0);
/** Scrapes until a sample is as expected. */
const until = (name: string, isSo: (value: number) => boolean) =>
  eventually(name, async () => {
    const samples = await metrics.scrape();
    const value = samples.get(name);
    return value !== undefined && isSo(value) ? samples : undefined;
  });

test('a request is counted under its route, with its outcome and its duration', async () => {
  const counted = 'crossramp_http_requests_total{route="/v2/onramp/{id}",method="GET",outcome="4xx"}';
  const timed = 'crossramp_http_request_duration_seconds_count{route="/v2/onramp/{id}",method="GET"}';
  const before = await metrics.scrape();
  await app.get('/v2/onramp/PIX-of-nobody');
  const after = await until(counted, (value) => value === (before.get(counted) ?? 0) + 1);
  expect(after.get(timed)).toBe((before.get(timed) ?? 0) + 1);
});

test('no path, method or operation of a caller adds a series', async () => {
  const ask = async (at: number) => {
    const name = `x${at}${Math.random().toString(36).slice(2)}`;
    await app.get(`/${name}`, { key: null });
    await app.get(`/v2/onramp/${name}`);
    await app.get(`/pay/${name}/${name}`, { key: null });
    await app.graphql(`query ${name} { __typename }`);
  };
  const queryAll = async (count: number) => {
    for (let at = 0; at < count; at += 10)
      await Promise.all(Array.from({ length: 10 }, (_, more) => ask(at + more)));
  };
  await queryAll(10);
  const series = async () => [...(await metrics.scrape()).keys()].filter((name) => name.includes('http_'));
  const unknown = 'crossramp_http_requests_total{route="unknown",method="GET",outcome="4xx"}';
  const before = (await until(unknown, (value) => value >= 10)).get(unknown) as number;
  const first = await series();
  await queryAll(1_000);
  await until(unknown, (value) => value >= before + 1_000);
  expect(await series()).toEqual(first);
}, 120_000);

test('an open stream is counted while it lasts, and its length is no latency', async () => {
  const timed = 'crossramp_http_request_duration_seconds_count{route="/graphql",method="POST"}';
  const counted = 'crossramp_http_requests_total{route="/graphql",method="POST",outcome="2xx"}';
  const before = await metrics.scrape();
  const stream = await subscribe(app, EVENTS, { key: app.apiKey });
  await until('crossramp_streams_open', (value) => value === 1);
  stream.close();
  await until(counted, (value) => value === (before.get(counted) ?? 0) + 1);
  const after = await until('crossramp_streams_open', (value) => value === 0);
  expect(after.get(timed)).toBe(before.get(timed));
});

test('an unclaimed job is due, with its age, and a failing one is counted as failing', async () => {
  const labels = '{mode="sandbox",kind="swap"}';
  await app.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at, leased_until, last_error, attempts)
     values ($1, 1, 'swap', now() - interval '10 minutes', now() + interval '1 hour', null, 1),
            ($1, 2, 'swap', now() + interval '1 hour', null, 'the rail is away', 3),
            ($1, 3, 'swap', now() + interval '1 hour', null, 'the rail is away', 2)`,
    [String(app.accountId)],
  );
  const samples = await metrics.scrape();
  expect(samples.get(`crossramp_jobs_due${labels}`)).toBe(1);
  expect(samples.get(`crossramp_jobs_oldest_seconds${labels}`)).toBeGreaterThanOrEqual(599);
  expect(samples.get(`crossramp_jobs_failing${labels}`)).toBe(1);
  await app.owner.query(`delete from job where kind = 'swap'`);
  expect((await metrics.scrape()).get(`crossramp_jobs_due${labels}`)).toBeUndefined();
});

test('a network in trouble and a transfer that does not end are as old as they are, and a network without a block has no age', async () => {
  await app.owner.query(
    `insert into chain_network (mode, network, trouble, trouble_since, head_at)
     values ('live', 'ETH', 'no answer', now() - interval '10 minutes', null), ('live', 'TRX', null, null, now())`,
  );
  await app.owner.query(
    `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, from_address, due_at, ordered_at)
     values ('live', 'TRX', 'of-metrics', 'withdrawal', 'USDT_TRX', 'T', 1, 'T', now(), now() - interval '2 hours')`,
  );
  const samples = await metrics.scrape();
  const of = (name: string, network: string) =>
    samples.get(`crossramp_${name}_seconds{mode="live",network="${network}"}`);
  expect(of('network_trouble', 'ETH')).toBeGreaterThanOrEqual(599);
  expect(of('network_head_age', 'ETH')).toBeUndefined();
  expect([of('network_trouble', 'TRX'), of('transfers_oldest', 'ETH')]).toEqual([0, 0]);
  expect(of('transfers_oldest', 'TRX')).toBeGreaterThanOrEqual(7_199);
  await app.owner.query('delete from chain_order; delete from chain_network');
});

test('deliveries of an endpoint that fails are failing, and an endpoint that was disabled is counted', async () => {
  const shop = await app.addAccount();
  receiver.answer('broken', { status: 500 });
  await openOnramp(app, shop.apiKey, receiver.url('broken'));
  const failing = 'crossramp_webhook_deliveries{mode="sandbox",state="failing"}';
  const samples = await until(failing, (value) => value >= 1);
  expect(
    samples.get('crossramp_webhook_deliveries_oldest_seconds{mode="sandbox",state="failing"}'),
  ).toBeLessThan(60);
  const disabled = 'crossramp_webhook_endpoints{mode="sandbox",state="disabled"}';
  expect(samples.get(disabled)).toBe(0);
  await app.owner.query(`update webhook_endpoint set state = 'disabled' where account_id = $1`, [
    String(shop.accountId),
  ]);
  expect((await metrics.scrape()).get(disabled)).toBe(1);
});

test('an unclaimed turn of an endpoint, and unrelayed events, are overdue', async () => {
  await webhooks.stop();
  const shop = await app.addAccount();
  await openOnramp(app, shop.apiKey, receiver.url('late'));
  await app.owner.query(`update relay_queue set at = at - interval '5 minutes' where account_id = $1`, [
    String(shop.accountId),
  ]);
  const { rows } = await app.owner.query(
    `select account_id, id from webhook_endpoint where account_id = $1 and state = 'enabled'`,
    [String(shop.accountId)],
  );
  await app.owner.query(
    `insert into webhook_turn (account_id, endpoint_id, at) values ($1, $2, now() - interval '10 minutes')`,
    [rows[0].account_id, rows[0].id],
  );
  const samples = await metrics.scrape();
  expect(samples.get('crossramp_webhook_overdue_seconds{mode="sandbox"}')).toBeGreaterThanOrEqual(599);
  expect(samples.get('crossramp_relay_lag_seconds{mode="sandbox"}')).toBeGreaterThanOrEqual(299);
  expect(samples.get('crossramp_relay_accounts_behind{mode="sandbox"}')).toBeGreaterThanOrEqual(1);
  webhooks = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  await until('crossramp_webhook_overdue_seconds{mode="sandbox"}', (value) => value < 60);
  await until('crossramp_relay_lag_seconds{mode="sandbox"}', (value) => value === 0);
});

test('the first MED case that waits for an answer shows its remaining time, and fires its alerts', async () => {
  const name = 'crossramp_med_case_due_seconds{mode="live"}';
  const { accountId } = await app.addAccount({ mode: 'live' });
  const healthy = await metrics.scrape();
  expect(healthy.get(name)).toBeUndefined();
  const open = (reference: string, due: string) =>
    app.owner.query(
      `insert into med_case (mode, account_id, kind, reference, pix_e2e, state, opened_at, due_at, updated_at)
         values ('live', $3, 'infraction', $1, 'E1', 'open', now(), now() + $2::interval, now())`,
      [reference, due, String(accountId)],
    );
  const alerts = ['CrossrampMedCaseDue48h', 'CrossrampMedCaseDue24h', 'CrossrampMedCaseDue6h'];
  const limits = new Map(
    [
      ...RULES.matchAll(
        /alert: (\w+)\n\s+expr: min by \(mode\) \(crossramp_med_case_due_seconds\{mode="live"\}\) < (\d+)/g,
      ),
    ].map(([, alert, limit]) => [alert as string, Number(limit)]),
  );
  expect([...limits.keys()]).toEqual(alerts);
  for (const [at, due] of ['47 hours', '23 hours', '5 hours', '-1 hours'].entries()) {
    await open(`case ${at}`, due);
    const troubled = await metrics.scrape();
    expect(troubled.get(name)).toBeLessThanOrEqual(Math.max(0, Number(due.split(' ')[0])) * 3_600);
    expect(troubled.get('crossramp_med_cases_open{mode="live"}')).toBe(at + 1);
    const firing = [...limits].flatMap(([alert, limit]) =>
      (troubled.get(name) as number) < limit ? [alert] : [],
    );
    expect(firing).toEqual(alerts.slice(0, at + 1));
    // Without the second figure no process would answer.
    const kept = [name, 'crossramp_database_up'];
    const only = (samples: Samples) => new Map([...samples].filter(([each]) => kept.includes(each)));
    if (hasPromtool) expect(compareAlerts(only(healthy), only(troubled), alerts.slice(0, at + 1))).toBe('');
  }
  await app.owner.query(`update med_case set state = 'answered' where mode = 'live'`);
  expect((await metrics.scrape()).get(name)).toBeUndefined();
});

test('a rail that is stopped after a restore shows for how long, and fires its alert', async () => {
  const healthy = await metrics.scrape();
  await app.owner.query(`with point as (
      insert into restore_point (since, noticed_at) values (now(), now() - interval '31 minutes') returning id)
    insert into restored_rail (restore_id, mode, rail) select id, 'live', 'pix' from point`);
  await app.owner.query(`insert into unknown_payment (mode, rail, name, kind, currency, amount_minor, sent_at)
    values ('live', 'pix', 'one', 'payout', 'BRL', 100, now())`);
  const troubled = await metrics.scrape();
  const name = 'crossramp_rail_stopped_seconds{mode="live",rail="pix"}';
  expect(troubled.get(name)).toBeGreaterThanOrEqual(1_860);
  expect(troubled.get('crossramp_unknown_payments{mode="live",rail="pix"}')).toBe(1);
  const only = (samples: Samples) =>
    new Map([...samples].filter(([each]) => [name, 'crossramp_database_up'].includes(each)));
  if (hasPromtool) expect(compareAlerts(only(healthy), only(troubled), ['CrossrampRailStopped'])).toBe('');
  await app.owner.query('update restored_rail set cleared_at = now()');
  expect((await metrics.scrape()).get(name)).toBe(0);
});

test('rails, networks, rates, suspense and an imbalance of the ledger are shown as they are', async () => {
  const healthy = await metrics.scrape();
  expect(healthy.get('crossramp_ledger_imbalances{mode="sandbox"}')).toBe(0);
  expect(healthy.get('crossramp_suspense_open{mode="sandbox"}')).toBe(0);
  expect(healthy.get('crossramp_database_size_bytes')).toBeGreaterThan(1_000_000);
  await app.owner.query(`insert into rail_news (mode, rail, kind, key, body, outcome, seen_at)
    values ('sandbox', 'pix', 'payment', 'k1', '{}', 'failed', now() - interval '1 hour')`);
  await app.owner.query(`insert into chain_network (mode, network, head_at, paused_at, paused_by, pause_reason)
    values ('sandbox', 'TRX', now() - interval '1 minute', now(), 'test', 'a test')`);
  await app.owner.query(`update rate set observed_at = now() - interval '2 hours' where asset = 'TRX'`);
  const samples = await metrics.scrape();
  expect(samples.get('crossramp_rail_report_age_seconds{mode="sandbox",rail="pix"}')).toBeLessThan(3_700);
  expect(samples.get('crossramp_rail_reports_unsettled{mode="sandbox",rail="pix"}')).toBe(1);
  expect(samples.get('crossramp_network_paused{mode="sandbox",network="TRX"}')).toBe(1);
  expect(samples.get('crossramp_network_head_age_seconds{mode="sandbox",network="TRX"}')).toBeGreaterThan(58);
  expect(samples.get('crossramp_rate_age_seconds{mode="sandbox",asset="TRX"}')).toBeGreaterThan(7_198);
  await app.owner.query(
    `alter table ledger_balance disable trigger user; update ledger_balance set balance = balance + 1
      where (account_id, ledger_account_id) = (select account_id, ledger_account_id from ledger_balance limit 1)`,
  );
  const broken = await metrics.scrape();
  expect(broken.get('crossramp_ledger_imbalances{mode="sandbox"}')).toBe(1);
  expect(broken.get('crossramp_ledger_imbalances{mode="live"}')).toBe(0);
});

test('a figure that is not known is left out, and is not 0', async () => {
  const samples = await metrics.scrape();
  expect(samples.get('crossramp_verify_defects')).toBe(0);
  expect(samples.has('crossramp_verify_new_age_seconds')).toBe(false);
});

test('dropped log lines, the pool, the clock and the event loop are figures of the process', async () => {
  log.dropped = 7;
  const samples = await metrics.scrape();
  expect(samples.get('crossramp_log_lines_dropped_total')).toBe(7);
  expect(samples.get('crossramp_pool_connections_max')).toBe(8);
  expect(samples.get('crossramp_pool_waiting')).toBe(0);
  expect(Math.abs(samples.get('crossramp_clock_ahead_seconds') as number)).toBeLessThan(5);
  expect(samples.get('crossramp_nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
});

test('callers that wait for a connection are counted, and a pool that has none left ends no scrape', async () => {
  // What it read before is shown until the next read.
  const own = await startMetrics({ sharedMs: 0 });
  own.watch({ services: app.services, streams: app.streams });
  await own.scrape();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holders = Array.from({ length: 8 }, () => app.database.withTx(() => held));
  const waiting = app.database.withTx(async () => 'done').catch(() => 'gave up');
  const samples = await own.scrape();
  expect(samples.get('crossramp_pool_connections_used')).toBe(8);
  expect(samples.get('crossramp_pool_waiting')).toBeGreaterThanOrEqual(1);
  expect((await metrics.scrape()).get('crossramp_database_up')).toBe(0);
  release();
  await Promise.all([...holders, waiting]);
  expect((await metrics.scrape()).get('crossramp_database_up')).toBe(1);
  await own.close();
}, 30_000);

test('a slow figure is left out, and the others are read', async () => {
  const lock = await app.owner.connect();
  await lock.query('begin; lock table rail_news in access exclusive mode');
  const samples = await metrics.scrape();
  await lock.query('rollback');
  lock.release();
  expect(samples.get('crossramp_figures_read{group="reports"}')).toBe(0);
  expect(samples.get('crossramp_figures_read{group="rates"}')).toBe(1);
  expect(samples.get('crossramp_database_up')).toBe(1);
  expect(sum(samples, 'crossramp_rail_report_age_seconds')).toBe(0);
  const after = await app.database.query<{ limit: string }>(
    { name: 'metrics_limit', text: `select current_setting('statement_timeout') as "limit"` },
    [],
  );
  expect(after[0]?.limit).toBe('15s');
}, 30_000);

test('fifty parallel scrapes read the database once, and so do those that follow soon', async () => {
  const { services, reads } = countingReads(app.services);
  const own = await startMetrics();
  own.watch({ services, streams: app.streams });
  const all = () => Promise.all(Array.from({ length: 50 }, () => own.scrape()));
  for (const samples of [...(await all()), ...(await all())])
    expect(samples.get('crossramp_database_up')).toBe(1);
  expect(reads()).toBe(1);
  await own.close();
});

test('only GET and HEAD of one path are answered', async () => {
  const head = await fetch(metrics.url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const post = await fetch(metrics.url, { method: 'POST', body: 'x'.repeat(100_000) });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await fetch(new URL('/', metrics.url))).status).toBe(404);
  expect((await fetch(new URL('/v2/balance', metrics.url))).status).toBe(404);
  expect((await fetch(new URL('/metrics?x=1', metrics.url))).status).toBe(200);
  expect((await app.get('/metrics', { key: null })).status).toBe(404);
});
