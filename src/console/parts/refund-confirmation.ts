/** Confirmation of a refund: both exact amounts before anything is sent. */
import type { Html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { Variables } from '../execute.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { confirmation } from './confirmation.ts';

const ACTION = 'RefundPayment';

/**
 * @returns the variables that request the effects of the refund that a form describes; empty if no refund waits for a
 * confirmation.
 */
export function refundVariables({ pending }: ScreenContext): Variables {
  if (!isReviewed(pending)) return {};
  const { amount } = pending.variables;
  return { isRefundReviewed: true, ...(amount !== undefined && { refundAmount: amount }) };
}

/** @returns the confirmation of a refund; null if none is requested, or the payment cannot be refunded by this amount now. */
export function refundConfirmation(
  context: ScreenContext,
  { end2end, refundEffects }: NonNullable<TransactionQuery['transaction']>,
): Html | null {
  if (!isReviewed(context.pending)) return null;
  const back = refundEffects?.find(({ kind }) => kind === 'REFUND')?.money;
  const debited = refundEffects?.find(({ kind }) => kind === 'DEBIT')?.money;
  if (!back || !debited) return null;
  return confirmation(context, {
    action: ACTION,
    // The amount is the one in the sentence, even if the whole remainder was requested without an amount.
    preset: { end2end, amount: back.amount },
    sentence: 'confirmRefund',
    title: 'confirmRefundTitle',
    button: 'refundYes',
    source: back,
    target: debited,
    price: [],
    fields: [],
  });
}

function isReviewed(pending: ScreenContext['pending']): pending is NonNullable<ScreenContext['pending']> {
  return pending?.confirms !== undefined && pending.values.get('end2end') !== null;
}
