/** Decisions of people about the subject of a case, from the audit log. */
import { platformAccount } from '../../store/account/accounts.ts';
import { type LoggedEntry, readAudit } from '../../store/account/audit-log.ts';
import type { Context } from '../services/context.ts';
import { REVIEW_KINDS, type ReviewKind } from './queue-sources.ts';
import { isOfPlatform } from './read-queue.ts';

/** Maximum number of decisions that are shown: the newest. */
export const DECISIONS_MAX = 20;

/** @returns decisions of people about the subject, newest first; none without `admin` or a scope of the platform. */
export async function decisionsAbout(
  context: Context,
  {
    kind,
    accountId,
    reference,
  }: {
    readonly kind: ReviewKind;
    readonly accountId: bigint | null;
    readonly reference: string;
  },
): Promise<readonly LoggedEntry[]> {
  const { decisions: actions } = REVIEW_KINDS[kind];
  if (actions.length === 0 || !(isOfPlatform(context) || context.caller.scopes.includes('admin'))) return [];
  const { database, mode } = context;
  const filter = { acts: actions, actorId: null, objectId: reference, since: null, until: null };
  const slice = { before: null, after: null, isNewestFirst: true, limit: DECISIONS_MAX };
  return readAudit(database, accountId ?? (await platformAccount(database, mode)), filter, slice);
}
