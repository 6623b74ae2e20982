/**
 * Reads several lists of transactions as one, with filters beyond those of `/v2`. Each list is read by its own index,
 * and the pages are merged in the order of C-10; the record to continue from has a position in every list
 * (`list_place`).
 */
import type { Zone } from '../../base/time/zone.ts';
import type { Family } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { NTHS, WINDOWS } from './list-windows.ts';
import { FILTERS, type FilterName, filtersWhere } from './transaction-filters.ts';
import { isOneOfTargets, type ListFilter, type ListSlice, TRANSACTION_SELECT } from './transactions.ts';

/** Filters of merged lists; a transaction must match all given ones. */
export interface MergedFilter extends ListFilter {
  /** Zone of the days; the default is UTC. */
  readonly zone?: Zone;
  /** List of at least one family. */
  readonly families: readonly Family[];
  /** Wire names. */
  readonly templates?: readonly string[];
  readonly steps?: StepFilter;
  /** Raw ledger codes; one of the two sides has one of them. */
  readonly currency?: readonly string[];
  /** Inclusive bounds of the amount, decimal text: on the side with one of `currency`, or on either without it. */
  readonly amountMin?: string;
  readonly amountMax?: string;
  /** Text contained in an id, the name, the reference or the notes, ignoring case and accents. */
  readonly text?: string;
  /** Open failures: a refund to the payer, or a job that will be retried. */
  readonly trouble?: keyof typeof TROUBLES;
  /** Steps that wait for an approval, and the makers who may not give it: they requested the withdrawal, or have approved it. */
  readonly approvals?: { readonly steps: readonly string[]; readonly makers: readonly string[] };
}

/** Steps to find, as `component/state`, and the outcomes that contain them (`step_outcome`). */
export interface StepFilter {
  readonly outcomes: readonly string[];
  readonly steps: readonly string[];
  /** Steps to exclude. */
  readonly isUnlisted?: true;
}

/** SQL of transactions `t` with a failed refund to the payer that is still open. */
export const OWES_RETURN = `t.has_open_refund
  and (t.process @> '{"returns": [{"state": "failed"}]}' or t.component = 'refund' and t.state = 'ERROR')`;

/** Transactions in trouble: there are few, and each is found by an index of its own. */
const TROUBLES = {
  refund: OWES_RETURN,
  job: 't.id = any (array(select j.transaction_id from job j where j.account_id = $1 and j.last_error is not null))',
} as const;

/** A page of merged lists. */
export interface MergedPage {
  /** Number of all matches; null when it was not requested. */
  readonly total: bigint | null;
  /** False if more than `COUNT_MAX` match or would have to be scanned: the total is then a lower bound. */
  readonly isExact: boolean;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
  /** `end2end` of the last scanned record, if the scan reached `SCAN_MAX` before the page was full; null otherwise. */
  readonly cutAt: string | null;
  readonly rows: readonly TransactionRow[];
}

/** Incoming and outgoing sums. Decimal text; null without any amount. */
export interface SumSides {
  readonly source: string | null;
  readonly target: string | null;
}

/** Incoming and outgoing sums in one currency: of all, of successful, and of unsuccessfully ended transactions. */
export interface SumRow extends SumSides {
  readonly currency: string;
  readonly succeeded: SumSides;
  readonly failed: SumSides;
}

type StoredSums = SumSides &
  Readonly<Record<`${'succeeded' | 'failed'} ${keyof SumSides}`, string | null>> & {
    readonly isExact: boolean;
    readonly currency: string | null;
  };

/** Maximum number of transactions of a list that a total or a sum reads. */
export const COUNT_MAX = 100_000;
/** Number of scanned records in a list that has more. */
export const COUNT_ABOUT = 10_000;
/** Maximum number of transactions of a list that a page scans for conditions without an index, such as a text. */
export const SCAN_MAX = 20_000;

/** Filters whose index leaves few records to scan. */
const SELECTIVE = filtersWhere(({ reads }) => reads === 'few');
/** Filters without an index: they scan one record after another. */
const SCANNED = filtersWhere(({ reads }) => reads === 'scan');

/**
 * Reads a page, newest first unless backward.
 *
 * @param options - `counted`: whether the total is wanted; `scanMax`: in place of `SCAN_MAX`.
 * @returns undefined when `after` or `before` is not a record of the account.
 */
export async function listMerged(
  tx: Tx,
  accountId: bigint,
  filter: MergedFilter,
  slice: ListSlice,
  options: { readonly counted: boolean; readonly scanMax?: number },
): Promise<MergedPage | undefined> {
  const query = new Query(accountId, filter, options.scanMax);
  const rows = await tx.query<TransactionRow & Omit<MergedPage, 'rows'>>(...query.page(slice, options));
  const [first] = rows;
  if (!first) return undefined;
  const { total, isExact, hasNewer, hasOlder } = first;
  const found = first.id === null ? [] : rows;
  const cutAt = found.length < slice.limit ? first.cutAt : null;
  return { total, isExact, hasNewer, hasOlder, cutAt, rows: found };
}

