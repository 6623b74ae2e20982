/** Leases whose answer was lost: this process does not know their jobs, so the jobs would wait until the lease ends. */

/** Time after which a server that does not answer may still grant the lease. */
const UNCERTAIN_MS = 10_000;
/** Minimum interval between releases of possible leases. */
const RELEASE_EVERY_MS = 1_000;

/** Form of a lease. */
export interface Leasing {
  /**
   * Claims a lease; for ten seconds after a lost answer, possible leases are released first, once a second. A lease that
   * fails is in doubt.
   */
  readonly lease: <Lease>(claim: () => Promise<Lease>) => Promise<Lease>;
  /** Records that there may be leases that this process does not know. */
  readonly doubt: () => void;
}

/** @param release - releases the leases of this process that it does not know. */
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
