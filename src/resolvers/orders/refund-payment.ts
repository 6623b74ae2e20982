/** Refunds of finished PIX payments by the account holder, and the operator's actions on failed returns. */

import { known } from '../../base/errors/assert.ts';
import { GatewayError, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { accepts } from '../../templates/accepts.ts';
import type { ActionEffect } from '../../templates/action-effects.ts';
import { cents } from '../../templates/amounts.ts';
import { refundEffects } from '../../templates/caller-actions.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isRefundable } from '../../templates/lateness.ts';
import { hasPendingPart, leftOf, PARTS_MAX, partsOf } from '../../templates/returns.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { atLeast, atMost } from '../checks/limit-facts.ts';
import { advanceTransaction, conflict, isDone, type Target } from '../engine/advance-for-caller.ts';
import { possibleActions } from '../engine/possible-actions.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';

/** @returns the cents of a payment that can be refunded to its payer now; 0 if none. */
export function refundableOf(
  { registry }: Pick<Context, 'registry'>,
  row: ProcessRow,
  nowMs: number,
): bigint {
  const { process } = row;
  if (process === null || !accepts(registry.of(row.template), row, 'payment_refunded')) return 0n;
  return isRefundable({ row, process, nowMs }) ? leftOf(row) : 0n;
}

/**
 * Refunds a finished PIX payment to its payer out of the balance, at the locked rate with the fee in proportion
 * (C-35).
 *
 * @param amount - BRL; the whole remainder of the payment by default.
 * @throws {GatewayError} `NOT_FOUND`; `INVALID_PARAMETER`; `STEP_CONFLICT` unless the payment is finished, younger
 *   than 90 days and, for the whole remainder, without a refund under way; `LIMIT_EXCEEDED` beyond the remainder, and
 *   for more than 90 parts; `INSUFFICIENT_BALANCE`; `FORBIDDEN`.
 */
export async function refundPayment(
  context: Context,
  target: Target,
  amount: Named | undefined,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'payment.refund');
  const checked = checks.amount(amount, BRL);
  checks.refuse();
  const row = await findOwnProcess(context, target.end2end, target.family);
  if (isDone(target.attempt)) return row;
  const left = refundableOf(context, row, await context.clock.nowMs());
  if (left === 0n) throw await conflict(context, row);
  refuseBeyond(row, checked, left);
  await refuseRestDuringPart(context, row, checked, left);
  await settleProtections(context);
  const trigger = { on: 'payment_refunded', ...(checked !== undefined && { amount: checked }) } as const;
  return advanceTransaction(context, target, row, trigger, 'payment.refund');
}

/** @throws {GatewayError} `LIMIT_EXCEEDED` for more than is left of the payment, and for a part beyond the most parts. */
function refuseBeyond(row: ProcessRow, amount: string | undefined, left: bigint): void {
  if (amount !== undefined && cents(amount) > left)
    throw overLimit(
      `${fromMinor(left, BRL.decimals)} BRL of the payment can still be refunded`,
      atMost('refundable', left, BRL),
    );
  if (amount !== undefined && cents(amount) < left && partsOf(row.process ?? {}) >= PARTS_MAX)
    throw overLimit(
      `a payment can be refunded in at most ${PARTS_MAX} parts; the whole rest can still be refunded`,
      { ...atMost('refund_parts', left, BRL), ...atLeast('refund_parts', left, BRL) },
    );
}

/** @throws {GatewayError} `STEP_CONFLICT` for the whole remainder while a part is under way. The machine refuses it, too, under the lock. */
async function refuseRestDuringPart(
  context: Context,
  row: ProcessRow,
  amount: string | undefined,
  left: bigint,
): Promise<void> {
  if (!hasPendingPart(row.process ?? {}) || (amount !== undefined && cents(amount) < left)) return;
  const [actions = []] = await possibleActions(context, [row]);
  throw new GatewayError(
    'STEP_CONFLICT',
    'a partial refund is under way: refund a smaller amount than the rest now, or the rest when it has ended',
    { facts: { actions: actions.map(({ name }) => name) } },
  );
}

/**
 * Computes the moves of `refundPayment` now; nothing is refunded.
 *
 * @param amount - BRL; the whole remainder of the payment if omitted.
 * @returns the effects, from the plan that the refund itself follows; null where the payment cannot be refunded, or not by
 * this amount.
 * @throws {GatewayError} `INVALID_PARAMETER`; `LIMIT_EXCEEDED` as `refundPayment`.
 */
export async function previewRefund(
  context: Context,
  row: ProcessRow,
  amount: Named | undefined,
  checks: CreationChecks,
): Promise<readonly ActionEffect[] | null> {
  const checked = checks.amount(amount, BRL);
  checks.refuse();
  const nowMs = await context.clock.nowMs();
  const left = refundableOf(context, row, nowMs);
  if (left === 0n) return null;
  refuseBeyond(row, checked, left);
  return refundEffects(context.registry.of(row.template), row, checked, nowMs) ?? null;
}

/**
 * Orders failed returns that are still owed to the payer again; each under a new return id.
 *
 * @param input - the reason, 1 to 200 characters, for the audit log.
 * @throws {GatewayError} `INVALID_PARAMETER`; `NOT_FOUND`; `STEP_CONFLICT` when there is no failed return that is still owed; `FORBIDDEN`.
 */
export async function retryRefund(
  context: Context,
  target: Target,
  input: Named,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'refund.retry');
  const reason = checks.reasonOf(input);
  const row = await findOwnProcess(context, target.end2end, target.family);
  return advanceTransaction(context, target, row, { on: 'refund_retried', reason }, 'refund.retry');
}

/**
 * Books that the operator paid a failed refund to the payer by hand.
 *
 * @param input - reference of that payment, such as its EndToEndId.
 * @throws {GatewayError} as `retryRefund`.
 */
export async function settleRefundManually(
  context: Context,
  target: Target,
  input: Named,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'refund.settle_by_hand');
  const reference = checks.reference(input);
  checks.refuse();
  const row = await findOwnProcess(context, target.end2end, target.family);
  const trigger = { on: 'refund_paid_by_hand', reference: known(reference, 'a reference') } as const;
  return advanceTransaction(context, target, row, trigger, 'refund.settle_by_hand');
}
