/**
 * Amounts that a customer pays and receives (C-21), in exact integer arithmetic; the functions are pure, without a
 * clock and settings.
 *
 * A price of crypto is the number of cents for one minor unit, as a ratio. It stays exact until a result is rounded,
 * each time in favour of the house: received or sent amounts down, amounts to pay up, and for money in the fee up to
 * the next cent. For money out the sent amount is rounded instead of the fee, which follows from it.
 */

import { assert } from '../errors/assert.ts';
import type { Currency } from './currency.ts';
import { isDecimal, multiply, sum, toMinor, trimDecimal } from './money.ts';

/** Price settings of an account for a template; plain decimal text with any number of decimals. */
export interface Pricing {
  /** Distance of the quote from the market rate, a fraction: 0 <= spread < 1. */
  readonly spread: string;
  /** Percentage fee as a fraction of the BRL amount before fees: 0 <= feeRate < 1. */
  readonly feeRate: string;
  /** Fixed fee in BRL, not negative. */
  readonly feeFixed: string;
}

/** Price of an order in either direction. Amounts are in minor units: cents, and minor units of the crypto currency. */
export interface Price {
  /** BRL for one crypto with the spread, exact: never rounded. */
  readonly quote: string;
  /** BRL for one crypto without the spread. */
  readonly refQuote: string;
  /** Onramp: the amount that the customer pays. Offramp: the amount that the payee receives, after the fee. */
  readonly brlMinor: bigint;
  /**
   * Percentage and fixed fee together. Onramp: rounded up to cents. Offramp: the gross in whole cents less the amount
   * sent; with `sentMinor` also the whole cents by which the last unit of crypto is worth more.
   */
  readonly feeMinor: bigint;
  /**
   * Onramp: the amount that the customer receives, after the network fee. Offramp: the amount that the customer pays.
   */
  readonly cryptoMinor: bigint;
  /** Amount in the crypto currency; 0 for money out. */
  readonly networkFeeMinor: bigint;
}

/** The crypto currency of an order and its market rate, in BRL for one crypto: a plain decimal > 0. */
export interface Market {
  readonly mid: string;
  readonly currency: Currency;
}

/** An order BRL -> crypto, by the amount paid (cents) or the amount received (minor units, after the network fee). */
export type OrderIn = Market & {
  /** Minor units of the crypto currency, not negative. */
  readonly networkFeeMinor: bigint;
} & ({ readonly paymentMinor: bigint } | { readonly receivedMinor: bigint });

/** An order crypto -> BRL, by the amount paid (minor units) or the amount sent to the payee (cents, after fees). */
export type OrderOut = Market & ({ readonly paidMinor: bigint } | { readonly sentMinor: bigint });

interface Ratio {
  readonly num: bigint;
  readonly den: bigint;
}

/** Fee in cents of an amount in cents: (rate × cents + fixed) / one. */
interface Fee {
  readonly rate: bigint;
  readonly fixed: bigint;
  readonly one: bigint;
}

/**
 * Prices BRL -> crypto: received = floor((payment − fee) / quote, decimals) − network fee.
 *
 * From `receivedMinor`, the payment is the smallest that covers this amount, and the customer receives exactly this amount:
 * the value of the rest of the last cent stays with the house. Closed form in both directions, no search.
 *
 * @returns undefined when nothing would be received, or the payment does not cover the fee.
 * @throws {Error} when a rate, a setting or the network fee is out of the bounds of its type.
 */
export function priceIn(order: OrderIn, pricing: Pricing): Price | undefined {
  const { networkFeeMinor } = order;
  assert(networkFeeMinor >= 0n, 'a network fee is not negative');
  const quote = quoteOf(order, pricing, '');
  const unit = centsPerUnit(quote, order.currency);
  const fee = feeOf(pricing);
  let payment: bigint;
  let received: bigint;
  if ('paymentMinor' in order) {
    payment = order.paymentMinor;
    const net = payment - feeOn({ num: payment, den: 1n }, fee);
    received = (net * unit.den) / unit.num - networkFeeMinor;
  } else {
    received = order.receivedMinor;
    payment = grossUp(ceilDivide((received + networkFeeMinor) * unit.num, unit.den), fee);
  }
  if (received <= 0n) return undefined;
  return {
    quote,
    refQuote: trimDecimal(order.mid),
    brlMinor: payment,
    feeMinor: feeOn({ num: payment, den: 1n }, fee),
    cryptoMinor: received,
    networkFeeMinor,
  };
}

