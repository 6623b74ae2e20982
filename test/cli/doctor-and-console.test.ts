/**
 * Goal: an operator finds the same figures in the console and in `doctor`. Method: rails with reports, orders and a
 * failing job on a database; both are read: the command, and the query and page of the console.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkText } from '../../src/console/words/checks.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { visit } from '../support/console.ts';
import { startMetrics, type TestMetrics } from '../support/metrics.ts';
import { signInAs } from '../support/people.ts';
import { eventually } from '../support/receiver.ts';

const app = useApp({ role: 'serve' });
let metrics: TestMetrics;

beforeAll(async () => {
  metrics = await startMetrics();
  metrics.watch({ services: app.services, streams: app.streams });
});
afterAll(() => metrics?.close());

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Seconds and sizes change between two reads. */
const withoutNumbers = ({ check, ok, detail }: Check) => ({ check, ok, detail: detail.replace(/\d+/g, '0') });

async function doctor(): Promise<readonly Check[]> {
  const { stdout } = await command(
    { DATABASE_URL: app.url, METRICS_PORT: String(metrics.port) },
    'doctor',
    '--json',
  );
  return JSON.parse(stdout).checks;
}

async function console(): Promise<{
  readonly operationChecks: readonly Check[];
  readonly railHealth: readonly {
    readonly rail: string;
    readonly unsettledEvents: number;
    readonly pendingOrders: number;
    readonly failingOrders: number;
    readonly lastDay: { done: number; failed: number; medianMs: number; p95Ms: number } | null;
  }[];
}> {
  const { json } = await app.graphql(
    `{ operationChecks { check ok detail } railHealth { rail unsettledEvents pendingOrders failingOrders lastDay { done failed medianMs p95Ms } } }`,
    {},
    { key: app.platformKey },
  );
  return json.data;
}

test('doctor and the console have the same figures of operation and of rails', async () => {
  await app.owner.query(`insert into rail_news (mode, rail, kind, key, body, outcome)
    values ('sandbox', 'pix', 'payment', 'k1', '{}', 'failed')`);
  await app.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at, last_error, attempts)
     values ($1, 1, 'create_charge', now() - interval '1 minute', 'no answer', 3)`,
    [String(app.accountId)],
  );
  await app.owner.query(
    `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, from_address, due_at, ordered_at, ended_at, state)
     select 'sandbox', 'TRX', 'k' || n, 'payout', 'USDT_TRX', 'T', 1, 'T', now(), now() - n * interval '2 seconds', now(), 'confirmed'
       from generate_series(1, 3) n`,
  );
  const [checks, shown] = [await doctor(), await console()];
  const names = shown.operationChecks.map(({ check }) => check);
  expect(names.length).toBeGreaterThan(8);
  expect(checks.filter(({ check }) => names.includes(check)).map(withoutNumbers)).toEqual(
    shown.operationChecks.map(withoutNumbers),
  );
  const figures = checks.filter(({ check }) => /^sandbox .*: figures$/.test(check));
  expect(figures.map(({ check }) => check)).toEqual(['sandbox pix: figures', 'sandbox chain: figures']);
  for (const { check, ok, detail } of figures) {
    const rail = shown.railHealth.find((each) => check.includes(` ${each.rail.toLowerCase()}:`));
    expect(rail).toBeDefined();
    if (!rail) continue;
    const { unsettledEvents, pendingOrders, failingOrders, lastDay } = rail;
    expect(detail).toContain(
      `; ${unsettledEvents} unsettled; ${pendingOrders} orders due, ${failingOrders} failing; `,
    );
    expect(detail).toContain(
      lastDay
        ? `${lastDay.done} done, ${lastDay.failed} failed, half of them in ${(lastDay.medianMs / 1_000).toFixed(1)} s, 95 % in ${(lastDay.p95Ms / 1_000).toFixed(1)} s`
        : 'none ended in 24 hours',
    );
    expect(ok).toBe(failingOrders === 0);
  }
  expect(figures[0]).toMatchObject({ ok: false });
});

test('the page of the rails has every check of operation', async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  const person = await signInAs(app, platform, { email: 'ops@example.com', role: 'platform_owner' });
  const text = await eventually('the page of the rails', async () => {
    const page = await visit(app, person, '/console/rails');
    return page.status === 200 && page.text;
  });
  for (const { check } of (await console()).operationChecks)
    expect(text).toContain(checkText(check, 'en')?.title ?? check);
});

test('only the operator reads checks of operation', async () => {
  const { json } = await app.graphql('{ operationChecks { check } }');
  expect(json.errors?.[0].extensions.code).toBe('FORBIDDEN');
});
