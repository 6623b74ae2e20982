/** The rail of TRON: USDT and TRX. */
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import type { NetworkTools } from '../chain/network-tools.ts';
import { createNetworkRail, type NetworkRail } from '../chain/rail.ts';
import { createApi } from './api.ts';
import { createTronDriver, TOKEN_ENERGY, transferCost, VALID_MS } from './driver.ts';
import type { TronSettings } from './settings.ts';

export { readTronSettings } from './settings.ts';

/** Age of the newest block from which a provider counts as stopped; blocks follow every three seconds. Unit: ms. */
const HEAD_MAX_AGE_MS = 60_000;
/**
 * Age from which `doctor` reports a transaction. Transactions are never replaced; after about three minutes a
 * transaction is final or permanently expired. Unit: ms.
 */
const STUCK_MS = 180_000;

/** @returns the rail; nothing runs yet. */
export function createTron(settings: TronSettings, tools: NetworkTools): NetworkRail {
  assert(tools.network === 'TRX', `${tools.network} is TRON`);
  const { maxFeeLimit, timeLimitMs } = settings;
  const kind = {
    family: 'TRX' as const,
    coin: currencyOfLedger('TRX_TRX'),
    headMaxAgeMs: HEAD_MAX_AGE_MS,
    stuckMs: STUCK_MS,
    validMs: VALID_MS,
    // The witnesses of the network fix the price of energy by vote.
    gas: { maxPrice: maxFeeLimit / TOKEN_ENERGY, unit: 'sun', decimals: 0, isFixed: true, transferCost },
    // A transaction that no block includes expires, and the order is made anew, so none is replaced.
    replace: () => undefined,
  };
  return createNetworkRail(settings, tools, kind, (node) =>
    createTronDriver(createApi(node, timeLimitMs), { maxFeeLimit }),
  );
}
