/**
 * What must hold whatever happened: ledger, events, jobs, orders and answers against each other, once everything rests
 * (invariants I1 to I14). And the way there: who waits for people gets people, who waits for the clock gets time.
 */
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { allAccounts } from '../../src/store/account/accounts.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import type { Template } from '../../src/templates/define.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Merchant, query } from './load.ts';

/** What was looked at, and everything that is wrong. */
export interface Audit {
  readonly transactions: number;
  readonly events: number;
  readonly lines: number;
  readonly defects: readonly string[];
}

/** A transaction where it stands. */
export interface Standing {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly end2end: string;
  readonly template: string;
  readonly step: string;
}

/** What a GET of a transaction gives. */
export type Read = (standing: Standing) => Promise<string>;

/** @returns every transaction that has a process, and where it stands. */
export async function standings(owner: pg.Pool): Promise<Standing[]> {
  const { rows } = await owner.query(
    `select account_id, id, end2end, template, component || '/' || state as step from transaction
      where process <> '{}' order by account_id, id`,
  );
  return rows.map(({ account_id, id, end2end, template, step }) => ({
    accountId: BigInt(account_id),
    id: BigInt(id),
    end2end,
    template,
    step,
  }));
}

/** @returns those that something must still happen to: their step is no end. */
export async function unfinished(owner: pg.Pool): Promise<Standing[]> {
  const all = await standings(owner);
  return all.filter(({ template, step }) => stepOf(template, step)?.ending === 'open');
}

/** @returns how many jobs are due on the clock of the sandbox, those that a worker has among them. */
export async function dueJobs(owner: pg.Pool): Promise<number> {
  const { rows } = await owner.query(
    `select count(*)::int as due from job, sandbox_clock
      where due_at <= clock_timestamp() + make_interval(secs => ahead_ms / 1000.0)`,
  );
  return rows[0].due;
}

/** @returns the number of rail events that wait to be settled again, without those that fit no step. */
async function eventsToSettle(owner: pg.Pool): Promise<number> {
  const { rows } = await owner.query(
    `select count(*)::int as waiting from rail_news where outcome = 'pending' and untaken = 0`,
  );
  return rows[0].waiting;
}

/**
 * Lets everything come to rest: people decide what waits for them, and the clock goes on until every timer is over.
 *
 * @param patienceMs - how long is waited in all for jobs that are due.
 */
export async function comeToRest(
  owner: pg.Pool,
  {
    baseUrl,
    merchants,
    platformKey,
    patienceMs,
  }: { baseUrl: string; merchants: readonly Merchant[]; platformKey: string; patienceMs: number },
): Promise<void> {
  const until = Date.now() + patienceMs;
  const quiet = async () => {
    while ((await dueJobs(owner)) + (await eventsToSettle(owner)) > 0) {
      if (Date.now() > until) throw new Error(`after ${patienceMs} ms there is still something to do`);
      await setTimeout(100);
    }
  };
  let refusals: readonly string[] = [];
  for (const [round, advance] of ADVANCES.entries()) {
    await quiet();
    if (round > 0) refusals = await decide(owner, baseUrl, merchants);
    await quiet();
    if (round > NEEDED_ROUNDS && (await unfinished(owner)).length === 0) return;
    await advanceClock(baseUrl, platformKey, advance);
  }
  await quiet();
  if (refusals.length > 0 && (await unfinished(owner)).length > 0)
    throw new Error(`refused until the end:\n${refusals.join('\n')}`);
}

/** The later ones are for what came only when the clock went on, and waits for people again. */
const ADVANCES = [
  '10s',
  '10s',
  '10s',
  '2h',
  '25h',
  '73h',
  '10s',
  '10s',
  '1h',
  '1h',
  '10s',
  '25h',
  '10s',
  '1h',
];
/** So many advances are over before it is looked whether everything rests. */
const NEEDED_ROUNDS = 8;

