/** Prices what a caller orders: by a quote that was promised, else as of now (C-21). */
import type { Process } from '../../templates/facts.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import type { AtomicWork } from '../services/advance.ts';
import type { Context } from '../services/context.ts';
import { type PriceRequest, price, type Wanted } from './price.ts';
import { quoteToUse, spendQuote } from './quotes.ts';

/** What is ordered. */
export interface OrderToPrice extends Omit<PriceRequest, 'accountId' | 'wanted'> {
  /** Undefined where a quote says it, or the customer enters it later. */
  readonly wanted: Wanted | undefined;
  /** A quote to be used instead of a new price. */
  readonly quoteId: string | undefined;
}

/** Its price. */
export interface PricedOrder {
  /** Nothing where no amount is known yet. */
  readonly facts: Partial<QuoteFacts>;
  /** When the price was made; its lock counts from then. */
  readonly process: Pick<Process, 'pricedAt'>;
  /** What uses the quote up, in the database transaction that makes what was ordered. */
  readonly atomically: AtomicWork | undefined;
}

/** @throws {GatewayError} `QUOTE_UNAVAILABLE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`. */
export async function priceOrder(
  context: Context,
  { wanted, quoteId, ...use }: OrderToPrice,
): Promise<PricedOrder> {
  const { accountId } = context.caller;
  if (quoteId !== undefined) {
    const { facts, pricedAt } = await quoteToUse(context, quoteId, use);
    return { facts, process: { pricedAt }, atomically: spendQuote(context, quoteId) };
  }
  if (!wanted) return { facts: {}, process: {}, atomically: undefined };
  const { facts, pricedAt } = await price(context, { ...use, accountId, wanted });
  return { facts, process: { pricedAt }, atomically: undefined };
}
