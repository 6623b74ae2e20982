/**
 * Actions that a caller can take on transactions now: those that the machines accept, and that the caller may
 * perform.
 */
import { ACTIONS } from '../../base/access/actions.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { depositOf } from '../../templates/amounts.ts';
import { type CallerAction, callerActions } from '../../templates/caller-actions.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isOfFrozenCustomer } from '../cases/perform-case-action.ts';
import { priceDeposit } from '../pricing/price.ts';
import { type Context, isBoundToPasskey, needsPasskey } from '../services/context.ts';
import { NO_RAILS } from '../services/no-rails.ts';
import { type ApprovalBar, approvalBars, secondPersonBar } from '../settings/approvers.ts';

/** An action that the caller can take. */
export interface PossibleAction extends Omit<CallerAction, 'effects'> {
  /** Calculates the amounts that it moves, at the price of now where it makes a new one. */
  readonly effects: () => Promise<CallerAction['effects']>;
  /** Whether the caller has to present a passkey first. */
  readonly needsPasskey: boolean;
}

/**
 * Balance, prices, limits of customers and limits of money out are checked when the action is performed.
 *
 * @returns the actions of each transaction, in their order. Actions on another account than the caller's: those of the
 * platform only.
 */
export async function possibleActions(
  context: Context,
  rows: readonly ProcessRow[],
): Promise<readonly (readonly PossibleAction[])[]> {
  if (context.rails === NO_RAILS) return rows.map(() => []);
  const nowMs = await context.clock.nowMs();
  const isUnproved = needsPasskey(context);
  let bars: Promise<(row: ProcessRow) => ApprovalBar | null> | undefined;
  const isAccepted = async (row: ProcessRow, action: CallerAction): Promise<boolean> => {
    if (!isPermitted(context, row, action)) return false;
    if (isBarredByFreeze(context, action) && (await isOfFrozenCustomer(context.database, row))) return false;
    if (action.name === 'approve_money_out') {
      bars ??= approvalBars(context, nowMs);
      return (await bars)(row) === null;
    }
    if (action.name === 'release_hold')
      return (
        (await secondPersonBar(context, row.process?.release?.by ?? null, ACTIONS['hold.release'].scope)) ===
        null
      );
    return !SENDING_BACK.includes(action.name) || canGoBack(context, row);
  };
  return Promise.all(
    rows.map(async (row) => {
      const actions = callerActions(context.registry.of(row.template), row, nowMs);
      const accepted = await Promise.all(actions.map((action) => isAccepted(row, action)));
      return actions
        .filter((_action, index) => accepted[index])
        .map((action) => ({
          ...action,
          effects: () => pricedEffects(context, row, action),
          needsPasskey: isUnproved && isBoundToPasskey(context, action.permission),
        }));
    }),
  );
}

/** Amounts of an action that makes a new price, at the price of now; without a price they stay open. */
async function pricedEffects(
  context: Context,
  row: ProcessRow,
  { name, effects }: CallerAction,
): Promise<CallerAction['effects']> {
  if (name !== 'requote_deposit') return effects;
  const { quote, targetAmount } = (await orNull(priceDeposit(context, row)))?.facts ?? {};
  if (!quote || !targetAmount) return effects;
  return effects.map((each) => (each.amount === null ? { ...each, amount: targetAmount, quote } : each));
}

/** Actions that are refused for the transaction of a frozen customer. */
const BARRED_BY_FREEZE: readonly CallerAction['name'][] = [
  'release_hold',
  'reject_hold',
  'keep_deposit',
  'requote_deposit',
];
/** Actions that decide a case of the customer as well, where customers have cases; a frozen one is not decided. */
const DECIDING_CASES: readonly CallerAction['name'][] = ['approve_step_up', 'deny_step_up'];

function isBarredByFreeze({ rails }: Pick<Context, 'rails'>, { name }: CallerAction): boolean {
  return (
    BARRED_BY_FREEZE.includes(name) || (rails.identity.cases !== undefined && DECIDING_CASES.includes(name))
  );
}

/** Actions that can send a deposit back on its network. */
const SENDING_BACK: readonly CallerAction['name'][] = ['refund_deposit', 'reject_hold'];

function isPermitted(
  { caller }: Context,
  row: ProcessRow,
  { permission: action, rules }: CallerAction,
): boolean {
  // Actions of the platform name the account.
  const isWithin = row.accountId === caller.accountId || rules.account !== undefined;
  return isWithin && caller.scopes.includes(ACTIONS[action].scope);
}

/** @returns whether anything would be left of a deposit that is sent back, after the fee. */
export async function coversNetworkFee({ rails }: Pick<Context, 'rails'>, row: ProcessRow): Promise<boolean> {
  const { currency, amount } = depositOf(row);
  return amount > (await rails.chain.networkFee(currency));
}

/** Without a rail the network fee is unknown, so no deposit can be sent back. */
async function canGoBack(context: Context, row: ProcessRow): Promise<boolean> {
  return !row.process?.deposit || (await orNull(coversNetworkFee(context, row))) === true;
}

/** @returns null where the gateway refuses to answer. */
async function orNull<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}
