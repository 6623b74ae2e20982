/** What an account holder does to a transaction that exists: each is a trigger, told to the machine. */
import type { ActName } from '../../base/acts.ts';
import { known } from '../../base/assert.ts';
import { BRL } from '../../base/currency.ts';
import { GatewayError, invalidParameters } from '../../base/errors.ts';
import { fromMinor } from '../../base/money.ts';
import type { Named } from '../../base/violations.ts';
import { haveOneMaker } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/database.ts';
import { accepts, hasPayer } from '../../templates/accepts.ts';
import { depositOf } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { TriggerName } from '../../templates/triggers.ts';
import { approvesFrom } from '../account/protections.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { advanceTransaction, conflict, isDone, type Target } from '../engine/advance-for-caller.ts';
import { price } from '../pricing/price.ts';
import { type Context, requireAct, requireFresh } from '../services/context.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';
import { refuseRemoved } from './create-withdrawal.ts';

/**
 * Cancels a transaction that nothing was paid on; a withdrawal before it is sent.
 *
 * @throws {GatewayError} `NOT_FOUND`, `STEP_CONFLICT`, `FORBIDDEN`.
 */
export async function cancelTransaction(context: Context, target: Target): Promise<ProcessRow> {
  const row = await findTarget(context, target);
  const act = cancelAct(context, row);
  requireAct(context, act);
  return advanceTransaction(context, target, row, { on: 'cancelled' }, act);
}

/** Accepts the quote of a transaction that was made without that. @throws as `cancelTransaction`; `STEP_UP_REQUIRED` out of the balance. */
export async function acceptQuote(context: Context, target: Target): Promise<ProcessRow> {
  requireAct(context, 'transaction.accept_quote');
  const row = await findTarget(context, target);
  if (isDone(target.attempt)) return row;
  requireFreshOutOfBalance(context, row);
  return advanceTransaction(context, target, row, { on: 'accepted' }, 'transaction.accept_quote');
}

/** Who a customer or payee is, and where a payee is paid; each under the caller's own name for it. */
export interface IdentityInput {
  readonly clientName: Named | undefined;
  readonly clientTaxId: Named | undefined;
  readonly pixKey?: Named | undefined;
  readonly pixKeyType?: Named | undefined;
}

/**
 * Names the customer or payee of a transaction that waits for that; one who is over the limit of the day ends it.
 *
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `cancelTransaction`; `STEP_UP_REQUIRED` out of the balance.
 */
export async function provideIdentity(
  context: Context,
  target: Target,
  input: IdentityInput,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requireAct(context, 'transaction.provide_identity');
  const clientName = checks.personName(checks.required(input.clientName, 'clientName'));
  const clientTaxId = checks.taxId(checks.required(input.clientTaxId, 'clientTaxId'));
  const payout = checks.pixKey(input.pixKey, input.pixKeyType);
  if (input.pixKey && !input.pixKeyType)
    checks.add({ parameter: 'pixKeyType', message: 'is required with pixKey' });
  if (input.pixKeyType && !input.pixKey)
    checks.add({ parameter: 'pixKey', message: 'is required with pixKeyType' });
  checks.refuse();
  const row = await findTarget(context, target);
  if (isDone(target.attempt)) return row;
  requireFreshOutOfBalance(context, row);
  refuseUntaken(context, row, 'identity_given');
  const identity = { clientName: known(clientName, 'a name'), clientTaxId: known(clientTaxId, 'a tax id') };
  const isPayout = row.targetCurrency === BRL.code;
  if (isPayout && !payout)
    throw invalidParameters([{ parameter: 'pixKey', message: 'is required, with pixKeyType' }]);
  const amount = isPayout ? row.targetAmount : row.sourceAmount;
  if (amount === null) throw conflict(row);
  const given = { on: 'identity_given', ...identity, ...(payout && { payout }) } as const;
  return advanceTransaction(context, target, row, given, 'transaction.provide_identity');
}

/** Confirms the identity that was given. @throws as `cancelTransaction`. */
export async function confirmIdentity(context: Context, target: Target): Promise<ProcessRow> {
  requireAct(context, 'transaction.confirm_identity');
  const row = await findTarget(context, target);
  return advanceTransaction(
    context,
    target,
    row,
    { on: 'identity_confirmed' },
    'transaction.confirm_identity',
  );
}

/** What to do with a deposit that is held: keep it, send it back, or convert it at a new price. */
export type Resolution = 'keep' | 'refund' | 'requote';

/**
 * Resolves a deposit that is held because it was wrong, late, or could not be paid out.
 *
 * @param address - where it goes back to; by default where it came from.
 * @throws {GatewayError} `INVALID_PARAMETER`, `LIMIT_EXCEEDED`, `QUOTE_UNAVAILABLE`, and as `cancelTransaction`;
 *   `STEP_UP_REQUIRED` with an address.
 */
export async function resolveDeposit(
  context: Context,
  target: Target,
  resolution: Resolution,
  address: Named | undefined,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requireAct(context, 'deposit.resolve');
  // Back where it came from it may go; anywhere else it leaves as a withdrawal does.
  if (address) requireFresh(context);
  const row = await findTarget(context, target);
  switch (resolution) {
    case 'keep':
      return advanceTransaction(context, target, row, { on: 'kept' }, 'deposit.resolve');
    case 'refund':
      return refund(context, target, row, address, checks);
    case 'requote':
      return requote(context, target, row);
  }
}

