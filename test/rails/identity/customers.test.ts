/**
 * Goal: customers of every kind end as they should, whatever the provider and its callbacks do (C-36). Method: the gateway as a process
 * with an identity rail at `crossramp checks`, over HTTP, with faults: callbacks lost, doubled, late and forged, requests that fail, are
 * refused, time out. A model that knows the plan of each customer alone says each end. The gateway is killed once between the call that
 * begins a check and the storing of its answer, and the provider is away once.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PlannedDecision } from '../../../src/checks/applicants.ts';
import type { FaultPlan } from '../../../src/checks/faults.ts';
import { writeIdentitySettings } from '../../../src/checks/rails-settings.ts';
import { startTestChecks, type TestChecks } from '../../support/checks.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { newHome } from '../../support/home.ts';
import { cnpjOf, cpfOf } from '../../support/load.ts';
import { crossramp, type Running, start } from '../../support/process.ts';

/** Customers of each kind. */
const EACH = 10;
const PATIENCE = { timeout: 120_000, interval: 500 };
const ABOVE = '10000.01';
const BELOW = '100.00';

const FAULTS: FaultPlan = {
  seed: 38,
  rules: [
    { on: 'callback', fault: 'lost', rate: 0.2, ms: 0 },
    { on: 'callback', fault: 'doubled', rate: 0.25, ms: 0 },
    { on: 'callback', fault: 'forged', rate: 0.2, ms: 0 },
    { on: 'callback', fault: 'late', rate: 0.1, ms: 3_000 },
    { on: 'callback', fault: 'reordered', rate: 0.1, ms: 2_000 },
    { on: 'any', fault: 'failing', rate: 0.1, ms: 0 },
    { on: 'any', fault: 'limited', rate: 0.05, ms: 0 },
    { on: 'start', fault: 'timeout', rate: 0.1, ms: 200 },
    { on: 'any', fault: 'slow', rate: 0.1, ms: 300 },
  ],
};
const NO_FAULTS: FaultPlan = { seed: 1, rules: [] };

/** How a customer pays: before the check, or after it; and what happens later. */
interface Kind {
  readonly plan: readonly PlannedDecision[];
  readonly product: 'crossramp_checkout' | 'onramp';
  readonly amount: string;
  readonly isCompany?: true;
  /** The provider takes its approval back before or after the payment. */
  readonly takenBack?: 'unpaid' | 'paid';
}

const after = (decision: PlannedDecision['decision'], afterMs: number): PlannedDecision => ({
  decision,
  afterMs,
});
const checkout = { product: 'crossramp_checkout', amount: ABOVE } as const;
const KINDS: Readonly<Record<string, Kind>> = {
  clean: { ...checkout, plan: [after('approved', 200)] },
  reviewed: { ...checkout, plan: [after('review', 100), after('approved', 1_500)] },
  'review denied': { ...checkout, plan: [after('review', 100), after('denied', 1_500)] },
  denied: { ...checkout, plan: [after('denied', 200)] },
  'tries again': { ...checkout, plan: [after('retry', 100), after('approved', 1_500)] },
  'tries and fails': { ...checkout, plan: [after('retry', 100), after('denied', 1_500)] },
  company: { ...checkout, plan: [after('approved', 200)], isCompany: true },
  small: { ...checkout, amount: BELOW, plan: [] },
  'late denial': { ...checkout, plan: [after('approved', 100)], takenBack: 'unpaid' },
  'denial after the end': { ...checkout, plan: [after('approved', 100)], takenBack: 'paid' },
  'checked after the payment': { product: 'onramp', amount: ABOVE, plan: [after('approved', 3_000)] },
  'denied after the payment': { product: 'onramp', amount: ABOVE, plan: [after('denied', 3_000)] },
};

