/** The rail of TRON: USDT and TRX. */
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import type { NetworkTools } from '../chain/network-tools.ts';
import { createNetworkRail, type NetworkRail } from '../chain/rail.ts';
import { createApi } from './api.ts';
import { createTronDriver, TOKEN_ENERGY, transferCost } from './driver.ts';
import type { TronSettings } from './settings.ts';

export { readTronSettings } from './settings.ts';

/** Age of a head from which its provider counts as stopped: there is a block every three seconds. */
const HEAD_MAX_AGE_MS = 60_000;
/**
 * Transactions are never replaced: after about three minutes one is final, or gone permanently. `doctor` reports
 * those that take much longer.
 */
const STUCK_MS = 180_000;

/** @returns the rail; none of it runs yet. */
export function createTron(settings: TronSettings, tools: NetworkTools): NetworkRail {
  assert(tools.network === 'TRX', `${tools.network} is TRON`);
  const { maxFeeLimit, timeLimitMs } = settings;
  const kind = {
    family: 'TRX' as const,
    coin: currencyOfLedger('TRX_TRX'),
    headMaxAgeMs: HEAD_MAX_AGE_MS,
    stuckMs: STUCK_MS,
    // The witnesses vote on the price of energy.
    gas: { maxPrice: maxFeeLimit / TOKEN_ENERGY, unit: 'sun', decimals: 0, isFixed: true, transferCost },
    // Transactions never get stuck: one that is in no block expires, and the order is made anew.
    replace: () => undefined,
  };
  return createNetworkRail(settings, tools, kind, (node) =>
    createTronDriver(createApi(node, timeLimitMs), { maxFeeLimit }),
  );
}