/** The record of a number. */
export interface NthRecord {
  /** Null without a match. */
  readonly end2end: string | null;
  /** False if more than `COUNT_MAX` records would have to be scanned. */
  readonly isReached: boolean;
}

/** @returns the record of a number, counted from 1, newest first; the oldest where there are fewer. */
export async function findNthMerged(
  tx: Tx,
  accountId: bigint,
  filter: MergedFilter,
  number: number,
): Promise<NthRecord> {
  const query = new Query(accountId, filter, COUNT_MAX);
  if (query.isFiltered && number > COUNT_MAX) return { end2end: null, isReached: false };
  const [found] = await tx.query<NthRecord>(...query.nth(number));
  return found ?? { end2end: null, isReached: true };
}

/**
 * @returns the sums of all matches, by currency; undefined if more than `COUNT_MAX` records would have to be scanned.
 */
export async function sumMerged(
  tx: Tx,
  accountId: bigint,
  filter: MergedFilter,
): Promise<SumRow[] | undefined> {
  const rows = await tx.query<StoredSums>(...new Query(accountId, filter).sums());
  if (rows.some(({ isExact }) => !isExact)) return undefined;
  const sidesOf = (row: StoredSums, name: 'succeeded' | 'failed') => ({
    source: row[`${name} source`],
    target: row[`${name} target`],
  });
  // Without a sum the statement still returns one row, which says so.
  return rows.flatMap((row) => {
    const { currency, source, target } = row;
    const [succeeded, failed] = [sidesOf(row, 'succeeded'), sidesOf(row, 'failed')];
    return currency === null ? [] : [{ currency, source, target, succeeded, failed }];
  });
}

/** One statement about the lists of a filter. The statement has no name, because its values determine the best plan. */
class Query {
  private readonly values: unknown[];
  private readonly conditions: string;
  /** Whether an index leaves few records, and whether an index finds all matches, however many. */
  private readonly isSelective: boolean;
  private readonly isIndexed: boolean;
  /** Number of records of each list that a page scans; undefined if an index finds the matches. */
  private readonly scan: number | undefined;
  private readonly outcomes: string | undefined;
  private readonly zone: Zone;

  constructor(accountId: bigint, filter: MergedFilter, scanMax = SCAN_MAX) {
    this.values = [accountId, filter.families, filter.dateFrom ?? null, filter.dateTo ?? null];
    this.zone = filter.zone ?? 'UTC';
    this.outcomes = filter.steps && this.bind(filter.steps.outcomes);
    this.conditions = conditionsOf(filter, (value) => this.bind(value));
    const values: Partial<Record<FilterName, unknown>> = filter;
    this.isSelective = filter.trouble !== undefined || SELECTIVE.some((name) => values[name] !== undefined);
    const isScanned = SCANNED.some((name) => values[name] !== undefined);
    this.isIndexed = this.isSelective || (filter.steps !== undefined && !isScanned);
    this.scan = isScanned && !this.isSelective ? scanMax : undefined;
  }

  page({ limit, after, before, isBackward }: ListSlice, { counted }: { counted: boolean }) {
    const size = this.bind(limit);
    const direction = isBackward ? 'asc' : 'desc';
    const text = `with ${this.places(after, before, isBackward)}, page as (
        select t.* from part p cross join lateral (
          ${this.matching(TRANSACTION_SELECT, 'p.first', 'p.last')} order by t.list_seq ${direction} limit ${size}) t
         order by t."createdAt" ${direction}, t.end2end collate "C" ${direction} limit ${size}
      ), counted as (${counted ? this.count() : 'select null::bigint as total, true as is_exact'})
      select c.total, c.is_exact as "isExact",
        ${after === undefined ? 'false' : this.hasNewer()} as "hasNewer",
        ${before === undefined ? 'false' : this.hasOlder()} as "hasOlder",
        ${this.scan === undefined ? 'null' : '(select end2end from edge)'} as "cutAt", page.*
      from counted c left join page on true where exists (select from place)
      order by page."createdAt" ${direction}, page.end2end collate "C" ${direction}`;
    return [unnamed(text), this.values] as const;
  }

  /** Whether a record has conditions apart from its position. */
  get isFiltered(): boolean {
    return this.conditions !== '' || this.outcomes !== undefined;
  }

