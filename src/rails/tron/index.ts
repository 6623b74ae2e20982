/** The rail of TRON: USDT and TRX. */
import { assert } from '../../base/assert.ts';
import { currencyOfLedger } from '../../base/currency.ts';
import { deriveDepositAddress } from '../../base/deposit-address.ts';
import type { NetworkTools } from '../chain/network-tools.ts';
import { createNetworkRail, type NetworkRail } from '../chain/rail.ts';
import { createApi } from './api.ts';
import { createTronDriver } from './driver.ts';
import type { TronSettings } from './settings.ts';

export { readTronSettings } from './settings.ts';

/** A head that is older says that its provider hangs: there is a block every three seconds. */
const HEAD_MAX_AGE_MS = 60_000;
/** Nothing is replaced: after about three minutes a transaction is final, or gone for good. `doctor` complains of what takes much longer. */
const STUCK_MS = 180_000;

/** @returns the rail; nothing of it runs yet. */
export function createTron(settings: TronSettings, tools: NetworkTools): NetworkRail {
  const { network, mode, signer, rates } = tools;
  assert(network === 'TRX', `${network} is TRON`);
  const { xpub, hotAddress, quorum, pollMs, maxFeeLimit } = settings;
  const facts = {
    network,
    family: 'TRX' as const,
    coin: currencyOfLedger('TRX_TRX'),
    hotAddress,
    pollMs,
    headMaxAgeMs: HEAD_MAX_AGE_MS,
    stuckMs: STUCK_MS,
    quorum,
    xpub,
    deriveAddress: (index: number) => deriveDepositAddress(network, xpub, index),
  };
  const providers = settings.providers.map((place) =>
    createTronDriver(createApi(place, settings.timeLimitMs), { maxFeeLimit }),
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
