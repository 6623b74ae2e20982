/** The ledger in the database: statement pages, balances, opening and posting. */
import type { Instant } from '../../base/time/instant.ts';
import type { Zone } from '../../base/time/zone.ts';
import type { AccountSheet } from '../../ledger/chart.ts';
import type { PublishedRow, TransactionRow } from '../../templates/facts.ts';
import type { Database, Statement } from '../connection/database.ts';
import { TRANSACTION_COLUMNS } from '../engine/transactions.ts';

/** A ledger account in its form for a statement. */
export interface LedgerAccountRow extends Omit<AccountSheet, 'house'> {
  readonly accountId: bigint;
  readonly id: bigint;
}

/** A ledger line; amounts are minor units as text, a credit is positive. */
export interface LedgerLineRow {
  readonly accountId: bigint;
  readonly ledgerAccountId: bigint;
  readonly id: bigint;
  readonly journalId: bigint;
  readonly transactionId: bigint | null;
  readonly postedAt: Instant;
  readonly delta: string;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  readonly ledgerAccount: LedgerAccountRow;
  /** Null for an adjustment; missing if it was not read together with the line. */
  readonly transaction?: TransactionRow | null | undefined;
}

/** Filters of the statement; a line has to match all given ones. */
export interface StatementFilter {
  /** Raw ledger codes; a line has one of them. */
  readonly currencies?: readonly string[];
  readonly subAccount?: number;
  /** Days of `zone`, both inclusive (C-11). */
  readonly dateFrom?: string;
  readonly dateTo?: string;
  /** The default is UTC; pages by offset (`readStatementEntries`) always use UTC days. */
  readonly zone?: Zone;
}

/** A page by its distance from the newest line. */
export interface StatementWindow {
  readonly limit: number;
  readonly offset: number;
}

/** A part of the statement between two lines, read from its newer end, or backward from its older end. */
export interface StatementSlice {
  readonly limit: number;
  /** Only lines with a smaller id. */
  readonly below?: bigint | undefined;
  /** Only lines with a greater id. */
  readonly above?: bigint | undefined;
  /** Oldest line first. */
  readonly isBackward: boolean;
  /** Whether each line is read together with its transaction. Default no. */
  readonly withTransactions?: boolean;
}

/** A page of the statement, with the total of all matching lines. */
export interface StatementPage<Line = LedgerLineRow> {
  readonly total: bigint;
  readonly lines: readonly Line[];
}

/** A slice of the statement, and whether newer or older lines match outside of its bounds. */
export interface StatementPart extends StatementPage {
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/**
 * A line in the form of the statement of `/v2`, with its transaction; null for an adjustment. Ids are in the notation
 * of the database.
 */
export interface StatementEntry
  extends Pick<LedgerLineRow, 'postedAt' | 'delta' | 'balanceBefore' | 'balanceAfter'> {
  readonly id: string;
  readonly ledgerAccount: Pick<LedgerAccountRow, 'code' | 'name' | 'currency' | 'prettyName' | 'scale'> & {
    readonly id: string;
  };
  readonly transaction: PublishedRow | null;
}

/** The balance of one sub-account. */
export interface BalanceRow {
  readonly currency: string;
  readonly scale: number;
  readonly subAccount: number;
  /** Minor units. */
  readonly balance: string;
}

const LINE_COLUMNS = `(s.line).ledger_account_id as "ledgerAccountId", (s.line).id, (s.line).journal_id as "journalId",
  (s.line).transaction_id as "transactionId", (s.line).posted_at as "postedAt", (s.line).delta, (s.line).balance_before as "balanceBefore",
  (s.line).balance_after as "balanceAfter", a.code, a.name, a.currency, a.pretty_name as "prettyName", a.scale, a.sub_account as "subAccount"`;

/** The transaction of a line `s`, looked up by key, whatever the planner expects. */
const TRANSACTION_OF_LINE =
  'left join lateral (select * from transaction t where t.account_id = $1 and t.id = (s.line).transaction_id limit 1) t on true';
const columnsOfTransaction = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([name, column]) => `t.${column} as "transaction.${name}"`)
    .join(', ');

