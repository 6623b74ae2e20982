/**
 * Reads several lists of transactions as one, with filters beyond those of `/v2`. Each list is read by its own index and the
 * pages are merged in the order of C-10; a record to go on from has its place in every list (`list_place`).
 */
import type { Family } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../database.ts';
import { FILTER_CONDITIONS, type ListFilter, type ListSlice, TRANSACTION_SELECT } from './transactions.ts';

/** Filters of merged lists; a transaction must match all that are given. */
export interface MergedFilter extends ListFilter {
  /** At least one. */
  readonly families: readonly Family[];
  /** Wire names. */
  readonly templates?: readonly string[];
  readonly steps?: StepFilter;
  /** Raw ledger code of either side. */
  readonly currency?: string;
  /** Bounds of the amount of the side that has `currency`, of either side without it; both inclusive, decimal text. */
  readonly amountMin?: string;
  readonly amountMax?: string;
  /** Contained in an id, the name, the reference or the notes, in any case. */
  readonly text?: string;
  /** Steps that wait for an approval, and the keys whose own withdrawals are left out there. */
  readonly approvals?: { readonly steps: readonly string[]; readonly makers: readonly string[] };
}

/** The steps that are looked for, as `component/state`, and under which outcomes they are found (`step_outcome`). */
export interface StepFilter {
  readonly outcomes: readonly string[];
  readonly steps: readonly string[];
  /** The opposite: only steps that are not listed. */
  readonly isUnlisted?: true;
}

/** A page of merged lists. */
export interface MergedPage {
  /** All that match; null when it was not asked for. */
  readonly total: bigint | null;
  /** False where more than `COUNT_MAX` match or would have to be looked at: the total is then at least so many. */
  readonly isExact: boolean;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
  readonly rows: readonly TransactionRow[];
}

/** What goes in and comes out in one currency. */
export interface SumRow {
  readonly currency: string;
  /** Decimal text; null where nothing of it has an amount. */
  readonly source: string | null;
  readonly target: string | null;
}

/** Most transactions that a total or a sum looks at. */
export const COUNT_MAX = 100_000;

/** Filters whose index leaves few records to look at. */
const SELECTIVE = ['pixE2e', 'clientTaxId', 'address', 'groupId', 'externalCode'] as const;

/**
 * Reads a page, newest first unless backward.
 *
 * @param options - `counted`: whether the total is wanted.
 * @returns undefined when `after` or `before` is not a record of the account.
 */
export async function listMerged(
  tx: Tx,
  accountId: bigint,
  filter: MergedFilter,
  slice: ListSlice,
  options: { counted: boolean },
): Promise<MergedPage | undefined> {
  const query = new Query(accountId, filter);
  const rows = await tx.query<TransactionRow & Omit<MergedPage, 'rows'>>(...query.page(slice, options));
  const [first] = rows;
  if (!first) return undefined;
  const { total, isExact, hasNewer, hasOlder } = first;
  return { total, isExact, hasNewer, hasOlder, rows: first.id === null ? [] : rows };
}

/** @returns the sums of all that match, by currency; undefined where that would be to look at more than `COUNT_MAX`. */
export async function sumMerged(
  tx: Tx,
  accountId: bigint,
  filter: MergedFilter,
): Promise<SumRow[] | undefined> {
  const rows = await tx.query<SumRow & { isExact: boolean }>(...new Query(accountId, filter).sums());
  if (rows.some(({ isExact }) => !isExact)) return undefined;
  // Without a sum there is one row all the same, which says so.
  return rows.flatMap(({ isExact: _isExact, ...sum }) => (sum.currency === null ? [] : [sum]));
}

/** One statement about the lists of a filter. It has no name: its values decide how it is best executed. */
class Query {
  private readonly values: unknown[];
  private readonly conditions: string;
  private readonly isSelective: boolean;
  private readonly outcomes: string | undefined;

  constructor(accountId: bigint, filter: MergedFilter) {
    this.values = [accountId, filter.families, filter.dateFrom ?? null, filter.dateTo ?? null];
    this.outcomes = filter.steps && this.bind(filter.steps.outcomes);
    this.conditions = conditionsOf(filter, (value) => this.bind(value));
    this.isSelective = SELECTIVE.some((name) => filter[name] !== undefined);
  }

  page({ limit, after, before, isBackward }: ListSlice, { counted }: { counted: boolean }) {
    const size = this.bind(limit);
    const direction = isBackward ? 'asc' : 'desc';
    const text = `with ${this.places(after, before)}, page as (
        select t.* from part p cross join lateral (
          ${this.matching(TRANSACTION_SELECT, 'p.first', 'p.last')} order by t.list_seq ${direction} limit ${size}) t
         order by t."createdAt" ${direction}, t.end2end collate "C" ${direction} limit ${size}
      ), counted as (${counted ? this.count() : 'select null::bigint as total, true as is_exact'})
      select c.total, c.is_exact as "isExact",
        ${after === undefined ? 'false' : this.exists('p.last + 1', 'p.hi')} as "hasNewer",
        ${before === undefined ? 'false' : this.exists('p.lo', 'p.first - 1')} as "hasOlder", page.*
      from counted c left join page on true where exists (select from place)
      order by page."createdAt" ${direction}, page.end2end collate "C" ${direction}`;
    return [unnamed(text), this.values] as const;
  }

