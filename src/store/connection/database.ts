/** The interface of the database for all readers and writers; connection.ts opens it. */
import type pg from 'pg';
import type { Primary } from './primary.ts';

/** Schema of the tables, unless `DATABASE_SCHEMA` names another one. */
export const DEFAULT_SCHEMA = 'public';

/** Options of a database. */
export interface DatabaseOptions {
  /** Maximum number of connections, default 10; of eight or more, two are shared by quick reads. */
  readonly connections?: number;
  /** Whether statements have no time limit, for audits of millions of lines and large imports. Default no. */
  readonly patient?: boolean;
  /** Schema of the tables, default `public`. */
  readonly schema?: string;
  /** Code of the cell; default: that of the first cell. */
  readonly cell?: string;
  /** Set if the database is on several hosts. */
  readonly primary?: Primary | undefined;
}

/** A prepared statement: sent once per connection, then executed by name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether it is a short read of a few records by key, which may share a connection. */
  readonly isQuick?: true;
  /**
   * Whether the statement only locks or reads; then it goes to the server together with the `begin` of its database
   * transaction.
   */
  readonly opens?: true;
  /** Whether the sender has already gathered callers; then a quick read does not wait again. */
  readonly isGathered?: true;
}

/** The interface of the database for all readers and writers. */
export interface Database {
  /** The pool and the schema of the tables, only for prisma.ts. */
  readonly source: { readonly pool: pg.Pool; readonly schema: string };
  /** Code of the database's cell, which is part of issued ids; empty for the first (`base/ids/cell.ts`). */
  readonly cell: string;
  /**
   * Runs a prepared statement. `int8` comes as bigint, `numeric` and times as text, `jsonb` as parsed JSON.
   *
   * @throws the driver's error; see `isDatabaseUnreachable`.
   */
  readonly query: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /**
   * Runs statements on one connection, within a time limit in milliseconds that includes the wait for the connection.
   * The statements are no database transaction: each commits separately.
   */
  readonly within: <Result>(limitMs: number, work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /**
   * Writes rows by COPY, within a time limit as above.
   * @param text - `copy … from stdin`.
   * @param lines - lines of `CopiedLines`.
   */
  readonly copyWithin: (limitMs: number, text: string, lines: Buffer) => Promise<void>;
  /**
   * Runs the work in one database transaction. Statements that are sent without waiting for each other go to the server
   * together and run in order; after a failure the following ones do nothing.
   * @throws {CommitUnknownError} when the answer to the COMMIT was lost; otherwise the error of the work, or the
   * driver's.
   */
  readonly withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /**
   * Time by the server's clock, by which expiry, due times and ages are computed (docs/decisions/0055): milliseconds
   * since 1970.
   * @throws when no connection was opened before.
   */
  readonly nowMs: () => number;
  /**
   * Lead of the process's wall clock over the server's; negative when it is behind. Unit: ms.
   * @throws the errors of `nowMs`.
   */
  readonly wallAheadMs: () => number;
  /** Reads the server's clock again. @throws the driver's error. */
  readonly readClock: () => Promise<void>;
  /** Use of the pool, without the connections that quick reads share. */
  readonly poolUse: () => PoolUse;
  readonly close: () => Promise<void>;
}

/** Connections of a pool. */
export interface PoolUse {
  readonly max: number;
  readonly open: number;
  /** Number of connections in use. */
  readonly used: number;
  /** Number of waiting callers, including those that wait for others of the same account. */
  readonly waiting: number;
}

/** Runs statements: a database transaction, or a connection. */
export type Tx = Pick<Database, 'query'>;
