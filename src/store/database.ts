/** The database, as everything that reads or writes it gets it; connection.ts opens it. */
import type { PrismaClient } from './generated/prisma/client.ts';

/** Schema of the tables, unless `DATABASE_SCHEMA` names another one. */
export const DEFAULT_SCHEMA = 'public';

/** A prepared statement: sent once per connection, then executed by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** A read of a few records by their keys, which takes a moment whatever there is: it may share a connection with others. */
  readonly isQuick?: true;
  /** It only locks or reads: it goes to the server together with the `begin` of its database transaction. */
  readonly opens?: true;
  /** Whoever sends it has waited for others already: a quick read that waits no longer. */
  readonly isGathered?: true;
}

/** The database, as everything that reads or writes it gets it. */
export interface Database {
  /** Prisma over the same pool, for relations and administrative records. */
  readonly prisma: PrismaClient;
  /**
   * Runs a prepared statement. `int8` comes as bigint, `numeric` and times as text, `jsonb` as parsed JSON.
   *
   * @throws the driver's error; see `isDatabaseAway`.
   */
  readonly query: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /**
   * Runs statements on one connection, within a time limit in milliseconds that includes the wait for the connection. They are no
   * database transaction: each counts by itself.
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
   * Runs the work in one database transaction. Statements that are sent without waiting for each other go to the server in one
   * piece, which does them in their order; when one fails, those behind it do nothing.
   *
   * @throws {CommitUnknownError} when the answer to the COMMIT was lost; otherwise what the work throws, or the driver's error.
   */
  readonly withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** What runs statements: a database transaction, or a connection. */
export type Tx = Pick<Database, 'query'>;
