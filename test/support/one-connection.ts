/**
 * In tests, whoever asks for another connection inside of a database transaction fails. Under load such a caller waits for
 * a connection that others hold, who wait for the locks that the caller holds: the whole gateway stands still.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { Database } from '../../src/store/connection/database.ts';

/** Set in everything that is done inside of a database transaction, however deep. */
const inside = new AsyncLocalStorage<true>();
/** Pools of the gateway; those of the tests look behind it. */
const APPLICATION = 'crossramp';

const { connect } = pg.Pool.prototype;
pg.Pool.prototype.connect = function (this: pg.Pool, ...args: never[]) {
  if (inside.getStore() && this.options.application_name === APPLICATION)
    throw new Error('a second connection is asked for inside of a database transaction');
  return connect.apply(this, args as never);
} as typeof connect;

/** @returns the database, whose transactions are watched. */
export function watchingConnections(database: Database): Database {
  return { ...database, withTx: (work) => database.withTx((tx) => inside.run(true, () => work(tx))) };
}

/** Does what another process does meanwhile, with connections of its own. */
export function elsewhere<Result>(work: () => Result): Result {
  return inside.exit(work);
}
