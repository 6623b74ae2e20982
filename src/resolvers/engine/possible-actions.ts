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
  try {
    return !row.process?.deposit || (await coversNetworkFee(context, row));
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