/** Lines of each sub-account in the filtered days: UTC days by the table of days, Brasília days by a binary search. */
const WINDOWS: Readonly<Record<Zone, string>> = {
  UTC: 'statement_window($1, $2::text[], $3::smallint, $4::date, $5::date)',
  'America/Sao_Paulo': `(select s.ledger_account_id,
          case when $4::date is null then s.lo else greatest(s.lo,
            ledger_seq_before($1, s.ledger_account_id, $4::date::timestamp at time zone 'America/Sao_Paulo') + 1) end as lo,
          case when $5::date is null then s.hi else
            ledger_seq_before($1, s.ledger_account_id, ($5::date + 1)::timestamp at time zone 'America/Sao_Paulo') end as hi
        from statement_window($1, $2::text[], $3::smallint, null, null) s)`,
};

/** Form of reading a slice. */
interface SliceForm extends Pick<StatementSlice, 'isBackward' | 'withTransactions'> {
  readonly isBounded: boolean;
  readonly zone: Zone;
}

/** Each sub-account contributes at most a page of lines, and the page merges them. */
function makeSlice({ isBackward, withTransactions, isBounded, zone }: SliceForm): Statement {
  const order = isBackward ? 'asc' : 'desc';
  const [columns, join] = withTransactions
    ? [`${LINE_COLUMNS}, ${columnsOfTransaction(TRANSACTION_COLUMNS)}`, TRANSACTION_OF_LINE]
    : [LINE_COLUMNS, ''];
  const range = isBackward
    ? 'l.seq >= w.lo and l.seq < least(w.lo + $6::int, w.hi + 1)'
    : 'l.seq <= w.hi and l.seq > greatest(w.hi - $6::int, w.lo - 1)';
  return {
    name: `statement_slice_${order}${withTransactions ? '_whole' : ''}${isBounded ? '_within' : ''}${zone === 'UTC' ? '' : '_local'}`,
    isQuick: true,
    text: `with w as materialized (
        select w.ledger_account_id as id, w.lo as first, w.hi as last, ${isBounded ? WITHIN : 'w.lo, w.hi'}
          from ${WINDOWS[zone]} w where w.hi >= w.lo
      ), n as (
        select coalesce(sum(last - first + 1), 0)::bigint as total${isBounded ? BEYOND : ''} from w
      )
      select n.*, ${columns} from n left join lateral (
        select y.line from w cross join lateral (select l as line from ledger_line l
          where l.account_id = $1 and l.ledger_account_id = w.id and ${range} order by l.seq ${order}) y
        order by (y.line).id ${order} limit $6) s on true
      left join ledger_account a on a.account_id = $1 and a.id = (s.line).ledger_account_id ${join} order by (s.line).id ${order}`,
  };
}
/** A bound costs one index-only probe for each sub-account. */
const WITHIN = `
          case when $8::bigint is null then w.lo else greatest(w.lo, coalesce((select l.seq from ledger_line l
            where l.account_id = $1 and l.ledger_account_id = w.ledger_account_id and l.id > 0 and l.id > $8 order by l.id limit 1), w.hi + 1)) end as lo,
          case when $7::bigint is null then w.hi else least(w.hi, coalesce((select l.seq from ledger_line l
            where l.account_id = $1 and l.ledger_account_id = w.ledger_account_id and l.id > 0 and l.id < $7 order by l.id desc limit 1), 0)) end as hi`;
const BEYOND = `,
          coalesce(bool_or(hi < last), false) as "hasNewer", coalesce(bool_or(lo > first), false) as "hasOlder"`;
const slices = new Map<string, Statement>();

function sliceStatement(
  { isBackward, withTransactions = false, below, above }: StatementSlice,
  zone: Zone,
): Statement {
  const isBounded = below !== undefined || above !== undefined;
  const form = `${isBackward} ${withTransactions} ${isBounded} ${zone}`;
  const known = slices.get(form) ?? makeSlice({ isBackward, withTransactions, isBounded, zone });
  slices.set(form, known);
  return known;
}
const { accountId: _account, id: _id, ...PUBLISHED } = TRANSACTION_COLUMNS;
/**
 * Lines given as `s`, each with its ledger account and its transaction, looked up by key, whatever the planner expects.
 */
