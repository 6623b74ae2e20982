/** Taking history into an account, and reading it out again (contract C-70). */

import type { AccountSheet } from '../ledger/chart.ts';
import type { Family } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Database, Statement, Tx } from './database.ts';
import type { LedgerAccountRow } from './ledger.ts';
import { TRANSACTION_COLUMNS, TRANSACTION_SELECT } from './transactions.ts';

/** A transaction to be taken in. */
export type NewTransaction = Omit<TransactionRow, 'accountId' | 'id'> & { readonly family: Family };

/** A ledger account to be opened; `id` null takes the next free one. */
export type NewLedgerAccount = AccountSheet & { readonly id: bigint | null };

/** A line to be taken in; amounts in minor units. */
export interface NewLine {
  readonly ledgerAccountId: bigint;
  readonly id: bigint;
  readonly postedAt: Date;
  readonly transactionId: bigint | null;
  readonly balanceBefore: bigint;
  readonly delta: bigint;
}

/** A line that the account has already. */
export interface KnownLine {
  readonly id: bigint;
  readonly ledgerAccountId: bigint;
  readonly postedAt: string;
  readonly transactionId: bigint | null;
  readonly balanceBefore: string;
  readonly delta: string;
}

/** The newest line of a ledger account, and its balance. */
export interface LedgerTail {
  readonly ledgerAccountId: bigint;
  readonly balance: string;
  readonly lastLineId: bigint | null;
  readonly lastPostedAt: string | null;
}

const LOCK: Statement = {
  name: 'account_lock',
  text: `select account_id from account_head where account_id = $1 for update`,
};
const KNOWN_TRANSACTIONS: Statement = {
  name: 'history_known_transactions',
  text: `select ${TRANSACTION_SELECT} from transaction t where t.account_id = $1 and t.end2end = any ($2::text[])`,
};
const LEDGER_ACCOUNTS: Statement = {
  name: 'history_ledger_accounts',
  text: `select account_id as "accountId", id, code, name, currency, pretty_name as "prettyName", scale, sub_account as "subAccount"
    from ledger_account where account_id = $1 and sub_account > 0`,
};
const TAILS: Statement = {
  name: 'history_ledger_tails',
  text: `select b.ledger_account_id as "ledgerAccountId", b.balance, l.id as "lastLineId", l.posted_at as "lastPostedAt"
    from ledger_balance b left join ledger_line l
      on l.account_id = b.account_id and l.ledger_account_id = b.ledger_account_id and l.seq = b.last_seq and l.seq > 0
    where b.account_id = $1`,
};
const KNOWN_LINES: Statement = {
  name: 'history_known_lines',
  text: `select l.id, l.ledger_account_id as "ledgerAccountId", l.posted_at as "postedAt", l.transaction_id as "transactionId",
      l.balance_before as "balanceBefore", l.delta
    from ledger_account a join ledger_line l on l.account_id = a.account_id and l.ledger_account_id = a.id and l.id = any ($2::bigint[])
    where a.account_id = $1`,
};
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  asPublished: 'jsonb',
  quote: 'numeric',
  refQuote: 'numeric',
  fees: 'numeric',
  sourceAmount: 'numeric',
  targetAmount: 'numeric',
};
const INSERTED = Object.keys(TRANSACTION_COLUMNS).filter(
  (name) => name !== 'accountId' && name !== 'id',
) as Exclude<keyof TransactionRow, 'accountId' | 'id'>[];
const INSERT_TRANSACTIONS: Statement = {
  name: 'history_insert_transactions',
  text: `with taken as (
      select x.*, row_number() over (order by x."createdAt", x.end2end) as n,
             row_number() over (partition by x.family order by x."createdAt", x.end2end) as place
        from jsonb_to_recordset($2::jsonb) x(family text, ${INSERTED.map((name) => `"${name}" ${COLUMN_TYPES[name] ?? 'text'}`).join(', ')})
    ), inserted as (
      insert into transaction (account_id, id, family, list_seq, ${INSERTED.map((name) => TRANSACTION_COLUMNS[name]).join(', ')})
      select $1, h.transaction_id + x.n, x.family, coalesce(l.last_seq, 0) + x.place, ${INSERTED.map((name) => `x."${name}"`).join(', ')}
        from taken x join account_head h on h.account_id = $1
        left join list_head l on l.account_id = $1 and l.family = x.family
      returning id, end2end
    ), counted as (
      update account_head set transaction_id = transaction_id + (select count(*) from taken) where account_id = $1
    )
    select id, end2end from inserted`,
};
const RENUMBER: Statement = { name: 'list_renumber', text: `select list_renumber($1, $2, $3)` };
const OPEN: Statement = {
  name: 'ledger_open',
  text: `select ledger_open($1, $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::smallint[], $9::text[])`,
};
const IMPORT_LINES: Statement = {
  name: 'ledger_import',
  text: `select ledger_import($1, $2::bigint[], $3::bigint[], $4::timestamptz[], $5::bigint[], $6::numeric[], $7::numeric[])`,
};
const EXPORT_TRANSACTIONS: Statement = {
  name: 'history_export_transactions',
  text: `select ${TRANSACTION_SELECT} from transaction t where t.account_id = $1 and t.id > $2 order by t.id limit $3`,
};
const EXPORT_LINES: Statement = {
  name: 'history_export_lines',
  text: `select l.id, l.posted_at as "postedAt", l.delta, l.balance_before as "balanceBefore", l.balance_after as "balanceAfter",
      a.id as "ledgerAccountId", a.code, a.name, a.currency, a.pretty_name as "prettyName", a.scale, t.end2end
    from ledger_account a
    join lateral (select * from ledger_line l where l.account_id = a.account_id and l.ledger_account_id = a.id
                    and l.seq > 0 and l.id > $2 order by l.id limit $3) l on true
    left join transaction t on t.account_id = l.account_id and t.id = l.transaction_id
    where a.account_id = $1 and a.sub_account > 0 order by l.id limit $3`,
};