  sums() {
    const columns = 't.source_currency, t.source_amount, t.target_currency, t.target_amount';
    const text = `with ${this.places(undefined, undefined)}, found as (
        select t.* from part p cross join lateral (${this.bounded(columns)}) t limit ${COUNT_MAX + 1}
      ), fact as (select (select count(*) from found) <= ${COUNT_MAX} and ${this.covered()} as is_exact)
      select fact.is_exact as "isExact", s.* from fact left join lateral (
        select currency, trim_scale(sum(source))::text as source, trim_scale(sum(target))::text as target from (
          select source_currency as currency, source_amount as source, null::numeric as target from found
          union all select target_currency, null, target_amount from found) sides
         where fact.is_exact and currency is not null and coalesce(source, target) is not null
         group by currency order by currency collate "C") s on true`;
    return [unnamed(text), this.values] as const;
  }

  private bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The positions of each list: between the days, and of these between the records to go on from. */
  private places(after: string | undefined, before: string | undefined): string {
    const record = (alias: string, end2end: string | undefined) =>
      end2end === undefined
        ? ''
        : `join transaction ${alias} on ${alias}.account_id = $1 and ${alias}.end2end = ${this.bind(end2end)}`;
    const placeOf = (alias: string) =>
      `list_place($1, f.family, w.lo, w.hi, ${alias}.created_at, ${alias}.end2end)`;
    const own = 'case when f.family = b.family and b.list_seq between w.lo and w.hi then 1 else 0 end';
    const first = before === undefined ? 'w.lo' : `${placeOf('b')} + 1 + ${own}`;
    const last = after === undefined ? 'w.hi' : placeOf('a');
    const outcomes =
      this.outcomes === undefined ? '' : `cross join unnest(${this.outcomes}::text[]) o(outcome)`;
    return `place as (
        select f.family, w.lo, w.hi, ${first} as first, ${last} as last
          from unnest($2::text[]) f(family) cross join lateral list_window($1, f.family, $3::date, $4::date) w
          ${record('a', after)} ${record('b', before)}
      ), part as (select * from place ${outcomes})`;
  }

  private matching(columns: string, lo: string, hi: string): string {
    const outcome = this.outcomes === undefined ? '' : ' and t.outcome = p.outcome';
    return `select ${columns} from transaction t where t.account_id = $1 and t.family = p.family${outcome}
      and t.list_seq between ${lo} and ${hi}${this.conditions}`;
  }

  private exists(lo: string, hi: string): string {
    const inPart =
      this.conditions === ''
        ? `where ${lo} <= ${hi}`
        : `cross join lateral (${this.matching('', lo, hi)} limit 1) t`;
    return `exists (select from part p ${inPart})`;
  }

  private count(): string {
    if (this.conditions === '')
      return 'select coalesce(sum(hi - lo + 1), 0)::bigint as total, true as is_exact from place';
    return `select least(n, ${COUNT_MAX}) as total, n <= ${COUNT_MAX} and ${this.covered()} as is_exact from (
      select count(*) as n from (select from part p cross join lateral (${this.bounded('')}) t limit ${COUNT_MAX + 1}) x) y`;
  }

  /** What matches, of the newest `COUNT_MAX` of each list where no index leaves few. */
  private bounded(columns: string): string {
    const lo = this.isSelective ? 'p.lo' : `greatest(p.lo, p.hi - ${COUNT_MAX - 1})`;
    return this.matching(columns, lo, 'p.hi');
  }

  private covered(): string {
    return this.isSelective ? 'true' : `not exists (select from place where hi - lo >= ${COUNT_MAX})`;
  }
}

function unnamed(text: string): Statement {
  return { name: '', text };
}

const STEP = `(t.component || '/' || t.state)`;
const TEXTS = `concat_ws(e'\\n', t.end2end, t.client_name, t.external_code, t.notes, t.pix_e2e, t.tx_hash)`;

function conditionsOf(filter: MergedFilter, bind: (value: unknown) => string): string {
  const { templates, steps, currency, amountMin, amountMax, text, approvals } = filter;
  const plain = Object.entries(FILTER_CONDITIONS).flatMap(([name, condition]) => {
    const value = filter[name as keyof typeof FILTER_CONDITIONS];
    return value === undefined ? [] : [condition(bind(value))];
  });
  const code = currency === undefined ? undefined : bind(currency);
  const isWithin = (side: string) => [
    ...(code ? [`t.${side}_currency = ${code}`] : []),
    ...(amountMin === undefined ? [] : [`t.${side}_amount >= ${bind(amountMin)}::numeric`]),
    ...(amountMax === undefined ? [] : [`t.${side}_amount <= ${bind(amountMax)}::numeric`]),
  ];
  const [source, target] = [isWithin('source'), isWithin('target')];
  const all = [
    ...plain,
    ...(templates ? [`t.template = any (${bind(templates)}::text[])`] : []),
    ...(steps ? [`${steps.isUnlisted ? 'not ' : ''}${STEP} = any (${bind(steps.steps)}::text[])`] : []),
    ...(source.length > 0 ? [`(${source.join(' and ')} or ${target.join(' and ')})`] : []),
    ...(text === undefined ? [] : [`strpos(lower(${TEXTS}), lower(${bind(text)}::text)) > 0`]),
    ...(approvals
      ? [
          `(${STEP} <> all (${bind(approvals.steps)}::text[]) or t.process ->> 'isApproved' is distinct from 'true'
            and (t.process ->> 'createdBy' = any (${bind(approvals.makers)}::text[])) is not true)`,
        ]
      : []),
  ];
  return all.map((condition) => ` and ${condition}`).join('');
}