/**
 * Approves a withdrawal that needs a second approver.
 *
 * @throws {GatewayError} `FORBIDDEN` for whoever asked for it, for those that count as one maker with them (C-40), and for
 *   whoever is newer to the account than its cooling time;
 *   `ADDRESS_NOT_WHITELISTED` when its destination was taken out of the group meanwhile.
 */
export async function approveWithdrawal(context: Context, target: Target): Promise<ProcessRow> {
  requireAct(context, 'withdrawal.approve');
  const row = await findTarget(context, target);
  const maker = row.process?.createdBy;
  const nowMs = await context.clock.nowMs();
  return advanceTransaction(context, target, row, { on: 'approved' }, 'withdrawal.approve', {
    maker,
    atomically: async (tx, approved) => {
      // Under the lock of the account, which whoever makes a key has, too: no key comes between the judgement and the step.
      if (maker && (await haveOneMaker(tx, row.accountId, maker, context.caller.id))) throw ownApproval();
      await refuseNewcomer(context, tx, nowMs);
      await refuseRemoved(tx, approved);
    },
  });
}

function ownApproval(): GatewayError {
  return new GatewayError(
    'FORBIDDEN',
    'a withdrawal must be approved with a different key than the one that created it, and neither may have made the other',
  );
}

async function refuseNewcomer(context: Context, tx: Tx, nowMs: number): Promise<void> {
  const fromMs = await approvesFrom(context, tx, nowMs);
  if (nowMs < fromMs)
    throw new GatewayError(
      'FORBIDDEN',
      `a key or person that is new to the account can approve after its cooling time: from ${new Date(fromMs).toISOString()}`,
    );
}

/** Refuses a withdrawal that needs a second approver. @throws as `cancelTransaction`. */
export async function rejectWithdrawal(context: Context, target: Target): Promise<ProcessRow> {
  requireAct(context, 'withdrawal.reject');
  const row = await findTarget(context, target);
  return advanceTransaction(context, target, row, { on: 'rejected' }, 'withdrawal.reject', {
    maker: row.process?.createdBy,
  });
}

/**
 * Lets a transaction go that screening held, or turns it down.
 *
 * @throws {GatewayError} as `cancelTransaction`; `LIMIT_EXCEEDED` for a deposit that cannot go back, because it does not cover the
 *   network fee.
 */
export async function decideHold(context: Context, target: Target, isReleased: boolean): Promise<ProcessRow> {
  const act = isReleased ? 'hold.release' : 'hold.reject';
  requireAct(context, act);
  const row = await findTarget(context, target);
  const on = isReleased ? 'released' : 'hold_rejected';
  if (!isDone(target.attempt) && !isReleased && row.process?.deposit) {
    refuseUntaken(context, row, on);
    await refuseWorthless(context, row);
  }
  return advanceTransaction(context, target, row, { on }, act);
}

async function refund(
  context: Context,
  target: Target,
  row: ProcessRow,
  address: Named | undefined,
  checks: CreationChecks,
): Promise<ProcessRow> {
  if (isDone(target.attempt)) return row;
  refuseUntaken(context, row, 'refund_ordered');
  const given = checks.wallet(address, depositOf(row).currency);
  checks.refuse();
  await refuseWorthless(context, row);
  return advanceTransaction(
    context,
    target,
    row,
    {
      on: 'refund_ordered',
      address: given ?? known(row.depositFrom, 'where it came from'),
    },
    'deposit.resolve',
  );
}

/** @throws {GatewayError} `LIMIT_EXCEEDED` where nothing would be left of a deposit that goes back. */
async function refuseWorthless({ rails }: Context, row: ProcessRow): Promise<void> {
  const { currency, amount } = depositOf(row);
  if (amount <= (await rails.chain.networkFee(currency)))
    throw new GatewayError('LIMIT_EXCEEDED', 'the deposit does not cover the network fee');
}

async function requote(context: Context, target: Target, row: ProcessRow): Promise<ProcessRow> {
  if (isDone(target.attempt)) return row;
  refuseUntaken(context, row, 'requoted');
  const { currency, amount } = depositOf(row);
  const { facts } = await price(context, {
    accountId: row.accountId,
    template: context.registry.of(row.template),
    direction: 'out',
    currency,
    wanted: { crypto: fromMinor(amount, currency.decimals) },
  });
  return advanceTransaction(context, target, row, { on: 'requoted', price: facts }, 'deposit.resolve');
}

/**
 * Refuses what the step does not take, before anything of the transaction is looked at that only later steps know. The
 * machine judges again under the lock.
 *
 * @throws {GatewayError} `STEP_CONFLICT`.
 */
function refuseUntaken({ registry }: Context, row: ProcessRow, on: TriggerName): void {
  if (!accepts(registry.of(row.template), row, on)) throw conflict(row);
}

/** What nobody pays goes out of the balance as soon as nothing is missing: then whoever gives the last of it lets money out. */
function requireFreshOutOfBalance(context: Context, row: ProcessRow): void {
  if (!hasPayer(context.registry.of(row.template))) requireFresh(context);
}

function findTarget(context: Context, { end2end, family }: Target): Promise<ProcessRow> {
  return findOwnProcess(context, end2end, family);
}

function cancelAct({ registry }: Context, row: ProcessRow): ActName {
  return FAMILY_TRAITS[registry.of(row.template).family].acts.cancel;
}