/** The model: the end of a transaction by the decisions of its customer alone. */
function endOf({ plan, product, takenBack }: Kind): string {
  const last = plan.at(-1)?.decision ?? 'approved';
  if (takenBack === 'unpaid') return 'valida_id_v2/DENIED';
  if (last === 'approved') return 'success/DONE';
  return product === 'onramp' ? 'refund/DONE' : 'valida_id_v2/DENIED';
}

const { home, remove } = newHome();
const store = useDatabase();
let checks: TestChecks;
let gateway: Running;
let owner: pg.Client;
let apiKey: string;
let env: Record<string, string>;

beforeAll(async () => {
  const port = await freePort();
  checks = await startTestChecks({ callbackUrl: `http://127.0.0.1:${port}/rails/sandbox/identity` });
  const identity = {
    ...writeIdentitySettings(checks, join(home, 'checks'), 'http'),
    ...{ pollSeconds: 1, timeoutSeconds: 2, recheckSeconds: 2 },
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, JSON.stringify({ sandbox: { identity } }));
  env = {
    CROSSRAMP_HOME: home,
    DATABASE_URL: store.url,
    RAILS_FILE: file,
    PORT: String(port),
    RATE_LIMIT: 'off',
  };
  gateway = await start(env, '--sandbox');
  apiKey = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
  owner = new pg.Client({ connectionString: store.url });
  await owner.connect();
}, 120_000);
afterAll(async () => {
  await owner?.end();
  await gateway?.end('SIGTERM');
  await checks?.close();
  remove();
});

