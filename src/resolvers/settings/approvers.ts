/**
 * Approvers of money out of an account, and second people of the platform: a maker other than the requester and earlier
 * approvers, not newer than the cooling time (C-25, C-40).
 */
import { ACTIONS } from '../../base/access/actions.ts';
import type { Scope } from '../../base/access/api-key.ts';
import { readManyTogether, readShared } from '../../base/concurrency/read-together.ts';
import { readOneMaker } from '../../store/account/api-keys.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { decidersOf } from '../../templates/money-out.ts';
import type { Context } from '../services/context.ts';
import { isNewcomer } from './protections.ts';
import { endedOnPlatform, onPlatform } from './second-person.ts';

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
  if (!context.caller.scopes.includes(ACTIONS['money_out.approve'].scope)) return () => 'scope';
  const barOf = await barsAfter(context, nowMs);
  return (row) => barOf(decidersOf(row));
}

/**
 * @param first - the first of two people of the platform, by the id of key or person; null if nobody has decided yet.
 * @param scope - scope that both need.
 * @returns the reason for which `isSecondDecision` refuses the caller; null where it does not.
 */
export async function secondPersonBar(
  context: Context,
  first: string | null,
  scope: Scope,
): Promise<ApprovalBar | null> {
  if (first === null || (await hasEndedOfPage(context, first, scope))) return null;
  const { database, caller, clock, mode } = context;
  const barOf = await readShared(database, ['second person', mode, caller.id], async () =>
    barsAfter(await onPlatform(context, database), await clock.nowMs()),
  );
  return barOf([first]);
}

type ReadEnded = (id: string) => Promise<boolean>;
const endedReads = new WeakMap<object, Map<string, ReadEnded>>();

/** Variant of `hasEnded` that looks up the first people of a whole page by one statement. */
function hasEndedOfPage({ mode, database }: Context, id: string, scope: Scope): Promise<boolean> {
  const reads = endedReads.get(database) ?? new Map<string, ReadEnded>();
  endedReads.set(database, reads);
  const key = `${mode} ${scope}`;
  const read =
    reads.get(key) ??
    readManyTogether(async (ids: readonly string[]) => {
      const ended = await endedOnPlatform({ mode }, database, [...new Set(ids)], scope);
      return ids.map((each) => ended.has(each));
    });
  reads.set(key, read);
  return read(id);
}

/** @returns a function that finds why the caller may not approve after these people. */
async function barsAfter(
  context: Context,
  nowMs: number,
): Promise<(makers: readonly string[]) => ApprovalBar | null> {
  const { database, caller } = context;
  const own = await readOneMaker(database, caller.accountId, caller.id);
  const isNew = await isNewcomer(context, nowMs);
  return (makers) => {
    if (makers.some((maker) => maker === caller.id || own.includes(maker))) return 'same_maker';
    return isNew ? 'newcomer' : null;
  };
}
