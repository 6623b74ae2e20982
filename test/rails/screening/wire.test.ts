/**
 * Goal: a screening provider over HTTP stops whom it names, and nobody passes before it has decided, whatever it and its callbacks do
 * (C-25, C-36). Method: the gateway as a process with the screener of `crossramp checks`, whose decisions are planted by name, tax id and
 * wallet, with faults: requests that fail, are slow or end without an answer; callbacks lost, doubled, late and forged.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FaultPlan } from '../../../src/checks/faults.ts';
import { writeScreeningSettings } from '../../../src/checks/rails-settings.ts';
import type { PlannedScreening, ScreeningDecision } from '../../../src/checks/subjects.ts';
import { startTestChecks, type TestChecks } from '../../support/checks.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { newHome } from '../../support/home.ts';
import { cpfOf } from '../../support/load.ts';
import { crossramp, type Running, start } from '../../support/process.ts';

const PATIENCE = { timeout: 120_000, interval: 500 };
const NO_FAULTS: FaultPlan = { seed: 1, rules: [] };
const FAULTS: FaultPlan = {
  seed: 38,
  rules: [
    { on: 'callback', fault: 'lost', rate: 0.2, ms: 0 },
    { on: 'callback', fault: 'doubled', rate: 0.25, ms: 0 },
    { on: 'callback', fault: 'forged', rate: 0.4, ms: 0 },
    { on: 'callback', fault: 'late', rate: 0.2, ms: 2_000 },
    { on: 'screen', fault: 'failing', rate: 0.15, ms: 0 },
    { on: 'screen', fault: 'timeout', rate: 0.1, ms: 200 },
    { on: 'screen', fault: 'slow', rate: 0.1, ms: 300 },
  ],
};
const AWAY: FaultPlan = { seed: 1, rules: [{ on: 'screen', fault: 'failing', rate: 1, ms: 0 }] };

/** A kind of customer: the subject that is planted, its decisions, and the end by the rules of docs/screening.md. */
interface Kind {
  readonly by: 'name' | 'taxId' | 'wallet';
  readonly plan: readonly PlannedScreening[];
  /** Decision of the provider between the PIX code and the payment. */
  readonly later?: ScreeningDecision;
  readonly end: string;
}

const now = (decision: ScreeningDecision): PlannedScreening => ({ decision, afterMs: 0 });
const after = (decision: ScreeningDecision, afterMs: number): PlannedScreening => ({ decision, afterMs });
const DONE = 'success/DONE';
const REFUSED = 'valida_id/IRREGULAR';
const REVIEWED = 'valida_id/REVIEW';
const STOPPED = 'compliance/UNCOMPLIANT';
const KINDS: Readonly<Record<string, Kind>> = {
  clean: { by: 'taxId', plan: [], end: DONE },
  'name under review': { by: 'name', plan: [now('review')], end: REVIEWED },
  'tax id blocked': { by: 'taxId', plan: [now('block')], end: REFUSED },
  'wallet blocked': { by: 'wallet', plan: [now('block')], end: REFUSED },
  'wallet under review': { by: 'wallet', plan: [now('review')], end: REVIEWED },
  'decided later, clear': { by: 'taxId', plan: [after('clear', 1_500)], end: DONE },
  'decided later, blocked': { by: 'wallet', plan: [after('block', 1_500)], end: REFUSED },
  'decided later, under review': { by: 'name', plan: [after('review', 1_500)], end: REVIEWED },
  'blocked before the payment': { by: 'taxId', plan: [], later: 'block', end: STOPPED },
  'under review before the payment': { by: 'taxId', plan: [], later: 'review', end: STOPPED },
};

const { home, remove } = newHome();
const store = useDatabase();
let checks: TestChecks;
let gateway: Running;
let apiKey: string;
let env: Record<string, string>;