const headers = () => ({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' });

async function graphql(query: string): Promise<never> {
  const response = await fetch(`${gateway.baseUrl}/graphql`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: never; errors?: object };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Members of the answer to a creation. */
interface Answered {
  readonly end2end: string;
  readonly payment_link?: string;
}

/** Makes a transaction; an answer that waits for the identity check comes when its time is over, with the same key again. */
async function answered({ product, amount }: Kind, taxId: string): Promise<Answered> {
  const key = randomUUID();
  for (;;) {
    const response = await fetch(`${gateway.baseUrl}/v2/${product}`, {
      method: 'POST',
      headers: { ...headers(), 'idempotency-key': key },
      body: JSON.stringify({
        ...{ client_name: 'Ana Souza', client_tax_id: taxId },
        ...{ amount_payment: amount, currency_exit_received_code: 'USDT_TRX' },
      }),
    });
    const answer = (await response.json()) as Partial<Answered>;
    if (answer.end2end) return answer as Answered;
    await sleep(500);
  }
}

const create = async (kind: Kind, taxId: string) => (await answered(kind, taxId)).end2end;

const pay = (end2end: string) =>
  graphql(
    `mutation { sandboxTrigger(input: { scenario: PAY, end2end: "${end2end}" }) { transaction { end2end } } }`,
  );

async function steps(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await owner.query<{ id: string; step: string }>(
    `select end2end as id, component || '/' || state as step from transaction`,
  );
  return new Map(rows.map(({ id, step }) => [id, step]));
}

interface Made {
  readonly name: string;
  readonly kind: Kind;
  readonly taxId: string;
  readonly end2end: string;
}

/** Pays what can be paid until all are at an end or at `rest`, where they wait for the test. */
async function settled(made: readonly Made[], isThere: (step: string, each: Made) => boolean): Promise<void> {
  const paid = new Set<string>();
  await vi.waitFor(async () => {
    const now = await steps();
    for (const each of made) {
      const step = now.get(each.end2end) as string;
      const isNeverPaid = each.kind.takenBack === 'unpaid';
      if (isNeverPaid || isThere(step, each) || !step.endsWith('/QRCODE') || paid.has(each.end2end)) continue;
      await pay(each.end2end);
      paid.add(each.end2end);
    }
    const open = made.filter((each) => !isThere(now.get(each.end2end) as string, each));
    expect(open.map(({ name, end2end }) => `${name}: ${now.get(end2end)}`)).toEqual([]);
  }, PATIENCE);
}

let customers = 0;
function newTaxId(isCompany = false): string {
  customers += 1;
  return isCompany ? cnpjOf(customers) : cpfOf(70_000 + customers);
}

async function make(name: string, kind: Kind): Promise<Made> {
  const taxId = newTaxId(kind.isCompany);
  await checks.plan(taxId, kind.plan);
  return { name, kind, taxId, end2end: await create(kind, taxId) };
}

async function casesOf(): Promise<
  ReadonlyMap<string, { externalId: string; state: string; level: string | null }>
> {
  const { rows } = await owner.query(
    `select c.tax_id as "taxId", c.external_id as "externalId", c.state, u.level from customer_case c
       left join customer u on u.account_id = c.account_id and u.tax_id = c.tax_id`,
  );
  return new Map(rows.map(({ taxId, ...row }) => [taxId, row]));
}

let made: readonly Made[] = [];

test('C-36: every customer ends as the provider planned, with all faults on', async () => {
  await checks.faults(FAULTS);
  const wanted = Array.from({ length: EACH }, () => Object.entries(KINDS)).flat();
  const all: Made[] = [];
  for (let from = 0; from < wanted.length; from += 8)
    all.push(...(await Promise.all(wanted.slice(from, from + 8).map(([name, kind]) => make(name, kind)))));
  made = all;
  await settled(made, (step, { kind }) =>
    kind.takenBack === 'unpaid' ? step.endsWith('/QRCODE') : step === endOf(kind),
  );
  const cases = await casesOf();
  for (const { kind, taxId } of made)
    if (kind.takenBack) await checks.decide(cases.get(taxId)?.externalId as string, 'denied', ['FRAUD']);
  await settled(made, (step, { kind }) => step === endOf(kind));
  await vi.waitFor(async () => {
    const now = await casesOf();
    const late = made.filter(({ kind }) => kind.takenBack);
    expect(late.map(({ taxId }) => now.get(taxId))).toEqual(
      late.map(() => expect.objectContaining({ state: 'denied', level: 'BASIC' })),
    );
  }, PATIENCE);
}, 400_000);

test('C-36: no unapproved customer is admitted, and customers of a level without checks are not checked', async () => {
  const { rows: unseen } = await owner.query(
    `select t.end2end from transaction t
       where t.source_amount > 10000 and exists (select from event e where e.account_id = t.account_id and e.transaction_id = t.id
           and e.component like '%swap%')
         and not exists (select from customer_case c join case_evidence v on v.case_id = c.id
           where c.account_id = t.account_id and c.tax_id = t.client_tax_id and v.state = 'approved')`,
  );
  expect(unseen).toEqual([]);
  const applicants = await checks.applicants();
  const small = made.filter(({ kind }) => kind.amount === BELOW).map(({ taxId }) => taxId);
  expect(applicants.filter(({ taxId }) => small.includes(taxId))).toEqual([]);
  const ids = applicants.map(({ taxId }) => taxId);
  expect(ids.length).toBe(new Set(ids).size);
  expect(new Set(applicants.map(({ kind }) => kind))).toEqual(new Set(['PERSON', 'COMPANY']));
});

test('C-25: verifyUrl of the payment session leads the payer to the provider, until the check is decided', async () => {
  await checks.faults(NO_FAULTS);
  const kind: Kind = { ...checkout, plan: [] };
  const taxId = newTaxId();
  const { end2end, payment_link = '' } = await answered(kind, taxId);
  const token = payment_link.split('/').at(-1);
  const read = async (): Promise<{ link: string; verifyUrl: string | null }> => {
    const response = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ paymentSession { link verifyUrl } }' }),
    });
    return ((await response.json()) as never as { data: { paymentSession: never } }).data.paymentSession;
  };
  await vi.waitFor(async () => expect((await read()).verifyUrl).not.toBeNull(), PATIENCE);
  const { link, verifyUrl } = await read();
  expect(verifyUrl).toBe(`${link}/verify`);
  const opened = await fetch(verifyUrl as string, { redirect: 'manual' });
  expect(opened.status).toBe(303);
  const page = opened.headers.get('location') as string;
  expect(page.startsWith(`${checks.url}/verify/`)).toBe(true);
  const decided = await fetch(page, { method: 'POST', body: new URLSearchParams({ decision: 'approved' }) });
  expect(decided.status).toBe(200);
  const waiting = { name: 'at the provider', kind, taxId, end2end };
  await settled([waiting], (step) => step === 'success/DONE');
  expect((await read()).verifyUrl).toBeNull();
}, 120_000);

