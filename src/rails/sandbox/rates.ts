/** Rates of the sandbox: the same at every time, and always new. */
import type { Clock } from '../../resolvers/clock.ts';
import type { RateSource } from '../../resolvers/rails.ts';

/** BRL for one unit of each asset of the catalogue. */
const MIDS: ReadonlyMap<string, string> = new Map([
  ['USDT', '5.3218'],
  ['USDC', '5.3210'],
  ['TRX', '1.6540'],
  ['ETH', '17250.40'],
  ['BTC', '512300.00'],
]);

/** @returns the source; every rate was observed at the moment it is asked for. */
export function sandboxRates(clock: Clock): RateSource {
  return {
    observe: async (asset) => {
      const mid = MIDS.get(asset);
      return mid === undefined ? undefined : { mid, observedAtMs: await clock.nowMs() };
    },
  };
}
