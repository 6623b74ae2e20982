/** The clock that processes obey: that of the machine, or one that a sandbox can set ahead. */

/** Tells the time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => Promise<number>;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = { nowMs: async () => Date.now() };
