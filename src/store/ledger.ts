/** The ledger in the database: statement pages, balances, opening and posting, and the auditor. */
import type { Instant } from '../base/instant.ts';
import type { AccountSheet } from '../ledger/chart.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Database, Statement, Tx } from './database.ts';
import { TRANSACTION_COLUMNS, TRANSACTION_SELECT } from './transactions.ts';

/** A ledger account as a statement shows it. */
export interface LedgerAccountRow extends Omit<AccountSheet, 'house'> {
  readonly accountId: bigint;
  readonly id: bigint;
}

/** A ledger line; amounts are minor units as text, a credit is positive. */
export interface LedgerLineRow {
  readonly accountId: bigint;
  readonly ledgerAccountId: bigint;
  readonly seq: bigint;
  readonly id: bigint;
  readonly journalId: bigint;
  readonly transactionId: bigint | null;
  readonly postedAt: Instant;
  readonly delta: string;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  readonly ledgerAccount: LedgerAccountRow;
}

/** Filters of the statement; all that are given must hold. */
export interface StatementFilter {
  /** Raw ledger code. */
  readonly currency?: string;
  readonly subAccount?: number;
  /** UTC days, both inclusive (C-11). */
  readonly dateFrom?: string;
  readonly dateTo?: string;
}

/** A page by its distance from the newest line, or only lines with a smaller id than `before`. */
export type StatementWindow =
  | { readonly limit: number; readonly offset: number }
  | { readonly limit: number; readonly before: bigint };

/** A page of the statement, with the total of all matching lines. */
export interface StatementPage<Line = LedgerLineRow> {
  readonly total: bigint;
  readonly lines: readonly Line[];
}

/** A line together with the transaction that moved it, null for an adjustment. */
export interface StatementEntry extends LedgerLineRow {
  readonly transaction: TransactionRow | null;
}

/** The balance of one sub-account. */
export interface BalanceRow {
  readonly currency: string;
  readonly scale: number;
  readonly subAccount: number;
  /** Minor units. */
  readonly balance: string;
}

/** Something that the auditor found wrong. */
export interface Defect {
  readonly defect: string;
  readonly ledgerAccountId: bigint | null;
  readonly at: bigint | null;
  readonly detail: string;
}

const LINE_COLUMNS = `(s.line).ledger_account_id as "ledgerAccountId", (s.line).seq, (s.line).id, (s.line).journal_id as "journalId",
  (s.line).transaction_id as "transactionId", (s.line).posted_at as "postedAt", (s.line).delta, (s.line).balance_before as "balanceBefore",
  (s.line).balance_after as "balanceAfter", a.code, a.name, a.currency, a.pretty_name as "prettyName", a.scale, a.sub_account as "subAccount"`;
const PAGE = `from statement_page($1, $2, $3::smallint, $4::date, $5::date, $6::int, $7::bigint, $8::bigint) s
  left join ledger_account a on a.account_id = $1 and a.id = (s.line).ledger_account_id`;