/** Sets the clock ahead; an answer that does not come leaves it unknown whether it was, and once more does no harm here. */
export async function advanceClock(baseUrl: string, platformKey: string, advance: string): Promise<void> {
  for (let attempts = 0; attempts < 10; attempts++) {
    const heard = await query(`${baseUrl}/v2/sandbox/clock`, platformKey, { body: { advance } });
    if (heard?.status === 200) return;
    await setTimeout(200);
  }
  throw new Error(`the clock cannot be advanced by ${advance}`);
}

/** Decides in favour of all that waits for a person; a deposit that is held is kept or goes back. @returns the refused decisions. */
async function decide(
  owner: pg.Pool,
  baseUrl: string,
  merchants: readonly Merchant[],
): Promise<readonly string[]> {
  const refusals: string[] = [];
  const merchantOf = new Map(merchants.map((merchant) => [merchant.accountId, merchant]));
  for (const { accountId, id, end2end, step } of await unfinished(owner)) {
    const key = merchantOf.get(accountId)?.keys[0] as string;
    const request = async (path: string, body: object) => {
      const heard = await query(`${baseUrl}${path}`, key, { body });
      if (heard?.status !== 200)
        refusals.push(`${path} ${JSON.stringify(body)} at ${step}: ${heard?.text ?? 'no answer'}`);
    };
    const scenario = DECISIONS[step.endsWith('/REVIEW') ? 'REVIEW' : step];
    if (scenario) await request('/v2/sandbox/trigger', { scenario, end2end });
    const action = id % 2n === 0n ? 'keep' : 'refund';
    if (HELD_DEPOSITS.includes(step)) await request(`/v2/offramp/${end2end}/resolve`, { action });
  }
  return refusals;
}

const DECISIONS: Readonly<Record<string, string>> = {
  REVIEW: 'step-up-approve',
  'compliance/UNCOMPLIANT': 'release',
  'dispute/OPEN': 'dispute-accept',
};
/** The first three, and an offramp that could not be paid out: the template tells by what it takes. */
const HELD_DEPOSITS = [
  'crypto_deposit/UNDERPAID',
  'crypto_deposit/OVERPAID',
  'crypto_deposit/LATE',
  'pix_out/REJECTED',
  'swap_transfer/ERROR',
];

/** Looks at everything; nothing may move meanwhile. */
export async function audit(database: Database, owner: pg.Pool, read: Read): Promise<Audit> {
  const all = await standings(owner);
  const parts = [
    ...(await ledgerDefects(database)),
    ...(await eventDefects(owner, all)),
    ...(await bodyDefects(owner, all, read)),
    ...(await restDefects(owner, all)),
    ...(await moneyDefects(owner)),
    ...(await orderDefects(owner)),
  ];
  const { rows } = await owner.query(
    'select (select count(*) from event)::int as events, (select count(*) from ledger_line)::int as lines',
  );
  return { transactions: all.length, ...rows[0], defects: parts };
}

/** I1, I2, I3: the gateway's own auditor, and the sum over all that there is. */
async function ledgerDefects(database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const accountId of await allAccounts(database)) {
    const { defects } = await database.withTx((tx) => verifyLedger(tx, accountId));
    found.push(...defects.map(({ defect, detail }) => `ledger of ${accountId}: ${defect}: ${detail}`));
  }
  return found;
}

