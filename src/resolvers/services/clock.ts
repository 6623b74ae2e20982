/** The clock that the processes of an account obey: the database's (docs/decisions/0055), or in a sandbox one that can be set ahead. */
import type { Database, Tx } from '../../store/connection/database.ts';

/** Tells the time. */
export interface Clock {
  /**
   * Milliseconds since 1970.
   *
   * @param tx - connection of the query: its holder needs no second one, and sees everything committed by now.
   */
  readonly nowMs: (tx?: Tx) => Promise<number>;
  /** Lead over the database's clock. Unit: ms. */
  readonly aheadMs: () => Promise<number>;
}

/** @returns the clock of live accounts. */
export function liveClock(database: Pick<Database, 'nowMs'>): Clock {
  return { nowMs: async () => database.nowMs(), aheadMs: async () => 0 };
}
