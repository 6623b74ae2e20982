/** Prices: the current rate, the account's spread and fees, the bounds of an amount, and how long a price holds (C-21). */
import type { Logger } from 'pino';
import { readShared } from '../../base/concurrency/read-together.ts';
import { GatewayError, overLimit } from '../../base/errors/errors.ts';
import { BRL, type Currency } from '../../base/money/currency.ts';
import { fromMinor, isMore, multiply, roundHalfUp, toMinor } from '../../base/money/money.ts';
import { type Price, type Pricing, priceIn, priceOut } from '../../base/money/pricing.ts';
import { instantOf, millisOf } from '../../base/time/instant.ts';
import { readAccountSettings } from '../../store/account/settings.ts';
import {
  readRate,
  readTemplateSettings,
  storeRate,
  type TemplateSettings,
} from '../../store/engine/pricing.ts';
import { depositOf } from '../../templates/amounts.ts';
import type { Template } from '../../templates/define.ts';
import { expiryOf, GRACE_MS, lockEndOf } from '../../templates/effects.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import { railsFor, requireRails, type Services } from '../services/context.ts';
import { RateRefused, type RateSource } from '../services/rails.ts';

/** Fixed amount: one of the two sides of a ramp. Decimal text. */
export type Wanted = { readonly brl: string } | { readonly crypto: string };

/** Order to be priced. */
export interface PriceRequest {
  readonly accountId: bigint;
  readonly template: Template;
  readonly direction: 'in' | 'out';
  readonly currency: Currency;
  readonly wanted: Wanted;
}

/** A price as facts of a transaction, with the settings that it was made by. */
export interface Priced {
  readonly facts: QuoteFacts;
  readonly settings: TemplateSettings;
  /** The BRL side, in which limits are counted. */
  readonly brl: string;
  /** When the price was made, ISO 8601. */
  readonly pricedAt: string;
}

/** Age from which a rate is looked up again, and age from which it is not quoted, whatever its source; feeds have an own limit before it (`rails/rates/`). */
const FRESH_MS = 5_000;
const STALE_MS = 60_000;
const RETRY_SECONDS = 5;

/** @returns the source; a failure yields no rate, and is logged. The last known rate serves while it is fresh. */
export function reportingRates(source: RateSource, log: Pick<Logger, 'warn'>): RateSource {
  return {
    ...source,
    observe: async (asset) => {
      try {
        return await source.observe(asset);
      } catch (error) {
        if (error instanceof RateRefused) throw error;
        log.warn({ err: error, asset }, 'a rate cannot be read');
        return undefined;
      }
    },
  };
}

/**
 * @param nowMs - the time that the rate is for.
 * @returns BRL for one unit of the asset, not older than 60 seconds.
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`, also where the sources contradict each other; `RAILS_MISSING`.
 */
export async function currentRate(services: Services, asset: string, nowMs: number): Promise<string> {
  requireRails(services, ['rates']);
  const { database, mode, rails } = services;
  const last = await readRate(database, mode, asset);
  const ageMs = last ? nowMs - millisOf(last.observedAt) : Number.POSITIVE_INFINITY;
  // Sources that are compared with each other are queried each time: an earlier agreement may no longer hold.
  const isRequested = rails.rates.report !== undefined;
  if (!isRequested && last && ageMs >= 0 && ageMs <= FRESH_MS) return last.mid;
  const observed = await observeTogether(services, asset).catch((error: unknown) => {
    throw error instanceof RateRefused ? noPrice(error.message) : error;
  });
  if (observed && nowMs - observed.observedAtMs <= STALE_MS) return observed.mid;
  if (last && ageMs >= 0 && ageMs <= STALE_MS) return last.mid;
  throw noPrice(`no price of ${asset} from the last 60 seconds is available`);
}

/**
 * @param amount - decimal text.
 * @returns the present worth of an amount in BRL, in cents, as limits and approvals of money out count it.
 * @throws {GatewayError} as `currentRate`.
 */
export async function worthNow(services: Services, currency: Currency, amount: string): Promise<string> {
  if (currency === BRL) return amount;
  const rate = await currentRate(services, currency.asset, await services.clock.nowMs());
  return roundHalfUp(multiply(amount, rate), BRL.decimals);
}

/**
 * @returns the present worth of a held deposit in BRL, in cents.
 * @throws {GatewayError} as `currentRate`.
 */
export function depositWorthNow(services: Services, row: ProcessRow): Promise<string> {
  const { currency, amount } = depositOf(row);
  return worthNow(services, currency, fromMinor(amount, currency.decimals));
}

/**
 * Callers that find a rate old arrive together: one queries the source and stores the answer for all. Otherwise each
 * would wait for the others' commits.
 */
function observeTogether(
  { database, mode, rails }: Services,
  asset: string,
): ReturnType<RateSource['observe']> {
  return readShared(rails.rates, [mode, asset], async () => {
    const observed = await rails.rates.observe(asset);
    const last = observed && (await readRate(database, mode, asset));
    if (observed && (!last || millisOf(last.observedAt) < observed.observedAtMs))
      await storeRate(database, mode, asset, observed);
    return observed;
  });
}

function noPrice(why: string): GatewayError {
  return new GatewayError('QUOTE_UNAVAILABLE', why, { retryAfter: RETRY_SECONDS });
}

/**
 * Prices an order, within the bounds of a transaction.
 *
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`, `RAILS_MISSING`, or `LIMIT_EXCEEDED` where the amount is out of bounds or too small.
 */
