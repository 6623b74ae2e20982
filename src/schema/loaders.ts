/** Batches what crosses from one record to others; made anew for every request. */
import DataLoader from 'dataloader';
import type { Database } from '../store/database.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { findTransactions } from '../store/engine/transactions.ts';
import { type EventRow, readEventsAt } from '../store/events/events.ts';
import { type PostingRow, readPostings } from '../store/ledger/journals.ts';
import type { PixReturn, TransactionRow } from '../templates/facts.ts';
import { returnsOf } from '../templates/returns.ts';

/** The loaders of one request. */
export interface Loaders {
  /** The account's transactions by internal id. */
  readonly transaction: DataLoader<bigint, TransactionRow | null, string>;
  /** The account's events by place in its log; null for those that are no longer kept. */
  readonly event: DataLoader<bigint, EventRow | null, string>;
  /** What goes or went back to the payer of a transaction, by its internal id. */
  readonly returns: DataLoader<bigint, readonly PixReturn[], string>;
  /** Every line of a journal of the account. */
  readonly postings: DataLoader<bigint, readonly PostingRow[], string>;
}

/** @returns loaders that see the records of this account only. */
export function createLoaders(database: Database, accountId: bigint): Loaders {
  return {
    transaction: new DataLoader(
      async (ids) => {
        const rows = new Map((await findTransactions(database, accountId, ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id) ?? null);
      },
      { cacheKeyFn: String },
    ),
    event: new DataLoader(
      async (seqs) => {
        const rows = new Map((await readEventsAt(database, accountId, seqs)).map((row) => [row.seq, row]));
        return seqs.map((seq) => rows.get(seq) ?? null);
      },
      { cacheKeyFn: String },
    ),
    returns: new DataLoader(
      async (ids) => {
        const keys = ids.map((transactionId) => ({ accountId, transactionId }));
        const rows = new Map((await readProcesses(database, keys)).map((row) => [row.id, row]));
        return ids.map((id) => returnsOf(rows.get(id)?.process ?? {}));
      },
      { cacheKeyFn: String },
    ),
    postings: new DataLoader(
      async (journalIds) => {
        const rows = await readPostings(database, accountId, journalIds);
        return journalIds.map((id) => rows.get(id) ?? []);
      },
      { cacheKeyFn: String },
    ),
  };
}