beforeAll(async () => {
  const port = await freePort();
  const screeningCallbackUrl = `http://127.0.0.1:${port}/rails/sandbox/screening/checks`;
  checks = await startTestChecks({ screeningCallbackUrl });
  const screening = { ...writeScreeningSettings(checks, join(home, 'checks')), timeoutSeconds: 5 };
  const file = join(home, 'rails.json');
  writeFileSync(file, JSON.stringify({ sandbox: { screening } }));
  env = {
    ...{ CROSSRAMP_HOME: home, DATABASE_URL: store.url, RAILS_FILE: file },
    ...{ PORT: String(port), RATE_LIMIT: 'off' },
  };
  gateway = await start(env, '--sandbox');
  apiKey = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
}, 300_000);
afterAll(async () => {
  await gateway?.end('SIGTERM');
  await checks?.close();
  remove();
});

interface Made {
  readonly name: string;
  readonly kind: Kind;
  readonly subject: string;
  readonly end2end: string;
  readonly answered: Promise<string>;
}

let customers = 0;
/** Begins a transaction. Its answer comes when there is something to pay, or nothing to wait for. */
async function begin(name: string, kind: Kind): Promise<Made> {
  customers += 1;
  const facts = {
    name: `Ana Souza ${'abcdefghijklmnopqrstuvwxyz'[customers % 26]}${customers}`,
    taxId: cpfOf(90_000 + customers),
    wallet: `0x${(0xee_0000 + customers).toString(16).padStart(40, '0')}`,
  };
  const subject = facts[kind.by];
  if (kind.plan.length > 0) await checks.plant(subject, kind.plan);
  const answered = create(facts);
  // Awaited at the end of the test.
  answered.catch(() => {});
  const end2end = await vi.waitFor(async () => {
    const { rows } = await store.owner.query(`select end2end from transaction where client_tax_id = $1`, [
      facts.taxId,
    ]);
    expect(rows).toHaveLength(1);
    return rows[0].end2end as string;
  }, PATIENCE);
  return { name, kind, subject, end2end, answered };
}