export async function price(services: Services, request: PriceRequest): Promise<Priced> {
  requireRails(services, railsFor(request.template, [BRL, request.currency]));
  const priced = await priceNow(services, request);
  if (!priced) throw overLimit('the amount does not cover the fees', { kind: 'fees' });
  refuseOutOfBounds(priced.brl, priced.settings);
  return priced;
}

/**
 * Prices an order of any size.
 *
 * @returns undefined when nothing would be left of the amount after fees.
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`, `RAILS_MISSING`.
 */
export async function priceNow(services: Services, request: PriceRequest): Promise<Priced | undefined> {
  const { accountId, template, direction, currency, wanted } = request;
  const settings = await readTemplateSettings(services.database, accountId, template.name);
  const nowMs = await services.clock.nowMs();
  const mid = await currentRate(services, currency.asset, nowMs);
  const isDelivered = direction === 'in' && template.crypto === 'external';
  const networkFeeMinor = isDelivered ? await services.rails.chain.networkFee(currency) : 0n;
  const made =
    direction === 'in'
      ? pricedIn(mid, currency, networkFeeMinor, wanted, settings)
      : pricedOut(mid, currency, wanted, settings);
  if (!made) return undefined;
  const brl = fromMinor(made.brlMinor, BRL.decimals);
  const pricedAt = new Date(nowMs).toISOString();
  return { facts: factsOf(made, direction, currency, isDelivered), settings, brl, pricedAt };
}

/**
 * @returns the price of converting a held deposit now.
 * @throws {GatewayError} as `price`.
 */
export function priceDeposit(services: Services, row: ProcessRow): Promise<Priced> {
  const { currency, amount } = depositOf(row);
  const template = services.registry.of(row.template);
  const wanted = { crypto: fromMinor(amount, currency.decimals) };
  return price(services, { accountId: row.accountId, template, direction: 'out', currency, wanted });
}

/** The minimum and maximum of a transaction. */
type Bounds = Pick<TemplateSettings, 'amountMin' | 'amountMax'>;

/** @returns whether an amount of BRL is below the minimum or above the maximum of a transaction. */
export function isOutOfBounds(brl: string, { amountMin, amountMax }: Bounds): boolean {
  return isMore(amountMin, brl) || isMore(brl, amountMax);
}

/** @throws {GatewayError} `LIMIT_EXCEEDED` for an amount that is out of bounds. */
export function refuseOutOfBounds(brl: string, { amountMin, amountMax }: Bounds): void {
  if (isOutOfBounds(brl, { amountMin, amountMax }))
    throw overLimit(
      `a transaction must be worth ${amountMin} to ${amountMax} BRL; this one is worth ${brl} BRL`,
      {
        kind: 'transaction',
        minimum: amountMin,
        maximum: amountMax,
        currency: BRL.code,
        amount: isMore(amountMin, brl) ? amountMin : amountMax,
      },
    );
}

function pricedIn(
  mid: string,
  currency: Currency,
  networkFeeMinor: bigint,
  wanted: Wanted,
  pricing: Pricing,
): Price | undefined {
  const market = { mid, currency, networkFeeMinor };
  return 'brl' in wanted
    ? priceIn({ ...market, paymentMinor: toMinor(wanted.brl, BRL.decimals) }, pricing)
    : priceIn({ ...market, receivedMinor: toMinor(wanted.crypto, currency.decimals) }, pricing);
}

function pricedOut(mid: string, currency: Currency, wanted: Wanted, pricing: Pricing): Price | undefined {
  return 'brl' in wanted
    ? priceOut({ mid, currency, sentMinor: toMinor(wanted.brl, BRL.decimals) }, pricing)
    : priceOut({ mid, currency, paidMinor: toMinor(wanted.crypto, currency.decimals) }, pricing);
}

function factsOf(made: Price, direction: 'in' | 'out', currency: Currency, isDelivered: boolean): QuoteFacts {
  const brl = fromMinor(made.brlMinor, BRL.decimals);
  const crypto = fromMinor(made.cryptoMinor, currency.decimals);
  return {
    quote: made.quote,
    refQuote: made.refQuote,
    fees: fromMinor(made.feeMinor, BRL.decimals),
    sourceAmount: direction === 'in' ? brl : crypto,
    targetAmount: direction === 'in' ? crypto : brl,
    networkFee: isDelivered ? fromMinor(made.networkFeeMinor, currency.decimals) : null,
  };
}

/** Inputs of a session's end. */
type PricedSession = Parameters<typeof expiryOf>[0] &
  Parameters<typeof lockEndOf>[0] &
  Pick<ProcessRow, 'accountId'>;

/**
 * @param options - `endsWithLock`: the session gets no new price, even if the account chose requotes.
 * @returns the end of a session that was just priced; settings are read only when the lock ends first.
 */
export async function endOfPriced(
  { database, sandbox }: Services,
  priced: PricedSession,
  { endsWithLock = false }: { readonly endsWithLock?: boolean | undefined } = {},
): Promise<ProcessRow['expiresAt']> {
  const [end, lockEnd] = [expiryOf(priced), lockEndOf(priced)];
  // Price and session begin slightly apart: a session as long as the lock ends with the lock.
  if (end === undefined || lockEnd === undefined || end <= lockEnd + GRACE_MS) return priced.expiresAt;
  if (endsWithLock) return instantOf(new Date(lockEnd));
  const { afterLock } = await readAccountSettings(database, priced.accountId, {
    isSandbox: sandbox !== null,
  });
  return afterLock === 'END' ? instantOf(new Date(lockEnd)) : priced.expiresAt;
}
