/**
 * The database of `doctor`, whose failures carry its name: among checks of rails, a time-out could be that of a rail.
 */
import type { Database } from '../store/connection/database.ts';
import { isDatabaseUnreachable } from '../store/connection/database-error.ts';

/** Text that is part of each failure. A rail that catches this error shows it as the result of its own check. */
const NOT_ANSWERED = 'the gateway’s own database did not answer in time';
/** Wait for statements that makes the database, and not a rail, count as late. Unit: ms. */
const SLOW_MS = 1_000;

/** The database did not answer. */
export class OwnDatabaseError extends Error {
  override readonly name = 'OwnDatabaseError';

  constructor(cause: Error) {
    super(`not checked: ${NOT_ANSWERED} (${cause.message})`, { cause });
  }
}

/** A watched database. */
export interface OwnDatabase {
  /** @returns the database, which fails with `OwnDatabaseError` when it cannot be reached or is too busy. */
  readonly watch: (database: Database) => Database;
  /** @returns a function that returns an error if statements take more than a second after this call. */
  readonly watchPace: () => () => OwnDatabaseError | undefined;
}

/** @returns whether the database, and not a rail, caused a check to fail. */
export function isOwnFailure({ detail }: { readonly detail: string }): boolean {
  return detail.includes(NOT_ANSWERED);
}

/** Creates the watch of one database. */
export function createOwnDatabase(): OwnDatabase {
  let running = 0;
  let sinceMs = 0;
  let spentMs = 0;
  const spent = () => spentMs + (running > 0 ? performance.now() - sinceMs : 0);
  const named = async <Result>(work: Promise<Result>): Promise<Result> => {
    if (running === 0) sinceMs = performance.now();
    running += 1;
    try {
      return await work;
    } catch (error) {
      throw isDatabaseUnreachable(error) ? new OwnDatabaseError(error as Error) : error;
    } finally {
      if (running === 1) spentMs = spent();
      running -= 1;
    }
  };
  return {
    watch: (database) => ({
      ...database,
      query: (statement, values) => named(database.query(statement, values)),
      within: (limitMs, work) => named(database.within(limitMs, work)),
      withTx: (work) => named(database.withTx(work)),
    }),
    watchPace: () => {
      const beforeMs = spent();
      return () => {
        const ms = Math.round(spent() - beforeMs);
        return ms > SLOW_MS ? new OwnDatabaseError(new Error(`its statements took ${ms} ms`)) : undefined;
      };
    },
  };
}