  nth(number: number) {
    const n = `${this.bind(number)}::bigint`;
    if (!this.isFiltered)
      return [unnamed(`select ${NTHS[this.zone](n)} as end2end, true as "isReached"`), this.values] as const;
    const isWhole = this.scan === undefined ? 'true' : 'not exists (select from edge)';
    const columns = 't.created_at, t.end2end, t.list_seq';
    const text = `with ${this.places(undefined, undefined)}, page as (
        select t.created_at, t.end2end from part p cross join lateral (
          ${this.matching(columns, 'p.first', 'p.last')} order by t.list_seq desc limit ${n}) t
         order by t.created_at desc, t.end2end collate "C" desc limit ${n})
      select end2end, (select count(*) from page) = ${n} or ${isWhole} as "isReached" from page
       order by created_at, end2end collate "C" limit 1`;
    return [unnamed(text), this.values] as const;
  }

  sums() {
    const columns = 't.source_currency, t.source_amount, t.target_currency, t.target_amount, t.outcome';
    const sides = (name: string, condition: string) =>
      ['source', 'target']
        .map((side) => `trim_scale(sum(${side}) filter (where ${condition}))::text as "${name} ${side}"`)
        .join(', ');
    const text = `with ${this.places(undefined, undefined)}, found as (
        select t.* from part p cross join lateral (${this.bounded(columns)}) t
         where ${this.covered()} limit ${this.most()} + 1
      ), fact as (select (select count(*) from found) <= ${this.most()} and ${this.covered()} as is_exact)
      select fact.is_exact as "isExact", s.* from fact left join lateral (
        select currency, trim_scale(sum(source))::text as source, trim_scale(sum(target))::text as target,
            ${sides('succeeded', SUCCEEDED)}, ${sides('failed', `outcome <> 'OPEN' and not ${SUCCEEDED}`)} from (
          select source_currency as currency, source_amount as source, null::numeric as target, outcome from found
          union all select target_currency, null, target_amount, outcome from found) sides
         where fact.is_exact and currency is not null and coalesce(source, target) is not null
         group by currency order by currency collate "C") s on true`;
    return [unnamed(text), this.values] as const;
  }

  private bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Positions of each list: within the days, between the records to continue from, as many as the scan allows. */
  private places(after: string | undefined, before: string | undefined, isBackward = false): string {
    const record = (alias: string, end2end: string | undefined) =>
      end2end === undefined
        ? ''
        : `join transaction ${alias} on ${alias}.account_id = $1 and ${alias}.end2end = ${this.bind(end2end)}`;
    const positionOf = (alias: string) =>
      `list_place($1, f.family, w.lo, w.hi, ${alias}.created_at, ${alias}.end2end)`;
    const own = 'case when f.family = b.family and b.list_seq between w.lo and w.hi then 1 else 0 end';
    const first = before === undefined ? 'w.lo' : `${positionOf('b')} + 1 + ${own}`;
    const last = after === undefined ? 'w.hi' : positionOf('a');
    const outcomes =
      this.outcomes === undefined ? '' : `cross join unnest(${this.outcomes}::text[]) o(outcome)`;
    return `place as (
        select f.family, w.lo, w.hi, ${first} as first, ${last} as last
          from unnest($2::text[]) f(family) cross join lateral ${WINDOWS[this.zone]} w
          ${record('a', after)} ${record('b', before)}
      ), ${this.scan === undefined ? '' : this.edge(this.scan, isBackward)}part as (
        select * from ${this.scan === undefined ? 'place' : 'looked'} ${outcomes})`;
  }

  /** Bound of the scan: the last record, from the start of the page, that is scanned in its list. */
  private edge(scanned: number, isBackward: boolean): string {
    const at = isBackward ? `p.first + ${scanned}` : `p.last - ${scanned}`;
    const direction = isBackward ? 'asc' : 'desc';
    const positionSql = 'list_place($1, p.family, p.lo, p.hi, e.created_at, e.end2end)';
    const first = isBackward ? 'p.first' : `greatest(p.first, ${positionSql} + 1)`;
    const last = isBackward
      ? `least(p.last, ${positionSql} + case when p.family = e.family then 1 else 0 end)`
      : 'p.last';
    return `edge as (
        select t.family, t.created_at, t.end2end from place p
          join transaction t on t.account_id = $1 and t.family = p.family and t.list_seq = ${at}
         where ${at} > p.first and ${at} < p.last
         order by t.created_at ${direction}, t.end2end collate "C" ${direction} limit 1
      ), looked as (
        select p.family, p.lo, p.hi, case when e.family is null then p.first else ${first} end as first,
            case when e.family is null then p.last else ${last} end as last
          from place p left join edge e on true), `;
  }