const entriesOf = (
  total: string,
  from: string,
) => `select ${total}, (s.line).id::text, (s.line).posted_at as "postedAt", (s.line).delta,
    (s.line).balance_before as "balanceBefore", (s.line).balance_after as "balanceAfter", a.id::text as "ledgerAccount.id",
    a.code as "ledgerAccount.code", a.name as "ledgerAccount.name", a.currency as "ledgerAccount.currency",
    a.pretty_name as "ledgerAccount.prettyName", a.scale as "ledgerAccount.scale",
    ${columnsOfTransaction(PUBLISHED)}
  from ${from}
  left join ledger_account a on a.account_id = $1 and a.id = (s.line).ledger_account_id
  ${TRANSACTION_OF_LINE}
  order by (s.line).id desc`;
/**
 * Maximum distance in lines from the newest line at which a page is merged from the newest lines of each sub-account.
 */
const NEAR = 200;
const NEAR_ENTRIES: Statement = {
  name: 'statement_entries_near',
  isQuick: true,
  text: `with w as materialized (
      select w.ledger_account_id as id, w.lo, w.hi from statement_window($1, $2::text[], $3::smallint, $4::date, $5::date) w where w.hi >= w.lo
    ), n as (select coalesce(sum(hi - lo + 1), 0)::bigint as total from w)
    ${entriesOf(
      'n.total',
      `n left join lateral (
        select y.line from w cross join lateral (select l as line from ledger_line l
          where l.account_id = $1 and l.ledger_account_id = w.id and l.seq <= w.hi and l.seq > greatest(w.hi - $6::int - $7::int, w.lo - 1)
          order by l.seq desc) y
        order by (y.line).id desc offset $7::int limit $6::int) s on true`,
    )}`,
};
const STATEMENT_ENTRIES: Statement = {
  name: 'statement_entries',
  isQuick: true,
  text: entriesOf(
    's.total',
    'statement_page($1, $2::text[], $3::smallint, $4::date, $5::date, $6::int, $7::bigint, null) s',
  ),
};
const LINE_AT: Statement = {
  name: 'statement_line_at',
  text: `select s.total, (s.line).id from statement_page($1, $2::text[], $3::smallint, $4::date, $5::date, 1, $6::bigint - 1, null) s`,
};
/** Reads the lines up to the requested one: only UTC days have a faster form. */
const LINE_AT_LOCAL: Statement = {
  name: 'statement_line_at_local',
  text: `with w as materialized (select w.ledger_account_id as id, w.lo, w.hi from ${WINDOWS['America/Sao_Paulo']} w where w.hi >= w.lo),
      n as (select coalesce(sum(hi - lo + 1), 0)::bigint as total from w)
    select n.total, s.id from n left join lateral (
      select y.id from w cross join lateral (select l.id from ledger_line l
        where l.account_id = $1 and l.ledger_account_id = w.id and l.seq <= w.hi and l.seq > greatest(w.hi - $6::bigint, w.lo - 1)
        order by l.seq desc) y
      order by y.id desc offset $6::bigint - 1 limit 1) s on true`,
};
const BALANCES: Statement = {
  name: 'balances',
  isQuick: true,
  text: `select a.currency, a.scale, a.sub_account as "subAccount", b.balance
    from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where a.account_id = $1 and a.sub_account > 0`,
};
const BALANCES_AT: Statement = {
  name: 'balances_at',
  text: `select a.currency, a.scale, a.sub_account as "subAccount", balance_at($1, a.id, $2) as balance
    from ledger_account a where a.account_id = $1 and a.sub_account > 0`,
};
const CURRENCIES_HELD: Statement = {
  name: 'currencies_held',
  text: `select distinct currency from ledger_account where account_id = $1 and sub_account > 0`,
};
type FlatLine = Omit<LedgerLineRow, 'accountId' | 'ledgerAccount'> &
  Omit<LedgerAccountRow, 'accountId' | 'id'> & { total: bigint };

/**
 * Reads a part of the statement, newest line first unless backward, and the exact total, from one snapshot (C-10, C-16).
 */
