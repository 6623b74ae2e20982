/**
 * C-34, C-40: what waits for a decision is found by its own index, whatever else is open. Method: the steps of the machines
 * beside those of the index; and the records that the statements read, asked of the planner, in an account that is busy.
 */
import { beforeAll, expect, it } from 'vitest';
import { stepsAwaiting } from '../../../src/resolvers/transactions/awaiting.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { readAttention } from '../../../src/store/account/attention.ts';
import type { Database, Statement } from '../../../src/store/connection/database.ts';
import { readRailHealth } from '../../../src/store/engine/rail-health.ts';
import { readSuspense } from '../../../src/store/engine/suspense.ts';
import { readUnapproved, readWaiting, readWaitingOfMode } from '../../../src/store/engine/waiting.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();
const OPEN = 2_000;
const AT = { families: ['onramps', 'withdrawals'], steps: ['compliance/UNCOMPLIANT'] } as const;
let accountId: bigint;

beforeAll(async () => {
  accountId = await createAccount(test.database, 'Busy', { templates: [] });
  await test.owner.query(
    `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at)
       select $1, n, 'W' || n, 'onramp', 'onramps', n, case when n = 7 then 'compliance' else 'depositpix' end,
         case when n = 7 then 'UNCOMPLIANT' else 'QRCODE' end, now(), now() from generate_series(1, ${OPEN}) n`,
    [String(accountId)],
  );
  await test.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at, last_error)
       select $1, n, 'expire', now() + interval '1 hour', case when n = 7 then 'refused' end from generate_series(1, ${OPEN}) n`,
    [String(accountId)],
  );
  await test.owner.query(
    `with news as (insert into rail_news (mode, rail, kind, body, outcome, account_id, key)
       select 'sandbox', 'pix', 'payment', '{}', 'suspense', $1::bigint, 'N' || n from generate_series(1, ${OPEN}) n returning id),
     entry as (select id, row_number() over () = 7 as is_open from news)
     insert into suspense_entry (account_id, news_id, currency, amount_minor, reason, state, decided_at, journal_id, opened_at)
       select $1::bigint, id, 'BRL', 1, 'unknown', case when is_open then 'open' else 'returned' end,
         case when is_open then null else now() end, 1, now() from entry`,
    [String(accountId)],
  );
  await test.owner.query('vacuum analyze');
});

it('every step that waits for a person’s decision is in the index', async () => {
  const actions = ['withdrawal.approve', 'deposit.resolve', 'hold.release'] as const;
  const steps = [...new Set(actions.flatMap((action) => stepsAwaiting(REGISTRY, action)))];
  const { rows } = await test.owner.query<{ step: string }>(
    `select step from unnest($1::text[]) step where not step_waits(split_part(step, '/', 1), split_part(step, '/', 2))`,
    [steps],
  );
  expect([steps.length > 5, rows]).toEqual([true, []]);
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** @returns the most records of these tables that a node of the statements of some work reads. */
async function readBy(work: (tx: Pick<Database, 'query'>) => Promise<unknown>, relations: readonly string[]) {
  const sent: [Statement, readonly unknown[]][] = [];
  const query: Database['query'] = (statement, values) => {
    sent.push([statement, values]);
    return test.database.query(statement, values);
  };
  await work({ query });
  const looked: number[] = [];
  for (const [{ text }, values] of sent) {
    const given = values.map((value) => (typeof value === 'bigint' ? String(value) : value));
    const { rows } = await test.owner.query(`explain (analyze, format json) ${text}`, given);
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
    for (const node of nodes.filter((each) => relations.includes(each['Relation Name'] ?? '')))
      looked.push((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  }
  return Math.max(...looked);
}

const NOW = new Date();
const STEPS = { heldDeposits: [], holds: AT.steps, stepUps: [] };

it.each<[string, readonly string[], (tx: Pick<Database, 'query'>) => Promise<unknown>]>([
  ['holds of an account', ['transaction'], (tx) => readWaiting(tx, accountId, AT, 100)],
  ['holds of all accounts', ['transaction'], (tx) => readWaitingOfMode(tx, 'sandbox', AT, 100)],
  [
    'approvals',
    ['transaction'],
    (tx) => readUnapproved(tx, accountId, { since: new Date(0), end2end: null, limit: 100 }),
  ],
  [
    'jobs that failed, and money in suspense, of an account',
    ['job', 'suspense_entry'],
    (tx) =>
      readAttention(tx, accountId, {
        families: AT.families,
        steps: STEPS,
        keysBefore: NOW,
        now: NOW,
        approvalsSince: new Date(0),
      }),
  ],
  ['orders of rails', ['job'], (tx) => readRailHealth(tx, 'sandbox', Date.now())],
  [
    'money in suspense that is open',
    ['suspense_entry'],
    (tx) =>
      readSuspense(
        tx,
        { mode: 'sandbox', accountId: null, state: 'open' },
        { limit: 25, below: null, above: null, isBackward: false },
      ),
  ],
])('%s: what waits is read, and little else', async (_what, relations, work) => {
  expect(await readBy(work, relations)).toBeLessThanOrEqual(10);
});