  /** The table of outcomes finds records by their end, unless another filter finds fewer. */
  private matching(columns: string, lo: string, hi: string): string {
    const from =
      this.outcomes === undefined || this.isSelective
        ? 'transaction t where t.account_id = $1 and t.family = p.family and t.list_seq'
        : `list_outcome o join transaction t on t.account_id = $1 and t.family = p.family and t.list_seq = o.list_seq
      where o.account_id = $1 and o.family = p.family and o.outcome = p.outcome and o.list_seq`;
    const outcome = this.outcomes !== undefined && this.isSelective ? ' and t.outcome = p.outcome' : '';
    return `select ${columns} from ${from} between ${lo} and ${hi}${outcome}${this.conditions}`;
  }

  /** A limited scan may leave records beyond it, so the page can continue there. */
  private hasNewer(): string {
    if (this.scan === undefined) return this.exists('p.last + 1', 'p.hi');
    const near = this.exists('p.last + 1', `least(p.hi, p.last + ${this.scan})`);
    return `(exists (select from part p where p.hi > p.last + ${this.scan}) or ${near})`;
  }

  private hasOlder(): string {
    if (this.scan === undefined) return this.exists('p.lo', 'p.first - 1');
    const near = this.exists(`greatest(p.lo, p.first - ${this.scan})`, 'p.first - 1');
    return `(exists (select from part p where p.lo < p.first - ${this.scan}) or ${near})`;
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
    return `select least(n, ${this.most()}) as total, n <= ${this.most()} and ${this.covered()} as is_exact from (
      select count(*) as n from (select from part p cross join lateral (${this.bounded('')}) t limit ${this.most()} + 1) x) y`;
  }

  /**
   * Matches: without an index, among the newest of each list. Order and limit keep PostgreSQL at the index of each
   * list: without them it reads the transactions of all accounts.
   */
  private bounded(columns: string): string {
    const found = this.matching(
      columns,
      this.isIndexed ? 'p.lo' : `greatest(p.lo, p.hi + 1 - ${this.most()})`,
      'p.hi',
    );
    return `${found} order by t.list_seq desc limit ${this.most()} + 1`;
  }

  /** Number of scanned records: fewer where the lists are too long for an exact answer. */
  private most(): string {
    return this.isSelective
      ? String(COUNT_MAX)
      : `(case when ${SHORT} then ${COUNT_MAX} else ${COUNT_ABOUT} end)`;
  }

  /** Whether the scanned records are all records. */
  private covered(): string {
    return this.isIndexed ? 'true' : SHORT;
  }
}

/** SQL of outcomes by which an order was paid. */
const SUCCEEDED = `(outcome in ('SUCCESS', 'PARTIAL_SUCCESS'))`;

/** Whether every list can be scanned as a whole. */
const SHORT = `not exists (select from place where hi - lo >= ${COUNT_MAX})`;

function unnamed(text: string): Statement {
  return { name: '', text };
}

const STEP = `(t.component || '/' || t.state)`;

/** SQL of transactions that wait for no approval, or for one that other people than these makers may give. */
function isForOthers(steps: string, makers: string): string {
  return `(${STEP} <> all (${steps}::text[]) or t.process ->> 'isApproved' is distinct from 'true' and (
    t.process ->> 'createdBy' = any (${makers}::text[]) or t.process -> 'approval' -> 'by' ?| ${makers}::text[]) is not true)`;
}

function conditionsOf(filter: MergedFilter, bind: (value: unknown) => string): string {
  const { steps, currency, amountMin, amountMax, approvals, trouble, severalTargets } = filter;
  const values: Partial<Record<FilterName, unknown>> = filter;
  const own = FILTERS.flatMap(([name, { condition, reads }]) =>
    condition && values[name] !== undefined
      ? [{ sql: condition(bind(values[name]), 'p.family'), isScan: reads === 'scan' }]
      : [],
  );
  const codes = currency === undefined ? undefined : bind(currency);
  const isWithin = (side: string) => [
    ...(codes ? [`t.${side}_currency = any (${codes}::text[])`] : []),
    ...(amountMin === undefined ? [] : [`t.${side}_amount >= ${bind(amountMin)}::numeric`]),
    ...(amountMax === undefined ? [] : [`t.${side}_amount <= ${bind(amountMax)}::numeric`]),
  ];
  const [source, target] = [isWithin('source'), isWithin('target')];
  const all = [
    ...own.filter(({ isScan }) => !isScan).map(({ sql }) => sql),
    ...(severalTargets ? [isOneOfTargets(bind(severalTargets))] : []),
    ...(trouble ? [TROUBLES[trouble]] : []),
    ...(steps ? [`${steps.isUnlisted ? 'not ' : ''}${STEP} = any (${bind(steps.steps)}::text[])`] : []),
    ...(source.length > 0 ? [`(${source.join(' and ')} or ${target.join(' and ')})`] : []),
    ...own.filter(({ isScan }) => isScan).map(({ sql }) => sql),
    ...(approvals ? [isForOthers(bind(approvals.steps), bind(approvals.makers))] : []),
  ];
  return all.map((condition) => ` and ${condition}`).join('');
}