/** I4, I5, I10: dense events, one for each change, along transitions of the machine. */
async function eventDefects(owner: pg.Pool, all: readonly Standing[]): Promise<string[]> {
  const { rows } = await owner.query<{
    account_id: string;
    transaction_id: string;
    seq: string;
    sequence: number;
    step: string;
    name: string;
  }>(
    `select account_id, transaction_id, seq, sequence, component || '/' || state as step, name from event
      order by account_id, seq`,
  );
  const found: string[] = [];
  const standingOf = new Map(all.map((each) => [`${each.accountId}/${each.id}`, each]));
  const pathOf = new Map<string, string[]>();
  const lastSeq = new Map<string, bigint>();
  for (const event of rows) {
    const { account_id: account, seq, sequence, step, name } = event;
    const key = `${account}/${event.transaction_id}`;
    const expected = (lastSeq.get(account) ?? 0n) + 1n;
    if (BigInt(seq) !== expected) found.push(`event ${seq} of ${account} follows ${expected - 1n}`);
    lastSeq.set(account, BigInt(seq));
    const path = pathOf.get(key) ?? [];
    pathOf.set(key, path);
    const standing = standingOf.get(key);
    if (!standing) {
      found.push(`event ${seq} of ${account} is of no transaction`);
      continue;
    }
    if (sequence !== path.length + 1)
      found.push(`${standing.end2end}: event ${sequence} follows ${path.length}`);
    const from = path.at(-1) ?? 'start';
    if (!leads(standing.template, from, step))
      found.push(`${standing.end2end}: no transition of ${standing.template} from ${from} to ${step}`);
    if (name !== `${standing.template}.${step.replace('/', '.')}`.toLowerCase())
      found.push(`${standing.end2end}: event ${name} at ${step}`);
    path.push(step);
  }
  for (const standing of all) {
    const last = pathOf.get(`${standing.accountId}/${standing.id}`)?.at(-1);
    if (last !== standing.step)
      found.push(`${standing.end2end}: at ${standing.step}, its last event at ${last}`);
  }
  const heads = await owner.query<{ account_id: string; event_seq: string }>(
    'select account_id, event_seq from account_head',
  );
  for (const head of heads.rows)
    if (BigInt(head.event_seq) !== (lastSeq.get(head.account_id) ?? 0n))
      found.push(
        `head of ${head.account_id} at event ${head.event_seq}, the last is ${lastSeq.get(head.account_id)}`,
      );
  return found;
}

const READERS = 16;

