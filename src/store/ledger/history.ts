/** Import and export of an account's history (C-70). */

import type { AccountSheet } from '../../ledger/chart.ts';
import type { Family } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { isLockTimeout } from '../connection/database-error.ts';
import { TRANSACTION_SELECT } from '../engine/transactions.ts';
import type { LedgerAccountRow } from './ledger.ts';

/** A transaction to import. */
export type NewTransaction = Omit<TransactionRow, 'accountId' | 'id'> & { readonly family: Family };

/** A ledger account to open; `id` null means the next free one. */
export type NewLedgerAccount = AccountSheet & { readonly id: bigint | null };

/** A line to import; amounts in minor units. */
export interface NewLine {
  readonly ledgerAccountId: bigint;
  readonly id: bigint;
  readonly postedAt: Date | string;
  readonly transactionId: bigint | null;
  readonly balanceBefore: bigint | string;
  readonly delta: bigint | string;
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
/** Time between two attempts to lock the account. Unit: ms. */
const LOCK_WAIT_MS = 1_000;
const BEGIN_WAIT: Statement = { name: 'account_begin_wait', text: 'savepoint account_wait' };
const SET_WAIT: Statement = { name: 'account_set_wait', text: `select set_config('lock_timeout', $1, true)` };
const WAIT_AGAIN: Statement = { name: 'account_wait_again', text: 'rollback to savepoint account_wait' };
const LEDGER_ACCOUNTS: Statement = {
  name: 'history_ledger_accounts',
  text: `select account_id as "accountId", id, code, name, currency, pretty_name as "prettyName", scale, sub_account as "subAccount"
    from ledger_account where account_id = $1 and sub_account > 0`,
};
const TAILS: Statement = {
  name: 'history_ledger_tails',
  text: `select b.ledger_account_id as "ledgerAccountId", b.balance, l.id as "lastLineId", l.posted_at as "lastPostedAt"
    from ledger_balance b left join lateral (select * from ledger_line l
      where l.account_id = b.account_id and l.ledger_account_id = b.ledger_account_id and l.seq = b.last_seq and l.seq > 0 limit 1) l on true
    where b.account_id = $1`,
};
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
                    and l.seq > 0 and l.id > 0 and l.id > $2 order by l.id limit $3) l on true
    left join transaction t on t.account_id = l.account_id and t.id = l.transaction_id
    where a.account_id = $1 and a.sub_account > 0 order by l.id limit $3`,
};

/** A line in its exported form. */
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

/**
 * Locks the account against all other writers until the transaction ends. Waits for the other writers without a limit.
 * @param onWait - called every second during the wait; an error that it throws ends the wait.
 */
export async function lockAccount(tx: Tx, accountId: bigint, onWait: () => void): Promise<void> {
  await tx.query(BEGIN_WAIT, []);
  for (;;) {
    await tx.query(SET_WAIT, [String(LOCK_WAIT_MS)]);
    try {
      await tx.query(LOCK, [accountId]);
      // With this lock held, all other waits are short.
      await tx.query(SET_WAIT, ['0']);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await tx.query(WAIT_AGAIN, []);
      onWait();
    }
  }
}

/** @returns the account's sub-accounts in the ledger. */
export function ledgerAccounts(tx: Tx, accountId: bigint): Promise<LedgerAccountRow[]> {
  return tx.query<LedgerAccountRow>(LEDGER_ACCOUNTS, [accountId]);
}

/** @returns the end of each of the account's ledger accounts. */
export async function ledgerTails(tx: Tx, accountId: bigint): Promise<Map<bigint, LedgerTail>> {
  const rows = await tx.query<LedgerTail>(TAILS, [accountId]);
  return new Map(rows.map((row) => [row.ledgerAccountId, row]));
}

/** Opens the missing ledger accounts. */
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
  tx: Tx,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<TransactionRow[]> {
  return tx.query<TransactionRow>(EXPORT_TRANSACTIONS, [accountId, after, limit]);
}

/** @returns the next statement lines after a line id, oldest first. */
export function exportLines(
  tx: Tx,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<ExportedLine[]> {
  return tx.query<ExportedLine>(EXPORT_LINES, [accountId, after, limit]);
}
