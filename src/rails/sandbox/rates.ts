/** Rates of the sandbox: constant, and never stale. */

import { SANDBOX_RATES } from '../../resolvers/sandbox/provision-sandbox.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { RateSource } from '../../resolvers/services/rails.ts';

/** @returns the source; the observation time of a rate is the time of the query. */
export function sandboxRates(clock: Clock): RateSource {
  return {
    observe: async (asset) => {
      const mid = SANDBOX_RATES[asset];
      return mid === undefined ? undefined : { mid, observedAtMs: await clock.nowMs() };
    },
  };
}
