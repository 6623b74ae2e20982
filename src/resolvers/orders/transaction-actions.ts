/** Actions of an account holder on an existing transaction: each is a trigger of its machine. */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { known } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accepts } from '../../templates/accepts.ts';
import { depositOf } from '../../templates/amounts.ts';
import { type CallerActionName, permissionOf } from '../../templates/caller-actions.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { TriggerName } from '../../templates/triggers.ts';
import { passesByCase } from '../cases/outcome-of-case.ts';
import { decideCaseOfStepUp, frozenCaseOf, refuseFrozen } from '../cases/perform-case-action.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { advanceTransaction, conflict, isDone, type Target } from '../engine/advance-for-caller.ts';
import { coversNetworkFee } from '../engine/possible-actions.ts';
import { depositWorthNow, priceDeposit } from '../pricing/price.ts';
import { type Context, requireFresh, requirePermission, requireRails } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import { hasEnded, isSecondDecision } from '../settings/second-person.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';

/**
 * Cancels a transaction that nothing was paid for; a withdrawal before it is sent.
 *
 * @throws {GatewayError} `NOT_FOUND`, `STEP_CONFLICT`, `FORBIDDEN`.
 */
export async function cancelTransaction(context: Context, target: Target): Promise<ProcessRow> {
  const row = await findTarget(context, target);
  const permission = permissionOf('cancel', context.registry.of(row.template), row);
  requirePermission(context, permission);
  return advanceTransaction(context, target, row, { on: 'cancelled' }, permission);
}

/** Accepts the quote of a transaction that was made without that. @throws as `cancelTransaction`; `STEP_UP_REQUIRED` out of the balance. */
export async function acceptQuote(context: Context, target: Target): Promise<ProcessRow> {
  requireRails(context);
  const row = await findTarget(context, target);
  const permission = await permissionOutOfBalance(context, row, 'accept_quote');
  return advanceTransaction(context, target, row, { on: 'accepted' }, permission);
}

/** Identity of a customer or payee, and a payee's PIX key; each value carries the caller's own name for it. */
export interface IdentityInput {
  readonly clientName: Named | undefined;
  readonly clientTaxId: Named | undefined;
  readonly pixKey?: Named | undefined;
  readonly pixKeyType?: Named | undefined;
}

/**
 * Names the customer or payee of a transaction that waits for that; a customer above the limit of the day ends it.
 *
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `cancelTransaction`; `STEP_UP_REQUIRED` out of the balance.
 */
export async function provideIdentity(
  context: Context,
  target: Target,
  input: IdentityInput,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requireRails(context);
  const clientName = checks.personName(checks.required(input.clientName, 'clientName'));
  const clientTaxId = checks.taxId(checks.required(input.clientTaxId, 'clientTaxId'));
  const payout = checks.pixKey(input.pixKey, input.pixKeyType);
  if (input.pixKey && !input.pixKeyType)
    checks.add({ parameter: 'pixKeyType', message: 'is required with pixKey' });
  if (input.pixKeyType && !input.pixKey)
    checks.add({ parameter: 'pixKey', message: 'is required with pixKeyType' });
  checks.refuse();
  const row = await findTarget(context, target);
  const permission = await permissionOutOfBalance(context, row, 'provide_identity');
  if (isDone(target.attempt)) return row;
  await refuseUntaken(context, row, 'identity_given');
  const identity = { clientName: known(clientName, 'a name'), clientTaxId: known(clientTaxId, 'a tax id') };
  const isPayout = row.targetCurrency === BRL.code;
  if (isPayout && !payout)
    throw invalidParameters([{ parameter: 'pixKey', message: 'is required, with pixKeyType' }]);
  const amount = isPayout ? row.targetAmount : row.sourceAmount;
  if (amount === null) throw await conflict(context, row);
  const trigger = { on: 'identity_given', ...identity, ...(payout && { payout }) } as const;
  return advanceTransaction(context, target, row, trigger, permission);
}

/** Confirms the identity that the customer entered. @throws as `cancelTransaction`. */
export async function confirmIdentity(context: Context, target: Target): Promise<ProcessRow> {
  requirePermission(context, 'transaction.confirm_identity');
  const row = await findTarget(context, target);
  return advanceTransaction(
    context,
    target,
    row,
    { on: 'identity_confirmed' },
    'transaction.confirm_identity',
  );
}

