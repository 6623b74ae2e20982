/** The rail of an EVM network: Ethereum, Polygon, Base, BNB Smart Chain. */
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger, NETWORKS } from '../../base/money/currency.ts';
import type { GasPrice } from '../chain/driver.ts';
import type { NetworkTools } from '../chain/network-tools.ts';
import { createNetworkRail, type NetworkRail } from '../chain/rail.ts';
import { createEvmDriver, replace, transferCost } from './driver.ts';
import { createRpc } from './rpc.ts';
import type { EvmSettings } from './settings.ts';

export { readEvmSettings } from './settings.ts';

/** Age of the newest block from which a provider counts as stopped. Unit: ms. */
const HEAD_MAX_AGE_MS = 180_000;

/** @returns the rail; nothing runs yet. */
export function createEvm(settings: EvmSettings, tools: NetworkTools): NetworkRail {
  const { chainId, coin } = NETWORKS[tools.network] ?? {};
  assert(chainId !== undefined && coin !== undefined, `${tools.network} is an EVM network`);
  const { finality, maxFeePerGas, minTipPerGas, stuckMs, timeLimitMs } = settings;
  const terms = { network: tools.network, chainId, finality, maxFeePerGas, minTipPerGas };
  const kind = {
    family: 'EVM' as const,
    coin: currencyOfLedger(`${coin}_${tools.network}`),
    headMaxAgeMs: HEAD_MAX_AGE_MS,
    stuckMs,
    validMs: 0,
    gas: { maxPrice: maxFeePerGas, unit: 'gwei', decimals: 9, isFixed: false, transferCost },
    replace: (stuck: string, price: GasPrice) => replace(maxFeePerGas, stuck, price),
  };
  return createNetworkRail(settings, tools, kind, (node) =>
    createEvmDriver(createRpc(node, timeLimitMs), terms),
  );
}