/** Makes an onramp; an answer that waits for the screener comes when its time is over, with the same key again. */
async function create({ name, taxId, wallet }: Readonly<Record<Kind['by'], string>>): Promise<string> {
  const headers = {
    ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({
    ...{ client_name: name, client_tax_id: taxId, wallet },
    ...{ amount_payment: '100.00', currency_exit_received_code: 'USDT_ETH' },
  });
  for (;;) {
    const response = await fetch(`${gateway.baseUrl}/v2/onramp`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { end2end?: string };
    if (answer.end2end) return answer.end2end;
    if (response.status >= 400 && response.status < 500 && response.status !== 409)
      throw new Error(JSON.stringify(answer));
    await sleep(500);
  }
}

async function pay({ end2end, kind, subject }: Made): Promise<void> {
  if (kind.later) await checks.plant(subject, [now(kind.later)]);
  const query = `mutation { sandboxTrigger(input: { scenario: PAY, end2end: "${end2end}" }) { errors { code } } }`;
  await fetch(`${gateway.baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

async function steps(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await store.owner.query<{ id: string; step: string }>(
    `select end2end as id, regexp_replace(component, '_v2$', '') || '/' || state as step from transaction`,
  );
  return new Map(rows.map(({ id, step }) => [id, step]));
}

/** Waits after a fault are cut short, so that the test does not last as long as they do. */
const hurry = () =>
  store.owner.query(
    `update job set due_at = least(due_at, clock_timestamp()) where last_error is not null and leased_until is null`,
  );

/** Pays what can be paid until all are at their ends. */
async function settled(made: readonly Made[]): Promise<void> {
  const paid = new Set<string>();
  await vi.waitFor(async () => {
    await hurry();
    const found = await steps();
    for (const each of made) {
      if (found.get(each.end2end) !== 'depositpix/QRCODE' || paid.has(each.end2end)) continue;
      paid.add(each.end2end);
      await pay(each);
    }
    const open = made.filter(({ end2end, kind }) => found.get(end2end) !== kind.end);
    expect(open.map(({ name, end2end }) => `${name}: ${found.get(end2end)}`)).toEqual([]);
  }, PATIENCE);
}

test('C-36: every customer ends as the screener decided, with all faults on', async () => {
  await checks.faults(FAULTS);
  const wanted = [...Object.entries(KINDS), ...Object.entries(KINDS)];
  const made: Made[] = [];
  for (let from = 0; from < wanted.length; from += 5)
    made.push(...(await Promise.all(wanted.slice(from, from + 5).map(([name, kind]) => begin(name, kind)))));
  await settled(made);
  expect(await Promise.all(made.map(({ answered }) => answered))).toEqual(made.map(({ end2end }) => end2end));
  expect(Object.keys((await checks.counts()).counts)).toContain('screen failing');
  const queries = await checks.screenings();
  expect(new Set(queries.map(({ role }) => role))).toEqual(new Set(['customer', 'wallet']));
}, 600_000);

const stateOf = async ({ end2end }: Made) => (await steps()).get(end2end);
const errorsOf = async ({ end2end }: Made): Promise<readonly string[]> => {
  const { rows } = await store.owner.query<{ error: string }>(
    `select j.last_error as error from job j join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
       where t.end2end = $1 and j.last_error is not null`,
    [end2end],
  );
  return rows.map(({ error }) => error);
};
const undecided = { by: 'taxId', plan: [after('pending', 0)], end: DONE } as const;

test('a callback of the screener makes what waits for its decision due; one with a wrong signature does not', async () => {
  await checks.faults({ seed: 1, rules: [{ on: 'callback', fault: 'lost', rate: 1, ms: 0 }] });
  const waiting = await begin('undecided', undecided);
  await vi.waitFor(async () => expect(await errorsOf(waiting)).toHaveLength(1), PATIENCE);
  expect((await errorsOf(waiting))[0]).toMatch(/checks decides later: [0-9a-f]{32}/);
  await store.owner.query(
    `update job set due_at = due_at + interval '1 hour' where last_error like '%decides later%'`,
  );
  // The callback is lost: the decision alone changes nothing before the next query.
  await checks.decideScreening(waiting.subject, 'clear');
  const reference = /[0-9a-f]{32}/.exec((await errorsOf(waiting))[0] ?? '')?.[0];
  const forged = await fetch(`${gateway.baseUrl}/rails/sandbox/screening/checks`, {
    method: 'POST',
    headers: { 'x-timestamp': String(Math.floor(Date.now() / 1_000)), 'x-signature': 'ab'.repeat(32) },
    body: JSON.stringify({ reference, status: 'clear' }),
  });
  expect(forged.status).toBe(403);
  expect(await errorsOf(waiting)).toHaveLength(1);
  await checks.faults({ seed: 1, rules: [{ on: 'callback', fault: 'forged', rate: 1, ms: 0 }] });
  await checks.decideScreening(waiting.subject, 'clear');
  await vi.waitFor(async () => expect(await stateOf(waiting)).toBe('depositpix/QRCODE'), PATIENCE);
  await checks.faults({ seed: 1, rules: [{ on: 'callback', fault: 'doubled', rate: 1, ms: 0 }] });
  const before = (await checks.counts()).callbacks;
  expect(before['403']).toBeGreaterThanOrEqual(1);
  await checks.decideScreening(waiting.subject, 'clear');
  await vi.waitFor(
    async () => expect((await checks.counts()).callbacks['200']).toBe((before['200'] ?? 0) + 2),
    PATIENCE,
  );
  expect(await stateOf(waiting)).toBe('depositpix/QRCODE');
}, 300_000);

test('nobody passes while the screener is unreachable, doctor names it, and all continue afterwards', async () => {
  await checks.faults(AWAY);
  const kinds = ['clean', 'tax id blocked', 'name under review'] as const;
  const waiting = await Promise.all(kinds.map((name) => begin(name, KINDS[name] as Kind)));
  await vi.waitFor(async () => {
    await hurry();
    for (const each of waiting)
      expect((await errorsOf(each))[0]).toContain('checks cannot be queried: HTTP 500');
  }, PATIENCE);
  expect(new Set(await Promise.all(waiting.map(stateOf)))).toEqual(new Set(['valida_id/INITIAL']));
  const { stdout } = await crossramp(env, 'doctor', '--json');
  const found: { check: string; ok: boolean }[] = JSON.parse(stdout).checks;
  expect(found.filter(({ check }) => check.includes('screening'))).toMatchObject([
    { check: 'sandbox screening: checks', ok: false },
  ]);
  await checks.faults(NO_FAULTS);
  await settled(waiting);
}, 300_000);
