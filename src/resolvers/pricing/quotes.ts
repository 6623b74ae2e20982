/** Quotes: the present cost of an order, and prices that are promised for a while (C-21). */
import { randomBytes } from 'node:crypto';
import { ACTIONS } from '../../base/access/actions.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Currency } from '../../base/money/currency.ts';
import { instantOf, millisOf } from '../../base/time/instant.ts';
import { addQuote, findQuote, type QuoteRow, useQuote } from '../../store/engine/quotes.ts';
import type { Template } from '../../templates/define.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import { audited } from '../checks/audited.ts';
import type { Attempt } from '../checks/once.ts';
import type { AtomicWork } from '../services/advance.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';
import { type Priced, type PriceRequest, price } from './price.ts';

/** Lifetime of a promised price. */
export const QUOTE_LIFE_MS = 600_000;

/** Order of a quote. */
export interface QuoteUse {
  readonly template: Template;
  readonly currency: Currency;
  readonly direction: 'in' | 'out';
}

/**
 * Prices an order as of now, without reserving the price.
 *
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`, `LIMIT_EXCEEDED`.
 */
export async function readQuote(
  context: Context,
  request: Omit<PriceRequest, 'accountId'>,
): Promise<QuoteRow> {
  requireScope(context, 'read');
  const nowMs = await context.clock.nowMs();
  const { facts } = await price(context, { ...request, accountId: context.caller.accountId });
  return rowOf('', request, facts, nowMs, nowMs);
}

/**
 * Prices an order and reserves the price for ten minutes.
 *
 * @param attempt - of its key; the result of an earlier attempt is returned again.
 * @throws {GatewayError} `FORBIDDEN`, `QUOTE_UNAVAILABLE`, `LIMIT_EXCEEDED`.
 */
export async function createQuote(
  context: Context,
  request: Omit<PriceRequest, 'accountId'>,
  { made, bind }: Attempt,
): Promise<QuoteRow> {
  const action = permissionOfQuote(context, request);
  requirePermission(context, action);
  const { accountId } = context.caller;
  const before = made === null ? undefined : await findQuote(context.database, accountId, made);
  if (before) return before;
  const nowMs = await context.clock.nowMs();
  const { facts } = await price(context, { ...request, accountId });
  const id = `quo_${randomBytes(12).toString('base64url')}`;
  const row = rowOf(id, request, facts, nowMs, nowMs + QUOTE_LIFE_MS);
  return audited(context, async (tx, writeDown) => {
    const { template, currency, quote, brlAmount, cryptoAmount } = row;
    writeDown(
      action,
      { kind: 'quote', id },
      { after: { template, currency, quote, brlAmount, cryptoAmount } },
    );
    await bind(tx, id);
    return addQuote(tx, accountId, row);
  });
}

/** An offramp out of the balance can be created with `move` alone, so its price can be reserved with `move` as well. */
function permissionOfQuote(
  { caller }: Context,
  { template, direction }: Omit<PriceRequest, 'accountId'>,
): 'quote.create' | 'balance.quote' {
  const isPayout = direction === 'out' && template.crypto === 'balance';
  return isPayout && !caller.scopes.includes(ACTIONS['quote.create'].scope)
    ? 'balance.quote'
    : 'quote.create';
}

/** @returns the price of a quote, its BRL side, and when it was made. @throws {GatewayError} `QUOTE_EXPIRED` when it cannot be used for this. */
export async function quoteToUse(
  context: Context,
  id: string,
  use: QuoteUse,
): Promise<Pick<Priced, 'facts' | 'brl' | 'pricedAt'>> {
  const row = await findQuote(context.database, context.caller.accountId, id);
  const isFit =
    row &&
    row.template === use.template.name &&
    row.currency === use.currency.code &&
    millisOf(row.expiresAt) >= (await context.clock.nowMs());
  if (!isFit) throw expired();
  const [sourceAmount, targetAmount] =
    use.direction === 'in' ? [row.brlAmount, row.cryptoAmount] : [row.cryptoAmount, row.brlAmount];
  const isDelivered = use.direction === 'in' && use.template.crypto === 'external';
  return {
    brl: row.brlAmount,
    pricedAt: new Date(millisOf(row.createdAt)).toISOString(),
    facts: {
      quote: row.quote,
      refQuote: row.refQuote,
      fees: row.fees,
      sourceAmount,
      targetAmount,
      networkFee: isDelivered ? row.networkFee : null,
    },
  };
}

/** @returns the work that consumes a quote, in the transaction that creates its order. */
export function spendQuote({ caller }: Context, id: string): AtomicWork {
  return async (tx, { updatedAt }) => {
    if (!(await useQuote(tx, caller.accountId, id, new Date(millisOf(updatedAt))))) throw expired();
  };
}

function expired(): GatewayError {
  return new GatewayError('QUOTE_EXPIRED', 'no usable quote has this id and fits this order');
}

function rowOf(
  id: string,
  { template, currency, direction }: Omit<PriceRequest, 'accountId'>,
  facts: QuoteFacts,
  nowMs: number,
  endMs: number,
): QuoteRow {
  const text = (value: string | null) => value ?? '0';
  return {
    id,
    template: template.name,
    currency: currency.code,
    quote: text(facts.quote),
    refQuote: text(facts.refQuote),
    fees: text(facts.fees),
    brlAmount: text(direction === 'in' ? facts.sourceAmount : facts.targetAmount),
    cryptoAmount: text(direction === 'in' ? facts.targetAmount : facts.sourceAmount),
    networkFee: text(facts.networkFee),
    createdAt: instantOf(new Date(nowMs)),
    expiresAt: instantOf(new Date(endMs)),
  };
}
