/**
 * Actions that a caller can take on transactions now: those that the machines accept, and that the caller may
 * perform.
 */
import { ACTIONS } from '../../base/access/actions.ts';
import { PASSKEY_ACTIONS } from '../../base/access/passkey-actions.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { depositOf } from '../../templates/amounts.ts';
import { type CallerAction, callerActions } from '../../templates/caller-actions.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { type Context, needsPasskey } from '../services/context.ts';
import { NO_RAILS } from '../services/no-rails.ts';
import { type ApprovalBar, approvalBars } from '../settings/approvers.ts';

/** An action that the caller can take. */
export interface PossibleAction extends CallerAction {
  /** Whether the caller has to show a passkey first. */
  readonly needsPasskey: boolean;
}

/**
 * The balance, prices, limits of customers and the limits of money out are judged when the action is performed.
 *
 * @returns the actions of each transaction, in their order. Of another account than the caller's, those of the platform only.
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
    if (action.name === 'approve_money_out') {
      bars ??= approvalBars(context, nowMs);
      return (await bars)(row) === null;
    }
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
          needsPasskey: isUnproved && PASSKEY_ACTIONS.includes(action.permission),
        }));
    }),
  );
}

/** Actions that can send a deposit back on its network. */
const SENDING_BACK: readonly CallerAction['name'][] = ['refund_deposit', 'reject_hold'];

function isPermitted(
  { caller }: Context,
  row: ProcessRow,
  { permission: action, rules }: CallerAction,
): boolean {
  // An act of the platform names the account.
  const isWithin = row.accountId === caller.accountId || rules.account !== undefined;
  return isWithin && caller.scopes.includes(ACTIONS[action].scope);
}

/** @returns whether something would be left of the deposit of a transaction that goes back. */
export async function coversNetworkFee({ rails }: Pick<Context, 'rails'>, row: ProcessRow): Promise<boolean> {
  const { currency, amount } = depositOf(row);
  return amount > (await rails.chain.networkFee(currency));
}

/** Without a rail the network fee is unknown: no deposit can go back there. */
async function canGoBack(context: Context, row: ProcessRow): Promise<boolean> {
  try {
    return !row.process?.deposit || (await coversNetworkFee(context, row));
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
