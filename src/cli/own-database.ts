/** The database of `doctor`, whose failures are named as its own: among checks of rails, a time-out could be that of a rail. */
import type { Database } from '../store/connection/database.ts';
import { isDatabaseUnreachable } from '../store/connection/database-error.ts';

/** The database did not answer. */
export class OwnDatabaseError extends Error {
  override readonly name = 'OwnDatabaseError';

  constructor(cause: Error) {
    super(`not checked: the gateway’s own database did not answer (${cause.message})`, { cause });
  }
}

/** @returns the database, which fails with `OwnDatabaseError` when it cannot be reached or is too busy. */
export function namingItsFailures(database: Database): Database {
  const named = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      throw isDatabaseUnreachable(error) ? new OwnDatabaseError(error as Error) : error;
    }
  };
  return {
    ...database,
    query: (statement, values) => named(database.query(statement, values)),
    within: (limitMs, work) => named(database.within(limitMs, work)),
    withTx: (work) => named(database.withTx(work)),
  };
}
