/** The clock that the processes of an account obey: the machine's, or in a sandbox one that can be set ahead. */
import type { Tx } from '../../store/database.ts';

/** Tells the time. */
export interface Clock {
  /**
   * Milliseconds since 1970.
   *
   * @param tx - to be asked in: whoever has a connection needs no other one, and knows of all that was committed by now.
   */
  readonly nowMs: (tx?: Tx) => Promise<number>;
  /** How far it is ahead of the machine's clock. Unit: ms. */
  readonly aheadMs: () => Promise<number>;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = { nowMs: async () => Date.now(), aheadMs: async () => 0 };
