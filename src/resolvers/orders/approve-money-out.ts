/** Decides about money out that waits for people other than its maker (C-22, C-25, C-40). */
import type { ActionName } from '../../base/access/actions.ts';
import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { decidersOf } from '../../templates/money-out.ts';
import { advanceTransaction, type Target } from '../engine/advance-for-caller.ts';
import { depositWorthNow, worthNow } from '../pricing/price.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import { requireOtherMaker } from '../settings/second-person.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';

/**
 * Approves a withdrawal that needs a second approver.
 *
 * @throws {GatewayError} `FORBIDDEN` for the requester, for those who count as one maker with the requester or with an
 *   approver (C-40), for a caller who is newer to the account than its cooling time, and for one whose access has ended
 *   meanwhile; `ADDRESS_NOT_WHITELISTED` when its destination was removed from the whitelist meanwhile; `QUOTE_UNAVAILABLE`
 *   for crypto, whose present worth is also checked; `NOT_FOUND`, `STEP_CONFLICT`.
 */
export function approveWithdrawal(context: Context, target: Target): Promise<ProcessRow> {
  return approve(context, target, 'withdrawal.approve');
}

/**
 * Approves a payout, a refund, a redirected deposit or a withdrawal that waits.
 *
 * @param requestedAt - time of the approved request: a newer request of the transaction cannot slip in between the approver's
 * reading and the payment. Any request if omitted.
 * @throws as `approveWithdrawal`; `STEP_CONFLICT` when another request is waiting by now.
 */
export function approveMoneyOut(
  context: Context,
  target: Target,
  requestedAt?: Date | null,
): Promise<ProcessRow> {
  return approve(context, target, 'money_out.approve', requestedAt);
}

/** Refuses a withdrawal that needs a second approver. @throws as `approveWithdrawal`. */
export function rejectWithdrawal(context: Context, target: Target): Promise<ProcessRow> {
  return reject(context, target, 'withdrawal.reject');
}

/** Refuses money out that waits. @throws as `approveWithdrawal`. */
export function rejectMoneyOut(context: Context, target: Target): Promise<ProcessRow> {
  return reject(context, target, 'money_out.reject');
}

async function approve(
  context: Context,
  target: Target,
  action: ActionName,
  requestedAt?: Date | null,
): Promise<ProcessRow> {
  requirePermission(context, action);
  await settleProtections(context);
  const row = await findOwnProcess(context, target.end2end, target.family);
  const worth = await waitingWorthNow(context, row);
  const trigger = { on: 'approved', by: context.caller.id, ...(worth && { worth }) } as const;
  return advanceTransaction(context, target, row, trigger, action, {
    // Under the lock of the account, which creating a key also takes: no key can be created between the check and the step.
    atomically: async (tx, _approved, waiting) => {
      if (requestedAt && !isRequestOf(waiting, requestedAt)) throw anotherRequest();
      const nowMs = await context.clock.nowMs(tx);
      await requireOtherMaker(context, tx, { makers: decidersOf(waiting), nowMs, refused: ownApproval });
    },
  });
}

/** @returns the present worth in BRL of the waiting crypto; undefined for a PIX, whose amount is in BRL. */
async function waitingWorthNow(context: Context, row: ProcessRow): Promise<string | undefined> {
  const { approval, worth } = row.process ?? {};
  if (approval?.trigger?.on === 'refund_ordered') return depositWorthNow(context, row);
  if (!approval || approval.trigger || worth === undefined) return undefined;
  const { sourceCurrency, sourceAmount } = row;
  return worthNow(
    context,
    currencyOfLedger(known(sourceCurrency, 'a currency')),
    known(sourceAmount, 'an amount'),
  );
}

function isRequestOf({ process }: ProcessRow, requestedAt: Date): boolean {
  const { askedAt } = process?.approval ?? {};
  return askedAt !== undefined && Date.parse(askedAt) === requestedAt.getTime();
}

function anotherRequest(): GatewayError {
  return new GatewayError(
    'STEP_CONFLICT',
    'another request of this transaction waits now than the one made at `requestedAt`: see `approvals`',
  );
}

function ownApproval(): GatewayError {
  return new GatewayError(
    'FORBIDDEN',
    'money out must be approved with a different key than the one that asked for it, and than each that has approved it; none may have made or invited another',
  );
}

async function reject(context: Context, target: Target, action: ActionName): Promise<ProcessRow> {
  requirePermission(context, action);
  const row = await findOwnProcess(context, target.end2end, target.family);
  return advanceTransaction(context, target, row, { on: 'rejected' }, action);
}