/**
 * Prices crypto -> BRL: sent = floor(paid × quote − fee, 2), rounded once. The shown fee is the part of the gross in
 * whole cents that is not sent, so that fee and amount together never exceed the worth of the crypto.
 *
 * From `sentMinor`, the amount to pay is the smallest that covers this amount, and exactly this amount is sent: the
 * value of the rest of a coarse last unit of crypto stays with the house. Closed form in both directions, no search.
 * @returns undefined when nothing would be sent.
 * @throws {Error} when a rate or a setting is out of the bounds of its type.
 */
export function priceOut(order: OrderOut, pricing: Pricing): Price | undefined {
  const quote = quoteOf(order, pricing, '-');
  const unit = centsPerUnit(quote, order.currency);
  const { rate, fixed, one } = feeOf(pricing);
  const byPaid = 'paidMinor' in order;
  if ((byPaid ? order.paidMinor : order.sentMinor) <= 0n) return undefined;
  const paid = byPaid
    ? order.paidMinor
    : ceilDivide((order.sentMinor * one + fixed) * unit.den, (one - rate) * unit.num);
  const gross = paid * unit.num;
  const net = gross * (one - rate) - fixed * unit.den;
  const sent = byPaid ? net / (one * unit.den) : order.sentMinor;
  if (sent <= 0n) return undefined;
  return {
    quote,
    refQuote: trimDecimal(order.mid),
    brlMinor: sent,
    feeMinor: gross / unit.den - sent,
    cryptoMinor: paid,
    networkFeeMinor: 0n,
  };
}

/**
 * The smallest whole amount that leaves at least `net` after the fee. It is exact although the fee is rounded: in whole
 * cents gross − ⌈fee⌉ >= net is equivalent to gross − fee >= net.
 */
function grossUp(net: bigint, { rate, fixed, one }: Fee): bigint {
  return ceilDivide(net * one + fixed, one - rate);
}

/** @returns the fee on an amount in cents, rounded up to cents. */
function feeOn({ num, den }: Ratio, { rate, fixed, one }: Fee): bigint {
  return ceilDivide(rate * num + fixed * den, one * den);
}

function feeOf({ feeRate, feeFixed }: Pricing): Fee {
  const rate = ratioOf(feeRate);
  const fixed = ratioOf(feeFixed);
  assert(rate.num >= 0n && rate.num < rate.den, 'a fee rate is at least 0 and less than 1');
  assert(fixed.num >= 0n, 'a fixed fee is not negative');
  return { rate: rate.num * fixed.den, fixed: 100n * fixed.num * rate.den, one: rate.den * fixed.den };
}

/** @returns mid × (1 ± spread), exact. */
function quoteOf({ mid }: Market, { spread }: Pricing, sign: '' | '-'): string {
  const { num, den } = ratioOf(spread);
  assert(num >= 0n && num < den, 'a spread is at least 0 and less than 1');
  assert(ratioOf(mid).num > 0n, 'a market rate is more than 0');
  return multiply(mid, sum(['1', `${sign}${spread}`]));
}

function centsPerUnit(quote: string, { decimals }: Currency): Ratio {
  const { num, den } = ratioOf(quote);
  return { num: 100n * num, den: den * 10n ** BigInt(decimals) };
}

function ratioOf(text: string): Ratio {
  assert(isDecimal(text), 'rates and fees are plain decimals');
  const point = text.indexOf('.');
  const scale = point < 0 ? 0 : text.length - point - 1;
  return { num: toMinor(text, scale), den: 10n ** BigInt(scale) };
}

/** Rounds up; the divisor is positive. */
function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  const floored = dividend / divisor;
  return floored * divisor < dividend ? floored + 1n : floored;
}
