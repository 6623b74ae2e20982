/**
 * Approvers of money out of an account: a maker other than the requester and earlier approvers, not newer than its cooling
 * time (C-40).
 */
import { ACTIONS } from '../../base/access/actions.ts';
import { readOneMaker } from '../../store/account/api-keys.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { makerOf } from '../../templates/money-out.ts';
import type { Context } from '../services/context.ts';
import { approvesFrom } from './protections.ts';

/** Reason that a caller may not approve money out. */
export const APPROVAL_BARS = {
  scope: 'Your key lacks the scope `move`.',
  same_maker: 'Your key requested or approved it, or counts as one maker with a key that did (C-40).',
  newcomer: 'Your key, or you as a person, is newer to the account than its cooling time (C-40).',
} as const;
/** A member of APPROVAL_BARS. */
export type ApprovalBar = keyof typeof APPROVAL_BARS;

/** @returns a function that finds why the caller may not approve money out of a transaction of the account; null where it may. */
export async function approvalBars(
  context: Context,
  nowMs: number,
): Promise<(row: ProcessRow) => ApprovalBar | null> {
  const { database, caller } = context;
  if (!caller.scopes.includes(ACTIONS['money_out.approve'].scope)) return () => 'scope';
  const own = await readOneMaker(database, caller.accountId, caller.id);
  const isNew = nowMs < (await approvesFrom(context, database, nowMs));
  return (row) => {
    const makers = [makerOf(row), ...(row.process?.approval?.by ?? [])];
    if (makers.some((maker) => maker !== null && (maker === caller.id || own.includes(maker))))
      return 'same_maker';
    return isNew ? 'newcomer' : null;
  };
}
