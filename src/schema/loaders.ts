/** Batches what crosses from one record to others; made anew for every request. */
import DataLoader from 'dataloader';
import { readActorNames } from '../store/account/actor-names.ts';
import type { Database } from '../store/database.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { readRecords, type TransactionRecord } from '../store/engine/transaction-records.ts';
import { findTransactions } from '../store/engine/transactions.ts';
import { type EventRow, readEventsAt } from '../store/events/events.ts';
import { type PostingRow, readPostings } from '../store/ledger/journals.ts';
import type { ProcessRow, TransactionRow } from '../templates/facts.ts';

/** The loaders of one request. */
export interface Loaders {
  /** The account's transactions by internal id. */
  readonly transaction: DataLoader<bigint, TransactionRow | null, string>;
  /** The account's events by place in its log; null for those that are no longer kept. */
  readonly event: DataLoader<bigint, EventRow | null, string>;
  /** A transaction with its process, which a key of the platform reads of any account that it acts on. */
  readonly process: DataLoader<Pick<TransactionRow, 'accountId' | 'id'>, ProcessRow | null, string>;
  /** What is recorded of a transaction besides, of any account that a key of the platform acts on. */
  readonly record: DataLoader<Pick<TransactionRow, 'accountId' | 'id'>, TransactionRecord | null, string>;
  /** What a key of the account, or a person, is called; null for others. */
  readonly actorName: DataLoader<string, string | null>;
  /** Every line of a journal of the account. */
  readonly postings: DataLoader<bigint, readonly PostingRow[], string>;
}

/** @returns loaders that see the records of this account only, except of transactions that the caller already has. */
export function createLoaders(database: Database, accountId: bigint): Loaders {
  return new LazyLoaders(database, accountId);
}

/** Most requests need none or one of them: each is made when it is first asked for. */
class LazyLoaders implements Loaders {
  readonly #database: Database;
  readonly #accountId: bigint;
  readonly #made: { -readonly [Name in keyof Loaders]?: Loaders[Name] } = {};

  constructor(database: Database, accountId: bigint) {
    this.#database = database;
    this.#accountId = accountId;
  }

  get transaction(): Loaders['transaction'] {
    this.#made.transaction ??= new DataLoader(
      async (ids) => {
        const found = await findTransactions(this.#database, this.#accountId, ids);
        const rows = new Map(found.map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id) ?? null);
      },
      { cacheKeyFn: String },
    );
    return this.#made.transaction;
  }

  get event(): Loaders['event'] {
    this.#made.event ??= new DataLoader(
      async (seqs) => {
        const found = await readEventsAt(this.#database, this.#accountId, seqs);
        const rows = new Map(found.map((row) => [row.seq, row]));
        return seqs.map((seq) => rows.get(seq) ?? null);
      },
      { cacheKeyFn: String },
    );
    return this.#made.event;
  }

  get process(): Loaders['process'] {
    this.#made.process ??= new DataLoader(
      async (transactions) => {
        const keys = transactions.map((each) => ({ accountId: each.accountId, transactionId: each.id }));
        const rows = new Map((await readProcesses(this.#database, keys)).map((row) => [keyOf(row), row]));
        return transactions.map((each) => rows.get(keyOf(each)) ?? null);
      },
      { cacheKeyFn: keyOf },
    );
    return this.#made.process;
  }

  get record(): Loaders['record'] {
    this.#made.record ??= new DataLoader(
      async (transactions) => {
        const rows = await readRecords(this.#database, transactions);
        const byKey = new Map(
          rows.map((row) => [keyOf({ accountId: row.accountId, id: row.transactionId }), row]),
        );
        return transactions.map((each) => byKey.get(keyOf(each)) ?? null);
      },
      { cacheKeyFn: keyOf },
    );
    return this.#made.record;
  }

  get actorName(): Loaders['actorName'] {
    this.#made.actorName ??= new DataLoader(async (ids) => {
      const rows = await readActorNames(this.#database, this.#accountId, ids);
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return ids.map((id) => names.get(id) ?? null);
    });
    return this.#made.actorName;
  }

  get postings(): Loaders['postings'] {
    this.#made.postings ??= new DataLoader(
      async (journalIds) => {
        const rows = await readPostings(this.#database, this.#accountId, journalIds);
        return journalIds.map((id) => rows.get(id) ?? []);
      },
      { cacheKeyFn: String },
    );
    return this.#made.postings;
  }
}

function keyOf({ accountId, id }: Pick<TransactionRow, 'accountId' | 'id'>): string {
  return `${accountId}/${id}`;
}
