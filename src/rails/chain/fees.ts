/**
 * Quoted fee of a transfer, in its own currency: a fixed fee from the settings, or a fee computed from the network's
 * gas price and current rates.
 */

import { GatewayError } from '../../base/errors/errors.ts';
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { roundHalfUp, toMinor } from '../../base/money/money.ts';
import { RateRefused, type RateSource } from '../../resolvers/services/rails.ts';
import type { GasPrice } from './driver.ts';
import { NoGasPrice, queryGasPrice } from './gas-price.ts';
import type { NetworkParts } from './parts.ts';

/** Sources of fees. */
export interface FeeSettings {
  /** Fixed fees in minor units by raw ledger code, independent of the network's cost. */
  readonly fixed: ReadonlyMap<string, bigint>;
  /** Rates that convert the network's coin into the currency of the fee. */
  readonly rates?: Pick<RateSource, 'observe'> | undefined;
}

/** Time for which a gas price is cached. Unit: ms. */
const FRESH_MS = 15_000;
const RATE_DECIMALS = 12;
/** `Retry-After` of a refused quote. */
const RETRY_SECONDS = 5;

/** @returns a function that quotes the fee of a transfer, rounded up, in minor units of its currency. */
export function feeQuoter(
  parts: Pick<NetworkParts, 'providers' | 'facts'>,
  { fixed, rates }: FeeSettings,
): (currency: Currency) => Promise<bigint> {
  const { coin, network, gas } = parts.facts;
  let known: { readonly atMs: number; readonly price: Promise<GasPrice> } | undefined;
  const priceNow = (): Promise<GasPrice> => {
    if (known && performance.now() - known.atMs < FRESH_MS) return known.price;
    const price = queryGasPrice(parts);
    known = { atMs: performance.now(), price };
    price.catch(() => {
      known = undefined;
    });
    return price;
  };
  const costOf = async (currency: Currency): Promise<bigint> => {
    const price = await priceNow().catch((error: unknown) => {
      if (!(error instanceof NoGasPrice)) throw error;
      throw noFee(`nothing is sent on ${network} at the current gas price`);
    });
    return gas.transferCost(currency, price);
  };
  const rateOf = async (asset: string): Promise<bigint> => {
    const none = `there is no rate of ${asset} to compute the network's fee`;
    const rate = await rates?.observe(asset).catch((error: unknown) => {
      throw error instanceof RateRefused ? noFee(`${none}: ${error.message}`) : error;
    });
    if (!rate) throw noFee(none);
    return toMinor(roundHalfUp(rate.mid, RATE_DECIMALS), RATE_DECIMALS);
  };
  return async (currency) => {
    const set = fixed.get(currency.code);
    if (set !== undefined) return set;
    const cost = await costOf(currency);
    if (currency.code === coin.code) return cost;
    const [ofCoin, ofCurrency] = await Promise.all([rateOf(coin.asset), rateOf(currency.asset)]);
    const above = cost * ofCoin * 10n ** BigInt(currency.decimals);
    const below = ofCurrency * 10n ** BigInt(currencyOfLedger(coin.code).decimals);
    return (above + below - 1n) / below;
  };
}

function noFee(why: string): GatewayError {
  return new GatewayError('UNAVAILABLE', why, { retryAfter: RETRY_SECONDS });
}
