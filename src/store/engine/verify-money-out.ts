/**
 * The auditor of money out, which thresholds and ceilings use (C-25). It checks that the sums of each minute are those
 * of the payments. It also checks that each payment counts with its amount while it waits and after it left, and no
 * longer after it came back. Each statement reads from one snapshot, so the account may be in use meanwhile.
 */
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { REGISTRY } from '../../templates/index.ts';
import { isBackInBalance } from '../../templates/money-out.ts';
import { returnsOf } from '../../templates/returns.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { HELD_REF, type MoneyOutRow } from './money-out.ts';
import type { VolumeDefect } from './verify-volumes.ts';

type Outflow = Pick<MoneyOutRow, 'ref' | 'kind' | 'brl'>;

/** A transaction by which money left, or is about to leave. */
interface Row
  extends Pick<ProcessRow, 'end2end' | 'template' | 'component' | 'state' | 'process' | 'targetAmount'> {
  /** Decimal text. */
  readonly id: string;
  readonly outflows: readonly Outflow[];
}

/** BRL as decimal text. */
interface Sums {
  readonly passed: string;
  readonly approved: string;
}

interface WrongMinute {
  readonly minute: string;
  readonly stored: Sums;
  readonly expected: Sums;
}

const ROWS_MAX = 5_000;

/** Transactions after $2, of at most $3 scanned ones, that move or moved money out. */
const RECORDS: Statement = {
  name: 'verify_money_out_records',
  text: `with slice as materialized (
      select id, end2end, template, component, state, process, target_amount
        from transaction where account_id = $1 and id > $2 order by id limit $3
    ), record as (
      select t.id::text, t.end2end, t.template, t.component, t.state, t.process, t.target_amount::text as "targetAmount", m.outflows
        from slice t cross join lateral (
          select coalesce(jsonb_agg(jsonb_build_object('ref', ref, 'kind', kind, 'brl', brl::text) order by ref), '[]') as outflows
            from money_out where account_id = $1 and transaction_id = t.id
        ) m
       where m.outflows <> '[]' or t.process ?| array['hasOutflow', 'approval']
    )
    select (select max(id) from slice) as last, (select coalesce(jsonb_agg(to_jsonb(record)), '[]') from record) as records`,
};
/** The $3 minutes after $2 that have sums, and all time between and after them. */
const MINUTES: Statement = {
  name: 'verify_money_out_minutes',
  text: `with page as materialized (
      select * from money_out_minute where account_id = $1 and minute > $2::timestamptz order by minute limit $3
    ), bound as materialized (
      select case when count(*) = $3 then max(minute) else 'infinity' end as last from page
    ), said as (
      select date_trunc('minute', m.at) as minute, coalesce(sum(brl) filter (where state = 'passed'), 0) as passed,
          coalesce(sum(brl) filter (where state = 'approved'), 0) as approved
        from money_out m, bound
       where m.account_id = $1 and m.at >= $2::timestamptz + interval '1 minute' and m.at < bound.last + interval '1 minute'
         and m.state in ('passed', 'approved')
       group by 1
    ), wrong as (
      select minute, jsonb_build_object('passed', coalesce(p.passed, 0)::text, 'approved', coalesce(p.approved, 0)::text) as stored,
          jsonb_build_object('passed', coalesce(s.passed, 0)::text, 'approved', coalesce(s.approved, 0)::text) as expected
        from page p full join said s using (minute)
       where coalesce(p.passed, 0) <> coalesce(s.passed, 0) or coalesce(p.approved, 0) <> coalesce(s.approved, 0)
    )
    select (select nullif(last, 'infinity')::text from bound) as last, (select coalesce(jsonb_agg(jsonb_build_object(
        'minute', to_char(minute at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), 'stored', stored, 'expected', expected) order by minute), '[]')
      from wrong) as wrong`,
};

/**
 * Compares transactions, money out and its sums of an account, slice by slice.
 * @param slice - number of records of one statement; at most 5,000.
 * @returns all defects.
 */
