/**
 * State of the PSP in one SQLite file. Every change is stored before it is answered, so that a killed process loses
 * nothing. Amounts are decimal text; times are ms since 1970 on the PSP's clock.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SettingsError } from '../base/process/settings.ts';

const TABLES = `
create table if not exists setting (name text primary key, value text not null) strict;
create table if not exists charge (
  txid text primary key, key text not null, amount text not null, status text not null, revision integer not null,
  created_ms integer not null, expires_s integer not null, location_id integer not null unique, token text not null unique,
  given text not null, revised text not null) strict;
create table if not exists pix (
  end_to_end_id text primary key, txid text, key text not null, amount text not null, settled_ms integer not null,
  payer_tax_id text, payer_name text, info text) strict;
create index if not exists pix_settled on pix (settled_ms, end_to_end_id);
create index if not exists pix_txid on pix (txid);
create table if not exists refund (
  end_to_end_id text not null, id text not null, return_id text not null, amount text not null, status text not null,
  asked_ms integer not null, due_ms integer, ended_ms integer, reason text, description text, is_planned_to_fail integer not null,
  primary key (end_to_end_id, id)) strict;
create index if not exists refund_due on refund (due_ms) where due_ms is not null;
create table if not exists payout (
  id text primary key, end_to_end_id text not null unique, amount text not null, payer_key text not null, payee_key text not null,
  info text, status text not null, asked_ms integer not null, due_ms integer, ended_ms integer, reason text,
  is_planned_to_fail integer not null) strict;
create index if not exists payout_due on payout (due_ms) where due_ms is not null;
create table if not exists payout_return (
  return_id text primary key, payout_id text not null, amount text not null, at_ms integer not null, due_ms integer) strict;
create table if not exists webhook (key text primary key, url text not null, created_ms integer not null) strict;
create table if not exists callback (
  id integer primary key, url text not null, body text not null, due_ms integer, attempts integer not null default 0,
  answer text) strict;
create index if not exists callback_due on callback (due_ms) where due_ms is not null;
create table if not exists infraction (
  id text primary key, end_to_end_id text not null, kind text not null, status text not null, amount text, reason text,
  at_ms integer not null) strict;
create table if not exists defence_file (
  infraction_id text not null, hash text not null, name text not null, type text not null, primary key (infraction_id, hash)) strict;
create table if not exists defence (
  infraction_id text primary key, id text not null, analysis text not null, reason text not null, files text not null,
  at_ms integer not null) strict;
create table if not exists med_return (
  infraction_id text primary key, return_id text not null unique, end_to_end_id text not null, amount text not null,
  at_ms integer not null) strict;
create index if not exists med_return_pix on med_return (end_to_end_id);
create table if not exists directory (key text primary key, tax_id text not null, name text not null) strict;
create table if not exists fault (target text not null, fault text not null, times integer not null, primary key (target, fault)) strict;
create table if not exists plan (id integer primary key, act text not null, facts text not null, reason text) strict;
`;

/** The open file. Statements are prepared once. */
export class PspStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @param path - path of the file, or `:memory:`. @throws {SettingsError} if another process has the file open. */
  constructor(path: string) {
    this.#database = openAlone(path);
  }

  /** @returns all rows. */
  all<Row>(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** @returns the first row. */
  one<Row>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  /** @returns the number of changed rows, and the id of the last inserted row. */
  run(sql: string, ...values: readonly SQLInputValue[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#prepared(sql).run(...values);
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  /** Runs the work in a transaction; nested work joins the outer transaction. */
  atOnce<Result>(work: () => Result): Result {
    if (this.#database.isTransaction) return work();
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  /** @returns the value of a setting; creates and stores a missing one. */
  setting(name: string, make: () => string): string {
    const stored = this.one<{ value: string }>('select value from setting where name = ?', name);
    if (stored) return stored.value;
    const value = make();
    this.set(name, value);
    return value;
  }

  /** Changes a setting. */
  set(name: string, value: string): void {
    this.run(
      'insert into setting values (?, ?) on conflict do update set value = excluded.value',
      name,
      value,
    );
  }

  close(): void {
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const prepared = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Adds the due time of infractions to files of earlier versions. */
function addDueTimes(database: DatabaseSync): void {
  const columns = database.prepare('pragma table_info(infraction)').all();
  if (!columns.some(({ name }) => name === 'due_ms'))
    database.exec('alter table infraction add column due_ms integer');
}

/** Opens the file exclusively: two processes would each send its callbacks and settle its payouts. */
function openAlone(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // Committed data survives the process, because the operating system has it. Only a power loss may lose the newest
    // data.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal');
    database.exec(`begin exclusive; ${TABLES} commit`);
    addDueTimes(database);
    return database;
  } catch (error) {
    database.close();
    if (!/locked/.test(String(error))) throw error;
    throw new SettingsError(`another PSP works with ${path}: stop it, or choose another --home`);
  }
}
