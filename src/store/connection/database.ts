/** The database, as everything that reads or writes it gets it; connection.ts opens it. */
import type pg from 'pg';
import type { Primary } from './primary.ts';

/** Schema of the tables, unless `DATABASE_SCHEMA` names another one. */
export const DEFAULT_SCHEMA = 'public';

/** Options of a database. */
export interface DatabaseOptions {
  /** Maximum number of connections, default 10; of eight and more, two are shared by quick reads. */
  readonly connections?: number;
  /** No time limit for statements, for audits of millions of lines and large imports. Default no. */
  readonly patient?: boolean;
  /** Schema of the tables, default `public`. */
  readonly schema?: string;
  /** Code of the cell, default that of the first. */
  readonly cell?: string;
  /** Set when the database is on several hosts. */
  readonly primary?: Primary | undefined;
}

/** A prepared statement: sent once per connection, then executed by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** A short read of a few records by their keys: it may share a connection with others. */
  readonly isQuick?: true;
  /**
   * The statement only locks or reads: it goes to the server together with the `begin` of its database transaction.
   */
  readonly opens?: true;
  /** The sender has gathered callers already: a quick read without a further wait. */
  readonly isGathered?: true;
}

/** The database, as everything that reads or writes it gets it. */
export interface Database {
  /** The pool and the schema of the tables, only for prisma.ts. */
  readonly source: { readonly pool: pg.Pool; readonly schema: string };
  /** Code of the database's cell, which issued ids carry; empty for the first (`base/ids/cell.ts`). */
  readonly cell: string;
  /**
   * Runs a prepared statement. `int8` comes as bigint, `numeric` and times as text, `jsonb` as parsed JSON.
   *
   * @throws the driver's error; see `isDatabaseUnreachable`.
   */
  readonly query: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /**
   * Runs statements on one connection, within a time limit in milliseconds that includes the wait for the connection. Not a
   * database transaction: each statement commits on its own.
   */
  readonly within: <Result>(limitMs: number, work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /**
   * Writes rows by COPY, within a time limit as above.
   *
   * @param text - `copy … from stdin`.
   * @param lines - of `CopiedLines`.
   */
  readonly copyWithin: (limitMs: number, text: string, lines: Buffer) => Promise<void>;
  /**
   * Runs the work in one database transaction. Statements that are sent without waiting for each other go to the server in
   * one piece, which executes them in order; when one fails, the following ones do nothing.
   *
   * @throws {CommitUnknownError} when the answer to the COMMIT was lost; otherwise the error of the work, or the driver's.
   */
  readonly withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /**
   * Time by the server's clock, by which expiry, due times and ages are computed (docs/decisions/0055): milliseconds since
   * 1970.
   *
   * @throws before the first connection was opened.
   */
  readonly nowMs: () => number;
  /**
   * Lead of the process's wall clock over the server's; negative when it is behind. Unit: ms.
   *
   * @throws as `nowMs`.
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
  /** Connections in use. */
  readonly used: number;
  /** Number of waiting callers, including those that wait for others of the same account. */
  readonly waiting: number;
}

/** Runs statements: a database transaction, or a connection. */
export type Tx = Pick<Database, 'query'>;