export async function verifyMoneyOut(
  database: Tx,
  accountId: bigint,
  slice: number = ROWS_MAX,
): Promise<readonly VolumeDefect[]> {
  const limit = Math.min(slice, ROWS_MAX);
  return [
    ...(await wrongRecords(database, accountId, limit)),
    ...(await wrongMinutes(database, accountId, limit)),
  ];
}

async function wrongRecords(database: Tx, accountId: bigint, slice: number): Promise<VolumeDefect[]> {
  const defects: VolumeDefect[] = [];
  for (let after: bigint | null = 0n; after !== null; ) {
    const [found]: { last: bigint | null; records: readonly Row[] }[] = await database.query(RECORDS, [
      accountId,
      after,
      slice,
    ]);
    for (const row of found?.records ?? [])
      for (const detail of findDefects(row))
        defects.push({ defect: 'money out', at: BigInt(row.id), detail: `${row.end2end} ${detail}` });
    after = found?.last ?? null;
  }
  return defects;
}

function findDefects(row: Row): string[] {
  const isWaiting = row.process?.approval !== undefined;
  const isHeld = row.outflows.some(({ ref }) => ref === HELD_REF);
  const left = row.outflows.filter(({ ref }) => ref !== HELD_REF);
  return [
    ...(isWaiting && !isHeld ? ['waits for approval, and is not among money out that waits'] : []),
    ...(isHeld && !isWaiting ? ['waits for no approval, and is among money out that waits'] : []),
    ...(row.process?.hasOutflow ? findMiscounted(row, left) : []),
    ...left.flatMap((outflow) => findWrongAmount(row, outflow) ?? []),
  ];
}

/** Finds money out that is counted although it came back, and withdrawals that are not counted. */
function findMiscounted({ template: name, component, state }: Row, left: readonly Outflow[]): string[] {
  const template = REGISTRY.of(name);
  if (isBackInBalance(template, REGISTRY.stepOf(name, component, state)))
    return left.length > 0 ? [`is back in the balance, and counts ${sumOf(left)} BRL`] : [];
  return template.family === 'withdrawals' && left.length === 0
    ? ['left the balance, and counts nothing']
    : [];
}

function findWrongAmount(row: Row, { kind, ref, brl }: Outflow): string | undefined {
  // The facts of a redirected deposit are replaced by those of the next one.
  if (kind === 'redirect') return undefined;
  const expected = amountOf(row, kind, ref);
  if (expected !== undefined && centsOf(expected) === centsOf(brl)) return undefined;
  return `counts ${brl} BRL as ${kind} ${ref}, the transaction says ${expected ?? 'nothing'}`;
}

function amountOf({ process, targetAmount }: Row, kind: Outflow['kind'], ref: string): string | undefined {
  if (kind === 'withdrawal') return process?.worth ?? undefined;
  if (kind === 'payout') return targetAmount ?? undefined;
  return returnsOf(process ?? {}).find(({ returnId, state }) => returnId === ref && state !== 'credited_back')
    ?.amount;
}

async function wrongMinutes(database: Tx, accountId: bigint, slice: number): Promise<VolumeDefect[]> {
  const defects: VolumeDefect[] = [];
  for (let after: string | null = '-infinity'; after !== null; ) {
    const [found]: { last: string | null; wrong: readonly WrongMinute[] }[] = await database.query(MINUTES, [
      accountId,
      after,
      slice,
    ]);
    for (const { minute, stored, expected } of found?.wrong ?? [])
      defects.push({
        defect: 'money out of a minute',
        at: null,
        detail: `${minute}: ${textOf(stored)}, the payments say ${textOf(expected)}`,
      });
    after = found?.last ?? null;
  }
  return defects;
}

function sumOf(outflows: readonly Outflow[]): string {
  return outflows.map(({ brl }) => brl).join(' + ');
}

function textOf({ passed, approved }: Sums): string {
  return `${passed} BRL unapproved and ${approved} approved`;
}

function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}
