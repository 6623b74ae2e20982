/**
 * Decisions that need two people, in one rule for all of them (C-25, C-40): neither counts as one maker with the other, the
 * second is not new to the account, and the access of both lasts when the second decides.
 */
import type { Scope } from '../../base/access/api-key.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import { haveOneMaker } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/connection/database.ts';
import { endedDeciders } from '../checks/access.ts';
import { type Context, onAccount } from '../services/context.ts';
import { approvesFrom } from './protections.ts';

/** A decision of the caller for the platform, which may be the second of two. */
export interface SecondDecision {
  /** Key or person of the first decision; null if there is none. */
  readonly first: string | null | undefined;
  /** Scope that both need. */
  readonly scope: Scope;
  readonly nowMs: number;
  /** The approved action, with its article. */
  readonly subject: string;
}

/**
 * Whatever account the decision is about, both deciders belong to the account of the platform, which the caller has locked.
 *
 * @returns whether the caller's decision is the second one. False where it is the first: there is none before, or the access
 *   of its author has ended.
 * @throws {GatewayError} `FORBIDDEN` as `requireOtherMaker`.
 */
export async function isSecondDecision(
  context: Context,
  tx: Tx,
  { first, scope, nowMs, subject }: SecondDecision,
): Promise<boolean> {
  if (first == null || (await hasEnded(context, tx, first, scope))) return false;
  const own = await onPlatform(context, tx);
  const refused = () =>
    new GatewayError(
      'FORBIDDEN',
      `${subject} must be approved by somebody other than its proposer, and neither may have created the other’s key`,
    );
  await requireOtherMaker(own, tx, { makers: [first], nowMs, refused });
  return true;
}

/** @returns the context on the account of the platform, to which both deciders belong, also where it is on another account. */
export async function onPlatform(context: Context, tx: Tx): Promise<Context> {
  return onAccount(context, await platformAccount(tx, context.mode));
}

/** @returns whether the access of a key or person of the platform, with this scope, has ended. */
export async function hasEnded(
  context: Pick<Context, 'mode'>,
  tx: Tx,
  id: string,
  scope: Scope,
): Promise<boolean> {
  return (await endedOnPlatform(context, tx, [id], scope)).has(id);
}

/** @returns the keys and people of the platform, of these, whose access with this scope has ended. */
export async function endedOnPlatform(
  { mode }: Pick<Context, 'mode'>,
  tx: Tx,
  ids: readonly string[],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const accountId = await platformAccount(tx, mode);
  const deciders = ids.map((id) => ({ accountId, id }));
  const isEnded = await endedDeciders(tx, deciders, scope);
  return new Set(deciders.filter(isEnded).map(({ id }) => id));
}

/**
 * Checks under the lock of the caller's account, under which its keys and people are changed.
 *
 * @param makers - of the request and of its approvals.
 * @param refused - error for one of the makers, and for those who count as one maker with any of them.
 * @throws {GatewayError} `FORBIDDEN`, also for a key or person that is newer to the account than its cooling time. The access of the
 *   caller is judged where the action is recorded (checks/audited.ts, engine/advance-for-caller.ts).
 */
export async function requireOtherMaker(
  context: Context,
  tx: Tx,
  {
    makers,
    nowMs,
    refused,
  }: {
    readonly makers: readonly string[];
    readonly nowMs: number;
    readonly refused: () => GatewayError;
  },
): Promise<void> {
  const { accountId, id } = context.caller;
  for (const maker of makers) if (await haveOneMaker(tx, accountId, maker, id)) throw refused();
  const fromMs = await approvesFrom(context, tx, nowMs);
  if (nowMs < fromMs)
    throw new GatewayError(
      'FORBIDDEN',
      `a key or person that is new to the account can approve after its cooling time: from ${new Date(fromMs).toISOString()}`,
    );
}