/** Resolution of a held deposit: keep it, send it back, or convert it at a new price. */
export type Resolution = 'keep' | 'refund' | 'requote';

/**
 * Resolves a deposit that is held because its amount was wrong, it was late, or it could not be paid out.
 *
 * @param address - return address; by default the sending one.
 * @throws {GatewayError} `INVALID_PARAMETER`, `LIMIT_EXCEEDED`, `QUOTE_UNAVAILABLE`, and as `cancelTransaction`;
 *   `STEP_UP_REQUIRED` with an address; `STEP_CONFLICT` for the deposit of a frozen customer, unless it is sent back, which waits.
 */
export async function resolveDeposit(
  context: Context,
  target: Target,
  resolution: Resolution,
  address: Named | undefined,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'deposit.resolve');
  // A deposit may go back to its sender freely; to any other address it leaves as a withdrawal does.
  if (address) {
    requireFresh(context);
    await settleProtections(context);
  }
  const row = await findTarget(context, target);
  switch (resolution) {
    case 'keep':
      return advanceTransaction(context, target, row, { on: 'kept' }, 'deposit.resolve', {
        atomically: refuseDepositOfFrozen,
      });
    case 'refund':
      return refund(context, target, row, address, checks);
    case 'requote':
      return requote(context, target, row);
  }
}

/**
 * Rejects a transaction that screening holds. Frozen money is not returned.
 *
 * @param input - the reason, 1 to 200 characters, for the audit log.
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `cancelTransaction`; `STEP_CONFLICT` when it is frozen; `LIMIT_EXCEEDED` for a deposit
 *   that does not cover the network fee.
 */
export async function rejectHold(
  context: Context,
  target: Target,
  input: Named,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'hold.reject');
  const reason = checks.reasonOf(input);
  const row = await findTarget(context, target);
  if (!isDone(target.attempt) && row.process?.deposit) {
    await refuseUntaken(context, row, 'hold_rejected');
    await refuseWorthless(context, row);
  }
  return advanceTransaction(context, target, row, { on: 'hold_rejected', reason }, 'hold.reject', {
    atomically: (tx, { accountId, clientTaxId }) => refuseFrozen(tx, accountId, clientTaxId),
  });
}

/**
 * Releases a transaction that screening holds. The first release of a frozen transaction is only stored; a second person, who
 * does not count as one maker with the first, releases it. Once the access of the first person has ended, the next release is
 * the first.
 *
 * @param input - the reason, 1 to 200 characters, for the audit log.
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `cancelTransaction`; `FORBIDDEN` for the first person again;
 * `STEP_CONFLICT` for a frozen customer, and where the access of the first person changed meanwhile.
 */
export async function releaseHold(
  context: Context,
  target: Target,
  input: Named,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, 'hold.release');
  const reason = checks.reasonOf(input);
  const row = await findTarget(context, target);
  const by = context.caller.id;
  const first = row.process?.release?.by;
  const { scope } = ACTIONS['hold.release'];
  const isOver = first !== undefined && (await hasEnded(context, context.database, first, scope));
  const trigger = { on: 'released', by, reason, ...(isOver && { replaces: first }) } as const;
  const subject = 'the release of frozen money';
  return advanceTransaction(context, target, row, trigger, 'hold.release', {
    // Under the lock of the account: the stored release is the one that is completed or replaced.
    atomically: async (tx, { accountId, clientTaxId }, before) => {
      await refuseFrozen(tx, accountId, clientTaxId);
      const stored = before.process?.release?.by;
      const nowMs = await context.clock.nowMs(tx);
      const isSecond = await isSecondDecision(context, tx, { first: stored, scope, nowMs, subject });
      if (stored !== undefined && isSecond === (stored === trigger.replaces)) throw anotherFirst();
    },
  });
}

function anotherFirst(): GatewayError {
  return new GatewayError(
    'STEP_CONFLICT',
    'the access of the person who released it first changed meanwhile: nothing was changed',
  );
}

