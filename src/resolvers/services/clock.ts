/** The clock that the processes of an account obey: the machine's, or in a sandbox one that can be set ahead. */

/** Tells the time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => Promise<number>;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = { nowMs: async () => Date.now() };
