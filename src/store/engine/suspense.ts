/** Entries of suspense: money that came and that no transaction took, until somebody decides about it (C-34). */
import type { Statement, Tx } from '../database.ts';

/** Why no transaction took it. */
export const SUSPENSE_REASONS = {
  not_due: 'the transaction did not wait for it: it was cancelled, had failed, or was over',
  second_payment: 'the transaction had been paid already',
  no_transaction:
    'the account is known by the address, the transaction is not: another currency, or several sessions',
  unknown: 'nobody knows whom it is for',
} as const;
/** Name of a reason. */
export type SuspenseReason = keyof typeof SUSPENSE_REASONS;
/** What became of it; `returning` until the rail says that it went. */
export type SuspenseState = 'open' | 'assigned' | 'returning' | 'returned';

/** An entry to be opened. */
export interface NewSuspense {
  readonly accountId: bigint;
  readonly newsId: bigint;
  readonly transactionId: bigint | null;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly reason: SuspenseReason;
  readonly journalId: bigint;
  readonly openedAtMs: number;
}

const ADD: Statement = {
  name: 'suspense_add',
  text: `insert into suspense_entry (account_id, news_id, transaction_id, currency, amount_minor, reason, journal_id, opened_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** Opens an entry. */
export async function addSuspense(tx: Tx, entry: NewSuspense): Promise<void> {
  await tx.query(ADD, [
    entry.accountId,
    entry.newsId,
    entry.transactionId,
    entry.currency,
    entry.amountMinor,
    entry.reason,
    entry.journalId,
    new Date(entry.openedAtMs).toISOString(),
  ]);
}
