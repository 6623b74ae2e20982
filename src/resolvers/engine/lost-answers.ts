/** Leases whose answer was lost: nobody knows which jobs they took, so these would wait until the lease ends. */

/** A server that does not answer may still take the lease this much later. */
const UNCERTAIN_MS = 10_000;

/**
 * @param giveBack - frees what this process has leased and does not know of.
 * @returns a function that takes a lease; for ten seconds after one that failed, what it may have taken is given back first.
 */
export function leaseAfterLostAnswers(
  giveBack: () => Promise<void>,
): <Lease>(take: () => Promise<Lease>) => Promise<Lease> {
  /** Of the monotonic clock. */
  let uncertainUntilMs = 0;
  return async (take) => {
    try {
      if (performance.now() < uncertainUntilMs) await giveBack();
      return await take();
    } catch (error) {
      uncertainUntilMs = performance.now() + UNCERTAIN_MS;
      throw error;
    }
  };
}
