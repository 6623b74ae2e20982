/**
 * Record of signed transactions, in a SQLite file that only one process can open at a time. An entry is on disk before
 * the response is sent.
 */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Reason, SignerError } from './signer-error.ts';

/** One signed transaction. Amounts are in millionths. */
export interface Entry {
  readonly id: string;
  /** Hash of the whole request. */
  readonly body: string;
  readonly network: string;
  readonly sender: string;
  readonly nonce: number | null;
  /** Currency, destination and amount, which a replacing transaction must repeat. */
  readonly payload: string;
  /** Fee in US dollars. */
  readonly fee: bigint;
  /** Outgoing amount in US dollars, including the fee. */
  readonly all: bigint;
  /** Part of `all` that goes to destinations without proof. */
  readonly unproven: bigint;
  /** Gas for deposit addresses of the gateway, in US dollars. */
  readonly gas: bigint;
  readonly currency: string;
  /** Outgoing amount in units of the currency. */
  readonly amount: bigint;
}

/** Sums since a given time. Amounts are in millionths. */
export interface Sums {
  readonly all: bigint;
  readonly unproven: bigint;
  readonly gas: bigint;
  /** Sum of the given currency, in its units. */
  readonly currency: bigint;
  readonly count: bigint;
}

/** A destination proven on the page of the signer. */
export interface ProofRow {
  readonly id: string;
  readonly account: string;
  readonly network: string;
  readonly address: string;
  /** Id of the passkey. */
  readonly passkey: string;
  readonly expiresMs: number;
}

/** An earlier transaction with the same nonce. */
export type AtNonce = Pick<Entry, 'payload' | 'fee' | 'amount'>;

/** The open file. */
export interface SignedRecord {
  /** Runs the work exclusively. Its entries are on disk when this returns; work that throws adds no entries. */
  readonly alone: <Result>(work: () => Result) => Result;
  /** @returns hash of the request signed under an id. */
  readonly bodyOf: (id: string) => string | undefined;
  readonly atNonce: (network: string, sender: string, nonce: number) => readonly AtNonce[];
  /**
   * @returns the clock's time, but never a time before the last entry, so that setting the clock back frees no limit.
   */
  readonly nowMs: () => number;
  readonly sums: (currency: string, sinceMs: number) => Sums;
  readonly add: (entry: Entry, atMs: number) => void;
  /** Stores a proof. @returns false if its id exists already. */
  readonly addProof: (proof: ProofRow, atMs: number) => boolean;
  readonly proofOf: (id: string) => ProofRow | undefined;
  /**
   * Counts a refusal.
   *
   * @returns the number of refusals for this reason.
   */
  readonly refused: (reason: Reason) => number;
  readonly refusals: () => Readonly<Record<string, number>>;
  readonly close: () => void;
}

const TABLES = `
  create table if not exists signed (
    id text primary key, body text not null, at_ms integer not null, network text not null, sender text not null,
    nonce integer, payload text not null, fee integer not null, "all" integer not null, unproven integer not null,
    gas integer not null, currency text not null, amount integer not null
  ) strict;
  create index if not exists signed_at on signed (at_ms);
  create index if not exists signed_nonce on signed (network, sender, nonce) where nonce is not null;
  create table if not exists proof (
    id text primary key, at_ms integer not null, account text not null, network text not null, address text not null,
    passkey text not null, expires_ms integer not null
  ) strict;
  create table if not exists refusal (reason text primary key, count integer not null) strict;`;

const SUMS = `select coalesce(sum("all"), 0) as "all", coalesce(sum(unproven), 0) as unproven, coalesce(sum(gas), 0) as gas,
    coalesce(sum(amount) filter (where currency = ?), 0) as currency, count(*) as count
  from signed where at_ms > ?`;

/** @param now - the clock, ms since 1970. @throws {SignerError} if another process has the file open. */
export function openRecord(path: string, now: () => number = Date.now): SignedRecord {
  const database = openAlone(path);
  const one = (sql: string) => bigInts(database.prepare(sql));
  const bodyOf = one('select body from signed where id = ?');
  const atNonce = one(
    'select payload, fee, amount from signed where network = ? and sender = ? and nonce = ?',
  );
  const last = one('select coalesce(max(at_ms), 0) as ms from signed');
  const sums = one(SUMS);
  const add = one('insert into signed values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addProof = one('insert into proof values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing');
  const proof = one('select account, network, address, passkey, expires_ms from proof where id = ?');
  const refused = one(`insert into refusal values (?, 1)
    on conflict (reason) do update set count = count + 1 returning count`);
  const refusals = one('select reason, count from refusal order by reason');
  return {
    alone: (work) => alone(database, work),
    bodyOf: (id) => bodyOf.get(id)?.body as string | undefined,
    atNonce: (...key) => atNonce.all(...key) as unknown as AtNonce[],
    nowMs: () => Math.max(now(), Number(last.get()?.ms)),
    sums: (currency, sinceMs) => sums.get(currency, sinceMs) as unknown as Sums,
    add: (entry, atMs) => {
      const { id, body, network, sender, nonce, payload, fee, all, unproven, gas, currency, amount } = entry;
      const key = [id, body, atMs, network, sender, nonce, payload] as const;
      add.run(...key, fee, all, unproven, gas, currency, amount);
    },
    addProof: ({ id, account, network, address, passkey, expiresMs }, atMs) =>
      addProof.run(id, atMs, account, network, address, passkey, expiresMs).changes === 1n,
    proofOf: (id) => {
      const { expires_ms: expiresMs, ...row } = proof.get(id) ?? {};
      return expiresMs === undefined ? undefined : ({ id, ...row, expiresMs: Number(expiresMs) } as ProofRow);
    },
    refused: (reason) => Number(refused.get(reason)?.count),
    refusals: () => Object.fromEntries(refusals.all().map(({ reason, count }) => [reason, Number(count)])),
    close: () => database.close(),
  };
}

/** Opens the file exclusively: two processes with separate counts would sign up to twice the limits. */
function openAlone(path: string): DatabaseSync {
  // SQLite creates its other files with the mode of this one.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full');
    database.exec(`begin exclusive; ${TABLES}; commit`);
    return database;
  } catch (error) {
    database.close();
    if (!/locked/.test(String(error))) throw error;
    throw new SignerError(`another signer works with ${path}`);
  }
}

function alone<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function bigInts(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true);
  return statement;
}