/** I8: the newest event carries what a GET gives, byte for byte. */
async function bodyDefects(owner: pg.Pool, all: readonly Standing[], read: Read): Promise<string[]> {
  const { rows } = await owner.query<{ key: string; payload: string }>(
    `select distinct on (account_id, transaction_id) account_id || '/' || transaction_id as key, event_body(form, payload) as payload
      from event order by account_id, transaction_id, sequence desc`,
  );
  const payloadOf = new Map(rows.map(({ key, payload }) => [key, payload]));
  const found: string[] = [];
  const waiting = [...all];
  const reader = async () => {
    for (let standing = waiting.pop(); standing; standing = waiting.pop()) {
      const body = await read(standing);
      const payload = payloadOf.get(`${standing.accountId}/${standing.id}`);
      if (body !== payload)
        found.push(`${standing.end2end}: GET gives ${body}, its newest event has ${payload}`);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return found;
}

/** Nothing is left halfway: every step is an end, and no job is due that nobody does. */
async function restDefects(owner: pg.Pool, all: readonly Standing[]): Promise<string[]> {
  const open = all.filter(({ template, step }) => stepOf(template, step)?.ending !== 'final');
  const unfinished = open.filter(({ template, step }) => stepOf(template, step)?.ending === 'open');
  const { rows } = await owner.query<{ kind: string; transaction_id: string; last_error: string | null }>(
    `select kind, transaction_id, last_error from job, sandbox_clock
      where due_at <= clock_timestamp() + make_interval(secs => ahead_ms / 1000.0)
         or kind not in ('expire', 'expire_payable', 'deny_step_up', 'reject_approval')`,
  );
  const paths = await owner.query<{ key: string; path: string }>(
    `select account_id || '/' || transaction_id as key, string_agg(component || '/' || state, ', ' order by sequence) as path
       from event where transaction_id = any($1) group by 1`,
    [unfinished.map(({ id }) => String(id))],
  );
  const pathOf = new Map(paths.rows.map(({ key, path }) => [key, path]));
  return [
    ...unfinished.map(
      ({ accountId, id, end2end, template }) =>
        `${end2end}: ${template} rests after ${pathOf.get(`${accountId}/${id}`)}`,
    ),
    ...rows.map((job) => `job ${job.kind} of ${job.transaction_id} is not done: ${job.last_error}`),
  ];
}

/** What a transaction moves in the end: nothing is reserved, on its way or held, and available is what its step says. */
async function moneyDefects(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<Record<string, string>>(MONEY);
  const sums = await owner.query<{ currency: string; sum: string }>(
    `select a.currency, sum(b.balance)::text as sum from ledger_account a
      join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      group by 1 having sum(b.balance) <> 0`,
  );
  const transients = await owner.query<{ what: string; balance: string }>(TRANSIENTS);
  return [
    ...rows.map(
      ({ end2end, template, step, place, currency, moved, expected }) =>
        `${end2end}: ${template} at ${step} moved ${moved} of ${place} ${currency}, not ${expected}`,
    ),
    ...sums.rows.map(({ currency, sum }) => `all accounts of ${currency} sum to ${sum}`),
    ...transients.rows.map(({ what, balance }) => `${what} ends at ${balance}`),
  ];
}

/** I6: what leaves the house leaves once, and the charge that a customer sees is the one that was ordered. */
async function orderDefects(owner: pg.Pool): Promise<string[]> {
  const repeated = await owner.query<{ end2end: string; kind: string; orders: string }>(
    `select case when o.key like ':%' then t.end2end else o.key end as end2end, kind || coalesce(' ' || (request ->> 'isExcess'), '') as kind,
            count(*)::text as orders
       from sandbox_order o left join transaction t on t.account_id = o.account_id and t.id = o.transaction_id
      where kind in ('charge', 'payout', 'transfer', 'transfer_back', 'conversion')
      group by o.account_id, 1, 2 having count(*) > 1`,
  );
  const unlisted = await owner.query<{ end2end: string; key: string }>(
    `select t.end2end, o.key from transaction t join sandbox_order o on o.account_id = t.account_id and o.transaction_id = t.id
      where o.kind = 'return' and not coalesce(t.process -> 'returns', '[]') @> jsonb_build_array(jsonb_build_object('returnId', o.key))`,
  );
  const charges = await owner.query<{ end2end: string; shown: string; ordered: string }>(
    `select t.end2end, t.process ->> 'txid' as shown, o.request ->> 'txid' as ordered
       from transaction t join sandbox_order o on o.account_id = t.account_id and o.kind = 'charge'
        and o.transaction_id = t.id
      where t.process ? 'txid' and t.process ->> 'txid' <> o.request ->> 'txid'`,
  );
  return [
    ...repeated.rows.map(({ end2end, kind, orders }) => `${end2end}: ${orders} orders of ${kind}`),
    ...unlisted.rows.map(
      ({ end2end, key }) => `${end2end}: ordered the return ${key}, which it does not list`,
    ),
    ...charges.rows.map(
      ({ end2end, shown, ordered }) => `${end2end}: shows the charge ${shown}, ordered was ${ordered}`,
    ),
  ];
}

/** Lines by transaction and place against what the step that it ended with says. Amounts are minor units. */
const MONEY = `
  with minor as (
    select t.account_id, t.id, t.end2end, t.template, t.component || '/' || t.state as step, t.source_currency, t.target_currency,
           t.process, s.scale as source_scale,
           t.source_amount * 10::numeric ^ s.scale as source, t.target_amount * 10::numeric ^ d.scale as target,
           coalesce(t.network_fee::numeric, 0) * 10::numeric ^ case when t.template like 'withdraw%' then s.scale else d.scale end as fee,
           exists (select from event e where e.account_id = t.account_id and e.transaction_id = t.id and e.state = 'BROADCAST') as was_broadcast,
           exists (select from event e where e.account_id = t.account_id and e.transaction_id = t.id and e.component = 'partial_success') as was_credited
      from transaction t
      left join lateral (select max(scale) as scale from ledger_account a where a.account_id = t.account_id and a.currency = t.source_currency) s on true
      left join lateral (select max(scale) as scale from ledger_account a where a.account_id = t.account_id and a.currency = t.target_currency) d on true
     where t.process <> '{}'
  ), expected as (
    select account_id, id, target_currency as currency, 'available' as place, target as amount
      from minor where template in ('onramp', 'crossramp_checkout') and step in ('success/DONE', 'dispute/OPEN', 'dispute/ACCEPTED', 'dispute/REJECTED')
    union all select account_id, id, target_currency, 'available', - (process ->> 'disputed')::numeric
      from minor where step in ('dispute/ACCEPTED', 'dispute/OPEN')
    union all select account_id, id, target_currency, 'available', target + fee
      from minor where template = 'onramp_instant' and was_credited
    union all select account_id, id, source_currency, 'available', - source
      from minor where template = 'offramp' and step in ('success/DONE', 'pix_out/RETURNED')
    union all select account_id, id, target_currency, 'available', target
      from minor where template = 'offramp' and step = 'pix_out/RETURNED'
    union all select account_id, id, source_currency, 'available', (process #>> '{deposit,amount}')::numeric * 10::numeric ^ source_scale
      from minor where template = 'offramp_instant' and step = 'partial_success/DONE'
    union all select account_id, id, source_currency, 'available', - source
      from minor where template like 'withdraw%' and step = 'success_withdrawl_dash/DONE'
    union all select account_id, id, source_currency, 'available', - fee
      from minor where template like 'withdraw%' and step = 'send_withdrawl_dash/ERROR' and was_broadcast
    union all select account_id, id, 'BRL', 'L.payer', (process ->> 'paid')::numeric * 100
      from minor where step = 'refund/ERROR'
  ), moved as (
    select l.account_id, l.transaction_id as id, a.currency,
           coalesce(a.house, (array['available', 'in_transit', 'to_receive', 'blocked'])[a.sub_account]) as place, sum(l.delta) as amount
      from ledger_line l join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
     where l.transaction_id is not null and (a.sub_account > 0 or a.house in ('L.payer', 'L.payout', 'A.inbound'))
     group by 1, 2, 3, 4
  ), wanted as (
    select account_id, id, currency, place, sum(amount) as amount from expected group by 1, 2, 3, 4
  )
  select m.end2end, m.template, m.step, x.place, x.currency, coalesce(x.moved, 0)::text as moved, coalesce(x.expected, 0)::text as expected
    from (select account_id, id, place, currency, v.amount as moved, w.amount as expected
            from moved v full join wanted w using (account_id, id, currency, place)) x
    join minor m using (account_id, id)
   where coalesce(x.moved, 0) <> coalesce(x.expected, 0)`;

/** Money that only passes through is gone; what a failed refund still owes is the one exception. */
const TRANSIENTS = `
  select a.code || ' ' || a.currency as what, (b.balance - owed.cents)::text as balance
    from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    cross join lateral (
      select case when a.house = 'L.payer' then coalesce(sum((t.process ->> 'paid')::numeric * 100), 0) else 0 end as cents
        from transaction t where t.account_id = a.account_id and t.component = 'refund' and t.state = 'ERROR') owed
   where (a.house in ('L.payer', 'L.payout', 'A.inbound') or a.sub_account in (2, 3)) and b.balance <> owed.cents`;

function stepOf(template: string, step: string) {
  return REGISTRY.find(template)?.steps.find(({ component, state }) => `${component}/${state}` === step);
}

const ways = new Map<string, ReadonlySet<string>>();

function leads(template: string, from: string, to: string): boolean {
  const known = ways.get(template) ?? waysOf(REGISTRY.find(template));
  ways.set(template, known);
  return known.has(`${from} ${to}`);
}

function waysOf(template: Template | undefined): ReadonlySet<string> {
  return new Set(
    template?.machine.transitions.flatMap(({ from, to, shortfall }) =>
      from.flatMap((each) => [`${each} ${to}`, `${each} ${shortfall}`]),
    ),
  );
}