/** A line as it is exported. */
export interface ExportedLine {
  readonly id: bigint;
  readonly postedAt: string;
  readonly delta: string;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  readonly ledgerAccountId: bigint;
  readonly code: string;
  readonly name: string;
  readonly currency: string;
  readonly prettyName: string;
  readonly scale: number;
  readonly end2end: string | null;
}

/** Makes all other writers of the account wait until the transaction ends. */
export async function lockAccount(tx: Tx, accountId: bigint): Promise<void> {
  await tx.query(LOCK, [accountId]);
}

/** @returns those of the transactions that the account has, by `end2end`. */
export async function knownTransactions(
  tx: Tx,
  accountId: bigint,
  end2ends: readonly string[],
): Promise<Map<string, TransactionRow>> {
  const rows = await tx.query<TransactionRow>(KNOWN_TRANSACTIONS, [accountId, end2ends]);
  return new Map(rows.map((row) => [row.end2end, row]));
}

/** @returns the account's sub-accounts in the ledger. */
export function ledgerAccounts(tx: Tx, accountId: bigint): Promise<LedgerAccountRow[]> {
  return tx.query<LedgerAccountRow>(LEDGER_ACCOUNTS, [accountId]);
}

/** @returns where each of the account's ledger accounts ends. */
export async function ledgerTails(tx: Tx, accountId: bigint): Promise<Map<bigint, LedgerTail>> {
  const rows = await tx.query<LedgerTail>(TAILS, [accountId]);
  return new Map(rows.map((row) => [row.ledgerAccountId, row]));
}

/** @returns those of the lines that the account has, by id. */
export async function knownLines(
  tx: Tx,
  accountId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, KnownLine>> {
  const rows = await tx.query<KnownLine>(KNOWN_LINES, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Inserts transactions and puts their lists in order. @returns the ids they were given, by `end2end`. */
export async function insertTransactions(
  tx: Tx,
  accountId: bigint,
  taken: readonly NewTransaction[],
): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ id: bigint; end2end: string }>(INSERT_TRANSACTIONS, [
    accountId,
    JSON.stringify(taken),
  ]);
  for (const family of new Set(taken.map((transaction) => transaction.family))) {
    const oldest = taken
      .filter((transaction) => transaction.family === family)
      .map((transaction) => transaction.createdAt)
      .sort()[0];
    await tx.query(RENUMBER, [accountId, family, oldest]);
  }
  return new Map(rows.map((row) => [row.end2end, row.id]));
}

/** Opens those of the ledger accounts that do not exist yet. */
export async function openLedgerAccounts(
  tx: Tx,
  accountId: bigint,
  accounts: readonly NewLedgerAccount[],
): Promise<void> {
  await tx.query(OPEN, [
    accountId,
    accounts.map((account) => account.id),
    accounts.map((account) => account.code),
    accounts.map((account) => account.name),
    accounts.map((account) => account.currency),
    accounts.map((account) => account.prettyName),
    accounts.map((account) => account.scale),
    accounts.map((account) => account.subAccount),
    accounts.map((account) => account.house),
  ]);
}

/** Appends lines of history, each balanced against the opening balances of its currency. */
export async function importLines(tx: Tx, accountId: bigint, lines: readonly NewLine[]): Promise<void> {
  await tx.query(IMPORT_LINES, [
    accountId,
    lines.map((line) => line.ledgerAccountId),
    lines.map((line) => line.id),
    lines.map((line) => line.postedAt),
    lines.map((line) => line.transactionId),
    lines.map((line) => line.balanceBefore),
    lines.map((line) => line.delta),
  ]);
}

/** @returns the next transactions after an internal id, oldest first. */
export function exportTransactions(
  database: Database,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<TransactionRow[]> {
  return database.query<TransactionRow>(EXPORT_TRANSACTIONS, [accountId, after, limit]);
}

/** @returns the next statement lines after a line id, oldest first. */
export function exportLines(
  database: Database,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<ExportedLine[]> {
  return database.query<ExportedLine>(EXPORT_LINES, [accountId, after, limit]);
}