/**
 * Decides the extra verification of a customer or payee.
 *
 * @param input - the reason, 1 to 200 characters, for the audit log.
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `cancelTransaction`.
 */
export async function decideStepUp(
  context: Context,
  target: Target,
  isApproved: boolean,
  input: Named,
  checks: CreationChecks,
): Promise<ProcessRow> {
  const permission = isApproved ? 'step_up.approve' : 'step_up.deny';
  requirePermission(context, permission);
  const reason = checks.reasonOf(input);
  const row = await findTarget(context, target);
  const on = isApproved ? 'step_up_approved' : 'step_up_denied';
  return advanceTransaction(context, target, row, { on, reason }, permission, {
    atomically: async (tx, { clientTaxId }) => {
      if (clientTaxId !== null)
        await decideCaseOfStepUp(context, tx, { taxId: clientTaxId, isApproved, reason });
    },
  });
}

async function refund(
  context: Context,
  target: Target,
  row: ProcessRow,
  address: Named | undefined,
  checks: CreationChecks,
): Promise<ProcessRow> {
  if (isDone(target.attempt)) return row;
  await refuseUntaken(context, row, 'refund_ordered');
  const { currency } = depositOf(row);
  const from = known(row.depositFrom, 'the sender of the deposit');
  const to = checks.wallet(address, currency) ?? from;
  checks.refuse();
  await refuseWorthless(context, row);
  const isElsewhere = to !== from;
  const worth = isElsewhere && (await depositWorthNow(context, row));
  const ordered = { on: 'refund_ordered', address: to, ...(worth && { worth }) } as const;
  return advanceTransaction(context, target, row, ordered, 'deposit.resolve');
}

/** @throws {GatewayError} `LIMIT_EXCEEDED` when nothing would be left of a returned deposit. */
async function refuseWorthless(context: Context, row: ProcessRow): Promise<void> {
  if (!(await coversNetworkFee(context, row)))
    throw overLimit('the deposit does not cover the network fee', { kind: 'network_fee' });
}

async function requote(context: Context, target: Target, row: ProcessRow): Promise<ProcessRow> {
  if (isDone(target.attempt)) return row;
  await refuseUntaken(context, row, 'requoted');
  const { facts } = await priceDeposit(context, row);
  const requoted = { on: 'requoted', price: facts } as const;
  return advanceTransaction(context, target, row, requoted, 'deposit.resolve', {
    // The payee was checked for the amount that was ordered, when it was ordered.
    atomically: async (tx, moved) => {
      await refuseDepositOfFrozen(tx, moved);
      if (!(await passesByCase(context, tx, moved))) throw unverified();
    },
  });
}

/** @throws {GatewayError} `STEP_CONFLICT`, in words that do not tell the caller that the customer is frozen. */
async function refuseDepositOfFrozen(tx: Tx, { accountId, clientTaxId }: ProcessRow): Promise<void> {
  if (await frozenCaseOf(tx, accountId, clientTaxId))
    throw new GatewayError('STEP_CONFLICT', 'the deposit is being checked: nothing was changed');
}

function unverified(): GatewayError {
  return overLimit('this amount needs a verified payee: the deposit can be kept or sent back', {
    kind: 'verification',
  });
}

/**
 * Refuses a trigger that the step does not accept, before reading facts that only later steps have. The machine checks again
 * under the lock.
 *
 * @throws {GatewayError} `STEP_CONFLICT`.
 */
async function refuseUntaken(context: Context, row: ProcessRow, on: TriggerName): Promise<void> {
  if (!accepts(context.registry.of(row.template), row, on)) throw await conflict(context, row);
}

/**
 * A transaction without a payer draws on the balance as soon as its facts are complete: the caller who completes them moves
 * money out.
 *
 * @returns the action, which the caller is allowed to perform.
 */
async function permissionOutOfBalance(
  context: Context,
  row: ProcessRow,
  action: CallerActionName,
): Promise<ActionName> {
  const permission = permissionOf(action, context.registry.of(row.template), row);
  requirePermission(context, permission);
  if (permission === 'balance.pay_out') await settleProtections(context);
  return permission;
}

function findTarget(context: Context, { end2end, family }: Target): Promise<ProcessRow> {
  return findOwnProcess(context, end2end, family);
}
