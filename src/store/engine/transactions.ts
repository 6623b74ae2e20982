/** Reads transactions: one, several, and pages of a list with their exact total. */
import { snakeCase } from '../../base/text/snake-case.ts';
import type { Family } from '../../templates/define.ts';
import { FACTS, type TransactionRow } from '../../templates/facts.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import {
  type ConditionName,
  FILTERS,
  type ListFilterName,
  type TransactionFilter,
} from './transaction-filters.ts';

/** Columns of a transaction apart from its facts. */
const IDENTITY = [
  'accountId',
  'id',
  'end2end',
  'template',
  'component',
  'state',
  'createdAt',
  'updatedAt',
  'errorEn',
  'errorPt',
] as const;

/** Every property of a row, with its column. */
export const TRANSACTION_COLUMNS = Object.fromEntries(
  [...IDENTITY, ...Object.keys(FACTS), 'asPublished'].map((name) => [name, snakeCase(name)]),
) as { readonly [Name in keyof TransactionRow]: string };

/** The columns of a row of table alias `t`, named as its properties. */
export const TRANSACTION_SELECT = Object.entries(TRANSACTION_COLUMNS)
  .map(([name, column]) => `t.${column} as "${name}"`)
  .join(', ');

/** Filters of a list after their check; a transaction must match all given ones. */
export type ListFilter = { readonly [Name in ListFilterName]?: string } & {
  /** Raw ledger codes of an asset on several networks; the target currency is one of them. */
  readonly severalTargets?: readonly string[];
};

/** A page by its distance from the newest record, or a part of the list between two records. */
export type Page = { readonly limit: number; readonly offset: number } | ListSlice;

/** A part of the list between two records, read from its newer end, or backward from its older end. */
export interface ListSlice {
  readonly limit: number;
  /** `end2end` of the preceding record in the order of the list: only older records. */
  readonly after?: string | undefined;
  /** `end2end` of the following record in the order of the list: only newer records. */
  readonly before?: string | undefined;
  /** Oldest record first. */
  readonly isBackward?: boolean;
}

