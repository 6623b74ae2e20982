/** Leases whose answer was lost: their jobs are unknown, so they would wait until the lease ends. */

/** A server that does not answer may still take the lease this much later. */
const UNCERTAIN_MS = 10_000;
/** Meanwhile, what may have been taken is given back at most so often. */
const RELEASE_EVERY_MS = 1_000;

/** Form of a lease. */
export interface Leasing {
  /**
   * Takes a lease; for ten seconds after a doubt, what may have been taken is given back first, once a second. A lease that
   * fails is in doubt.
   */
  readonly lease: <Lease>(claim: () => Promise<Lease>) => Promise<Lease>;
  /** Says that leases may have been taken of which nobody knows. */
  readonly doubt: () => void;
}

/** @param release - frees what this process has leased and does not know of. */
export function leaseAfterLostAnswers(release: () => Promise<void>): Leasing {
  /** Of the monotonic clock. */
  let uncertainUntilMs = 0;
  let releasedAtMs = Number.NEGATIVE_INFINITY;
  const doubt = () => {
    uncertainUntilMs = performance.now() + UNCERTAIN_MS;
    releasedAtMs = Number.NEGATIVE_INFINITY;
  };
  return {
    doubt,
    lease: async (claim) => {
      try {
        const nowMs = performance.now();
        if (nowMs < uncertainUntilMs && nowMs - releasedAtMs >= RELEASE_EVERY_MS) {
          await release();
          releasedAtMs = nowMs;
        }
        return await claim();
      } catch (error) {
        doubt();
        throw error;
      }
    },
  };
}