export async function readStatementLines(
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  slice: StatementSlice,
): Promise<StatementPart> {
  const { limit, below, above } = slice;
  const bounds = below === undefined && above === undefined ? [] : [below ?? null, above ?? null];
  const rows = await database.query<FlatLine & Partial<Omit<StatementPart, 'lines'>>>(
    sliceStatement(slice, zoneOf(filter)),
    [...filterValues(accountId, filter), limit, ...bounds],
  );
  const { total = 0n, hasNewer = false, hasOlder = false } = rows[0] ?? {};
  return { total, hasNewer, hasOlder, lines: rows[0]?.id == null ? [] : linesOf(accountId, rows) };
}

/** Reads a page of the statement, newest line first, each with its transaction, and the exact total, in one statement. */
export async function readStatementEntries(
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  window: StatementWindow,
): Promise<StatementPage<StatementEntry>> {
  const statement = window.offset + window.limit <= NEAR ? NEAR_ENTRIES : STATEMENT_ENTRIES;
  const rows = await database.query<StatementEntry & { readonly total: bigint }>(statement, [
    ...filterValues(accountId, filter),
    window.limit,
    window.offset,
  ]);
  const [first] = rows;
  return { total: first?.total ?? 0n, lines: first?.id == null ? [] : rows };
}

/** @returns the id of the line with a number, counted from 1, newest first; the oldest line if there are fewer. */
export async function findStatementLine(
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  number: number,
): Promise<bigint | undefined> {
  const statement = zoneOf(filter) === 'UTC' ? LINE_AT : LINE_AT_LOCAL;
  const at = (parameter: number | bigint) =>
    database.query<{ total: bigint; id: bigint | null }>(statement, [
      ...filterValues(accountId, filter),
      parameter,
    ]);
  const [found] = await at(number);
  if (!found || found.total === 0n) return undefined;
  return found.id ?? (await at(found.total))[0]?.id ?? undefined;
}

/** @returns the balances of every existing sub-account, now or at an instant. */
export function readBalances(database: Database, accountId: bigint, at?: Date): Promise<BalanceRow[]> {
  return at
    ? database.query<BalanceRow>(BALANCES_AT, [accountId, at])
    : database.query<BalanceRow>(BALANCES, [accountId]);
}

/** @returns the raw codes of all currencies of the account's ledger accounts. */
export async function currenciesHeld(database: Database, accountId: bigint): Promise<string[]> {
  const rows = await database.query<{ currency: string }>(CURRENCIES_HELD, [accountId]);
  return rows.map((row) => row.currency);
}

/** Zone of the filtered days; without days it makes no difference, and UTC is read faster. */
function zoneOf({ dateFrom, dateTo, zone = 'UTC' }: StatementFilter): Zone {
  return dateFrom === undefined && dateTo === undefined ? 'UTC' : zone;
}

function filterValues(accountId: bigint, filter: StatementFilter): unknown[] {
  const { currencies, subAccount, dateFrom, dateTo } = filter;
  return [accountId, currencies ?? null, subAccount ?? null, dateFrom ?? null, dateTo ?? null];
}

/** Lines of the same ledger account share one object for it, so that it is serialized once. */
function linesOf(accountId: bigint, rows: readonly FlatLine[]): LedgerLineRow[] {
  const accounts = new Map<bigint, LedgerAccountRow>();
  return rows.map((row) => {
    const ledgerAccount = accounts.get(row.ledgerAccountId) ?? accountOf(accountId, row);
    accounts.set(row.ledgerAccountId, ledgerAccount);
    return {
      accountId,
      ledgerAccountId: row.ledgerAccountId,
      id: row.id,
      journalId: row.journalId,
      transactionId: row.transactionId,
      postedAt: row.postedAt,
      delta: row.delta,
      balanceBefore: row.balanceBefore,
      balanceAfter: row.balanceAfter,
      ledgerAccount,
      transaction: row.transaction,
    };
  });
}

function accountOf(accountId: bigint, row: FlatLine): LedgerAccountRow {
  return {
    accountId,
    id: row.ledgerAccountId,
    code: row.code,
    name: row.name,
    currency: row.currency,
    prettyName: row.prettyName,
    scale: row.scale,
    subAccount: row.subAccount,
  };
}
