/** Rates of the sandbox: the same at every time, and always new. */

import { SANDBOX_RATES } from '../../resolvers/sandbox/provision-sandbox.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { RateSource } from '../../resolvers/services/rails.ts';

/** @returns the source; every rate was observed at the moment it is asked for. */
export function sandboxRates(clock: Clock): RateSource {
  return {
    observe: async (asset) => {
      const mid = SANDBOX_RATES[asset];
      return mid === undefined ? undefined : { mid, observedAtMs: await clock.nowMs() };
    },
  };
}
