/** Batches what crosses from rows of prepared statements to other records; made anew for every request. */
import DataLoader from 'dataloader';
import type { Database } from '../store/database.ts';
import { findTransactions } from '../store/transactions.ts';
import type { TransactionRow } from '../templates/facts.ts';

/** The loaders of one request. */
export interface Loaders {
  /** The account's transactions by internal id. */
  readonly transaction: DataLoader<bigint, TransactionRow | null, string>;
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
  };
}