const STATEMENT_LINES: Statement = {
  name: 'statement_lines',
  text: `select s.total, ${LINE_COLUMNS} ${PAGE} order by (s.line).id desc`,
};
const STATEMENT_ENTRIES: Statement = {
  name: 'statement_entries',
  text: `select s.total, ${LINE_COLUMNS}, ${TRANSACTION_SELECT.replaceAll(' as "', ' as "t_')} ${PAGE}
    left join transaction t on t.account_id = $1 and t.id = (s.line).transaction_id order by (s.line).id desc`,
};
const BALANCES: Statement = {
  name: 'balances',
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
const VERIFY: Statement = {
  name: 'ledger_verify',
  text: `select defect, ledger_account_id as "ledgerAccountId", at, detail from ledger_verify($1)`,
};
const LINE_COUNT: Statement = {
  name: 'ledger_line_count',
  text: `select count(*) as lines from ledger_line where account_id = $1`,
};

type FlatLine = Omit<LedgerLineRow, 'accountId' | 'ledgerAccount'> &
  Omit<LedgerAccountRow, 'accountId' | 'id'> & { total: bigint };

/** Reads a page of the statement, newest line first, and the exact total, from one snapshot (C-10, C-16). */
export async function readStatementLines(
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  window: StatementWindow,
): Promise<StatementPage> {
  const rows = await database.query<FlatLine>(STATEMENT_LINES, pageValues(accountId, filter, window));
  return {
    total: rows[0]?.total ?? 0n,
    lines: rows[0]?.id == null ? [] : rows.map((row) => lineOf(accountId, row)),
  };
}

/** As `readStatementLines`, each line with its transaction, in one statement. */
export async function readStatementEntries(
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  window: StatementWindow,
): Promise<StatementPage<StatementEntry>> {
  const rows = await database.query<FlatLine & Record<string, unknown>>(
    STATEMENT_ENTRIES,
    pageValues(accountId, filter, window),
  );
  if (rows[0]?.id == null) return { total: rows[0]?.total ?? 0n, lines: [] };
  return {
    total: rows[0].total,
    lines: rows.map((row) =>
      Object.assign(lineOf(accountId, row), { transaction: embeddedTransaction(row) }),
    ),
  };
}

/** @returns the newest balances, or those of an instant, of every sub-account that the account has. */
export function readBalances(database: Database, accountId: bigint, at?: Date): Promise<BalanceRow[]> {
  return at
    ? database.query<BalanceRow>(BALANCES_AT, [accountId, at])
    : database.query<BalanceRow>(BALANCES, [accountId]);
}

/** @returns the raw codes of all currencies that the account has a ledger account in. */
export async function currenciesHeld(database: Database, accountId: bigint): Promise<string[]> {
  const rows = await database.query<{ currency: string }>(CURRENCIES_HELD, [accountId]);
  return rows.map((row) => row.currency);
}

/** Recomputes an account's ledger. @returns the lines that were checked, and everything that is wrong. */
export async function verifyLedger(
  database: Tx,
  accountId: bigint,
): Promise<{ checked: number; defects: Defect[] }> {
  const defects = await database.query<Defect>(VERIFY, [accountId]);
  const [count] = await database.query<{ lines: bigint }>(LINE_COUNT, [accountId]);
  return { checked: Number(count?.lines ?? 0n), defects };
}

function pageValues(accountId: bigint, filter: StatementFilter, window: StatementWindow): unknown[] {
  return [
    accountId,
    filter.currency ?? null,
    filter.subAccount ?? null,
    filter.dateFrom ?? null,
    filter.dateTo ?? null,
    window.limit,
    'offset' in window ? window.offset : 0,
    'before' in window ? window.before : null,
  ];
}

function lineOf(accountId: bigint, row: FlatLine): LedgerLineRow {
  return {
    accountId,
    ledgerAccountId: row.ledgerAccountId,
    seq: row.seq,
    id: row.id,
    journalId: row.journalId,
    transactionId: row.transactionId,
    postedAt: row.postedAt,
    delta: row.delta,
    balanceBefore: row.balanceBefore,
    balanceAfter: row.balanceAfter,
    ledgerAccount: {
      accountId,
      id: row.ledgerAccountId,
      code: row.code,
      name: row.name,
      currency: row.currency,
      prettyName: row.prettyName,
      scale: row.scale,
      subAccount: row.subAccount,
    },
  };
}

const TRANSACTION_PROPERTIES = Object.keys(TRANSACTION_COLUMNS);

function embeddedTransaction(row: Record<string, unknown>): TransactionRow | null {
  if (row.transactionId === null) return null;
  return Object.fromEntries(
    TRANSACTION_PROPERTIES.map((name) => [name, row[`t_${name}`]]),
  ) as unknown as TransactionRow;
}
