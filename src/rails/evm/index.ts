/** The rail of an EVM network: Ethereum, Polygon, Base, BNB Smart Chain. */
import { assert } from '../../base/assert.ts';
import { currencyOfLedger, NETWORKS } from '../../base/currency.ts';
import { deriveDepositAddress } from '../../base/deposit-address.ts';
import type { NetworkTools } from '../chain/network-tools.ts';
import { createNetworkRail, type NetworkRail } from '../chain/rail.ts';
import { createEvmDriver } from './driver.ts';
import { createRpc } from './rpc.ts';
import type { EvmSettings } from './settings.ts';

export { readEvmSettings } from './settings.ts';

/** A head that is older says that its provider hangs. */
const HEAD_MAX_AGE_MS = 180_000;

/** @returns the rail; nothing of it runs yet. */
export function createEvm(settings: EvmSettings, tools: NetworkTools): NetworkRail {
  const { network, mode, signer, rates } = tools;
  const { chainId, coin } = NETWORKS[network] ?? {};
  assert(chainId !== undefined && coin !== undefined, `${network} is an EVM network`);
  const { finality, maxFeePerGas, minTipPerGas } = settings;
  const terms = { network, chainId, finality, maxFeePerGas, minTipPerGas };
  const { xpub, hotAddress, quorum, stuckMs } = settings;
  const facts = {
    network,
    family: 'EVM' as const,
    coin: currencyOfLedger(`${coin}_${network}`),
    hotAddress,
    pollMs: settings.pollMs,
    headMaxAgeMs: HEAD_MAX_AGE_MS,
    stuckMs,
    quorum,
    xpub,
    deriveAddress: (index: number) => deriveDepositAddress(network, xpub, index),
  };
  const providers = settings.providers.map((url) =>
    createEvmDriver(createRpc(url, settings.timeLimitMs), terms),
  );
  return createNetworkRail(
    { ...tools, key: { mode, network }, facts, providers, signer },
    {
      sweepFrom: settings.sweep,
      fees: { fixed: settings.networkFees, rates },
      gasFloatMinor: settings.gasFloat,
    },
  );
}