test('an approved customer is not checked again for the next purchase', async () => {
  const [first] = made.filter(({ name }) => name === 'company');
  const before = (await checks.applicants()).length;
  const again = { ...(first as Made), end2end: await create((first as Made).kind, (first as Made).taxId) };
  await settled([again], (step) => step === 'success/DONE');
  expect((await checks.applicants()).length).toBe(before);
}, 120_000);

test('a gateway that is killed between the call and its answer creates no applicant twice', async () => {
  await checks.faults({ seed: 1, rules: [{ on: 'start', fault: 'timeout', rate: 1, ms: 1_500 }] });
  const [clean] = [KINDS.clean as Kind];
  const killed = await Promise.all(Array.from({ length: 5 }, () => make('killed', clean)));
  await vi.waitFor(async () => {
    const known = (await checks.applicants()).map(({ taxId }) => taxId);
    expect(killed.filter(({ taxId }) => known.includes(taxId))).toHaveLength(killed.length);
  }, PATIENCE);
  await gateway.end('SIGKILL');
  await checks.faults(NO_FAULTS);
  gateway = await start(env, '--sandbox');
  await settled(killed, (step) => step === 'success/DONE');
  const applicants = await checks.applicants();
  for (const { taxId } of killed) expect(applicants.filter((each) => each.taxId === taxId)).toHaveLength(1);
}, 240_000);

test('no customer is admitted while the provider is unreachable, and all continue afterwards', async () => {
  await checks.faults({ seed: 1, rules: [{ on: 'any', fault: 'failing', rate: 1, ms: 0 }] });
  const waiting = await Promise.all(Array.from({ length: 8 }, () => make('away', KINDS.clean as Kind)));
  await vi.waitFor(async () => {
    const { rows } = await owner.query(
      `select from customer_case where tax_id = any ($1) and failures >= 3`,
      [waiting.map(({ taxId }) => taxId)],
    );
    expect(rows).toHaveLength(waiting.length);
  }, PATIENCE);
  const now = await steps();
  expect(new Set(waiting.map(({ end2end }) => now.get(end2end)))).toEqual(new Set(['valida_id_v2/PENDING']));
  const { stdout } = await crossramp(env, 'doctor', '--json');
  const told: { check: string; ok: boolean }[] = JSON.parse(stdout).checks;
  expect(
    told.filter(({ check, ok }) => check.startsWith('sandbox identity') && !ok).map(({ check }) => check),
  ).toEqual(['sandbox identity: provider', 'sandbox identity: cases']);
  await checks.faults(NO_FAULTS);
  await settled(waiting, (step) => step === 'success/DONE');
}, 240_000);

test('nothing is stuck, and nothing is booked twice', async () => {
  const { rows: open } = await owner.query(
    `select state, count(*)::int from customer_case where state in ('open', 'pending', 'retry', 'review') group by 1`,
  );
  expect(open).toEqual([]);
  const { rows: stuck } = await owner.query(
    `select kind from job where kind in ('ask_case', 'check_identity') and attempts > 3`,
  );
  expect(stuck).toEqual([]);
  const { rows: twice } = await owner.query(
    `select transaction_id from journal where name = 'L1' group by account_id, transaction_id having count(*) > 1`,
  );
  expect(twice).toEqual([]);
  const { code, stdout } = await crossramp(env, 'verify', '--json');
  expect(code, stdout).toBe(0);
}, 120_000);