/** Whether newer or older records match outside of the bounds of a slice; false without the bound. */
interface Bounds {
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/** A page of a list. */
export interface TransactionPage extends Bounds {
  /** Number of all matches, not only of the page; null when it was not requested. */
  readonly total: bigint | null;
  readonly rows: readonly TransactionRow[];
}

/** Condition of each filter as SQL about table alias `t`; its account is `$1`, its family is given. */
const FILTER_CONDITIONS = {
  ...(Object.fromEntries(
    FILTERS.flatMap(([name, { parameters, condition }]) =>
      parameters && condition ? [[name, condition]] : [],
    ),
  ) as { readonly [Name in ListFilterName & ConditionName]: NonNullable<TransactionFilter['condition']> }),
  severalTargets: isOneOfTargets,
} as const;
type Condition = keyof typeof FILTER_CONDITIONS;
const CONDITIONS = Object.keys(FILTER_CONDITIONS) as Condition[];

/** This condition is separate, because PostgreSQL reads one currency in the order of the list, but not several. */
export function isOneOfTargets(value: string): string {
  return `t.target_currency = any (${value}::text[])`;
}

const BY_END2END: Statement = {
  name: 'transaction_by_end2end',
  isQuick: true,
  text: `select ${TRANSACTION_SELECT} from transaction t where t.account_id = $1 and t.end2end = $2`,
};
const BY_IDS: Statement = {
  name: 'transactions_by_ids',
  text: `select ${TRANSACTION_SELECT} from transaction t where t.account_id = $1 and t.id = any ($2::bigint[])`,
};

const ANY: Statement = { name: 'transaction_any', text: `select exists (select from transaction) as any` };

/** @returns whether the database has a transaction of any account. */
export async function hasTransactions(database: Tx): Promise<boolean> {
  const [row] = await database.query<{ any: boolean }>(ANY, []);
  return row?.any === true;
}

/** @returns the account's transaction; undefined if it does not exist or belongs to another account. */
export async function findTransaction(
  database: Tx,
  accountId: bigint,
  end2end: string,
): Promise<TransactionRow | undefined> {
  const [row] = await database.query<TransactionRow>(BY_END2END, [accountId, end2end]);
  return row;
}

/** @returns the account's transactions with these ids, in no order; those of other accounts are missing. */
export function findTransactions(
  database: Tx,
  accountId: bigint,
  ids: readonly bigint[],
): Promise<TransactionRow[]> {
  return database.query<TransactionRow>(BY_IDS, [accountId, ids]);
}

/**
 * Reads a page of a list, newest first unless backward, and the exact total, from one snapshot (C-10, C-16).
 * @param options - `counted`: whether to return the total.
 * @returns undefined when `after` or `before` is not a record of the list.
 */
export async function listTransactions(
  database: Database,
  accountId: bigint,
  family: Family,
  filter: ListFilter,
  page: Page,
  options: { counted: boolean },
): Promise<TransactionPage | undefined> {
  const conditions = CONDITIONS.filter((condition) => filter[condition] !== undefined);
  const statement = listStatement(conditions, page, options.counted);
  const rows = await database.query<TransactionRow & Pick<TransactionPage, 'total'> & Partial<Bounds>>(
    statement,
    [
      accountId,
      family,
      filter.dateFrom ?? null,
      filter.dateTo ?? null,
      page.limit,
      ...positionsOf(page),
      ...conditions.map((condition) => filter[condition]),
    ],
  );
  const [first] = rows;
  if (!first) return undefined;
  const { total, hasNewer = false, hasOlder = false } = first;
  return { total, hasNewer, hasOlder, rows: first.id === null ? [] : rows };
}

function positionsOf(page: Page): readonly (number | string)[] {
  if ('offset' in page) return [page.offset];
  return [page.after, page.before].filter((cursor) => cursor !== undefined);
}

const statements = new Map<string, Statement>();

function listStatement(conditions: readonly Condition[], page: Page, counted: boolean): Statement {
  // PostgreSQL keeps 63 characters of a name, so each condition is one letter.
  const letters = conditions.map((condition) => condition.charAt(0)).join('');
  const name = `list_${formOf(page)}${counted ? '_counted' : ''}_${letters}`;
  let statement = statements.get(name);
  if (!statement) {
    // An index does not serve every condition, so some need a search.
    const isQuick = conditions.length === 0 && { isQuick: true as const };
    statement = { name, text: listSql(conditions, page, counted), ...isQuick };
    statements.set(name, statement);
  }
  return statement;
}

function formOf(page: Page): string {
  if ('offset' in page) return 'offset';
  const bounds = `${page.after === undefined ? '' : '_after'}${page.before === undefined ? '' : '_before'}`;
  return `slice${bounds}${page.isBackward ? '_backward' : ''}`;
}

/**
 * Without selective conditions the dense positions determine total and page by subtraction, whatever the size of the
 * list; with one, its index is read between the window's positions.
 */
function listSql(conditions: readonly Condition[], page: Page, counted: boolean): string {
  const firstValue = 6 + positionsOf(page).length;
  const selective = conditions
    .map((condition, index) => ` and ${FILTER_CONDITIONS[condition](`$${index + firstValue}`, '$2')}`)
    .join('');
  const list = 't.account_id = $1 and t.family = $2';
  const { joins, bounds, beyond } = 'offset' in page ? byOffset(selective) : bySlice(page, selective);
  const skip = 'offset' in page && selective ? ' offset $6::bigint' : '';
  const direction = 'isBackward' in page && page.isBackward ? 'asc' : 'desc';
  const count = !counted ? 'null::bigint' : selective ? 'c.total' : 'w.hi - w.lo + 1';
  return [
    `select ${[`${count} as total`, ...beyond].join(', ')}, t.* from list_window($1, $2, $3::date, $4::date) w`,
    ...joins,
    counted && selective
      ? `cross join lateral (select count(*) as total from transaction t where ${list} and t.list_seq between w.lo and w.hi${selective}) c`
      : '',
    `left join lateral (select ${TRANSACTION_SELECT} from transaction t`,
    `where ${list} and t.list_seq between ${bounds}${selective} order by t.list_seq ${direction}${skip} limit $5) t on true`,
  ].join('\n');
}

/**
 * Parts of the statement of a page: tables to join, the range of positions, and whether records exist outside of it.
 */
interface Parts {
  readonly joins: readonly string[];
  readonly bounds: string;
  /** Columns that say whether a bound leaves out records. */
  readonly beyond: readonly string[];
}

function byOffset(selective: string): Parts {
  const hi = selective ? 'w.hi' : 'w.hi - $6::bigint';
  return { joins: [], bounds: `w.lo and ${hi}`, beyond: [] };
}

function bySlice({ after, before }: ListSlice, selective: string): Parts {
  const cursor = (alias: string, at: number) =>
    `join transaction ${alias} on ${alias}.account_id = $1 and ${alias}.family = $2 and ${alias}.end2end = $${at}`;
  const isAny = (lo: string, hi: string) =>
    selective
      ? `exists (select from transaction t where t.account_id = $1 and t.family = $2 and t.list_seq between ${lo} and ${hi}${selective})`
      : `${lo} <= ${hi}`;
  return {
    joins: [
      after === undefined ? '' : cursor('a', 6),
      before === undefined ? '' : cursor('b', after === undefined ? 6 : 7),
    ],
    bounds: `${before === undefined ? 'w.lo' : 'greatest(w.lo, b.list_seq + 1)'} and ${after === undefined ? 'w.hi' : 'least(w.hi, a.list_seq - 1)'}`,
    beyond: [
      ...(after === undefined ? [] : [`${isAny('greatest(w.lo, a.list_seq)', 'w.hi')} as "hasNewer"`]),
      ...(before === undefined ? [] : [`${isAny('w.lo', 'least(w.hi, b.list_seq)')} as "hasOlder"`]),
    ],
  };
}
