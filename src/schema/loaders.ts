/** Batches the look-ups of related records; created anew for every request. */
import DataLoader from 'dataloader';
import { readActorNames } from '../store/account/actor-names.ts';
import type { Database } from '../store/connection/database.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { readAccountNames } from '../store/engine/review-sources.ts';
import { readRecords, type TransactionRecord } from '../store/engine/transaction-records.ts';
import { findTransactions } from '../store/engine/transactions.ts';
import { type EventRow, readEventsAt } from '../store/events/events.ts';
import { type PostingRow, readPostings } from '../store/ledger/journals.ts';
import type { ProcessRow, TransactionRow } from '../templates/facts.ts';

/** A record by its account and its number there: other accounts have records of the same number. */
export interface NumberedRecord {
  readonly accountId: bigint;
  readonly id: bigint;
}

/**
 * The loaders of one request. Records belong to the account from which they are reached, which can differ from the
 * reader's.
 */
export interface Loaders {
  readonly transaction: DataLoader<NumberedRecord, TransactionRow | null, string>;
  /** Events by their position in the log of their account; null for those no longer stored. */
  readonly event: DataLoader<NumberedRecord, EventRow | null, string>;
  /** A transaction with its process. */
  readonly process: DataLoader<NumberedRecord, ProcessRow | null, string>;
  /** Additional recorded facts of a transaction. */
  readonly record: DataLoader<NumberedRecord, TransactionRecord | null, string>;
  /** Name of a key of the caller's account, or of a person; null for others. */
  readonly actorName: DataLoader<string, string | null>;
  /** Name of an account holder. */
  readonly accountName: DataLoader<bigint, string | null>;
  /** Every line of a journal. */
  readonly postings: DataLoader<NumberedRecord, readonly PostingRow[], string>;
  /** Clears the records that were read before a change. */
  readonly forget: () => void;
}

/**
 * A caller who may see a record may see the records that it leads to. The account of each record therefore comes from
 * the parent record, never from a client.
 * @param accountId - account of the caller, for the names of actors.
 */
export function createLoaders(database: Database, accountId: bigint): Loaders {
  return new LazyLoaders(database, accountId);
}

/** Most requests need at most one loader, so each is created at first use. */
class LazyLoaders implements Loaders {
  readonly #database: Database;
  readonly #accountId: bigint;
  #made: { -readonly [Name in Exclude<keyof Loaders, 'forget'>]?: Loaders[Name] } = {};

  constructor(database: Database, accountId: bigint) {
    this.#database = database;
    this.#accountId = accountId;
  }

  forget(): void {
    this.#made = {};
  }

  get transaction(): Loaders['transaction'] {
    this.#made.transaction ??= numbered((keys) =>
      byAccount(keys, async (accountId, ids) => {
        const rows = await findTransactions(this.#database, accountId, ids);
        return new Map(rows.map((row) => [row.id, row]));
      }),
    );
    return this.#made.transaction;
  }

  get event(): Loaders['event'] {
    this.#made.event ??= numbered((keys) =>
      byAccount(keys, async (accountId, seqs) => {
        const rows = await readEventsAt(this.#database, accountId, seqs);
        return new Map(rows.map((row) => [row.seq, row]));
      }),
    );
    return this.#made.event;
  }

  get process(): Loaders['process'] {
    this.#made.process ??= numbered(async (transactions) => {
      const keys = transactions.map(({ accountId, id }) => ({ accountId, transactionId: id }));
      const rows = new Map((await readProcesses(this.#database, keys)).map((row) => [keyOf(row), row]));
      return transactions.map((each) => rows.get(keyOf(each)) ?? null);
    });
    return this.#made.process;
  }

  get record(): Loaders['record'] {
    this.#made.record ??= numbered(async (transactions) => {
      const found = await readRecords(this.#database, transactions);
      const rows = new Map(
        found.map((row) => [keyOf({ accountId: row.accountId, id: row.transactionId }), row]),
      );
      return transactions.map((each) => rows.get(keyOf(each)) ?? null);
    });
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

  get accountName(): Loaders['accountName'] {
    this.#made.accountName ??= new DataLoader(async (ids) => {
      const names = await readAccountNames(this.#database, ids);
      return ids.map((id) => names.get(id) ?? null);
    });
    return this.#made.accountName;
  }

  get postings(): Loaders['postings'] {
    this.#made.postings ??= numbered(async (journals) => {
      const found = await byAccount(journals, (accountId, ids) =>
        readPostings(this.#database, accountId, ids),
      );
      return found.map((postings) => postings ?? []);
    });
    return this.#made.postings;
  }
}

function numbered<Row>(read: (keys: readonly NumberedRecord[]) => Promise<Row[]>) {
  return new DataLoader<NumberedRecord, Row, string>(read, { cacheKeyFn: keyOf });
}

/**
 * Reads the records of each account in one query; nearly always, all belong to one account. @returns the records in the
 * order of their keys.
 */
async function byAccount<Row>(
  keys: readonly NumberedRecord[],
  read: (accountId: bigint, ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, Row>>,
): Promise<(Row | null)[]> {
  const rows = new Map<bigint, ReadonlyMap<bigint, Row>>();
  for (const [accountId, own] of Map.groupBy(keys, (key) => key.accountId)) {
    const ids = own.map(({ id }) => id);
    rows.set(accountId, await read(accountId, ids));
  }
  return keys.map(({ accountId, id }) => rows.get(accountId)?.get(id) ?? null);
}

function keyOf({ accountId, id }: NumberedRecord): string {
  return `${accountId}/${id}`;
}
