/** People divide the cases of the queue among themselves, and write notes about them. */
import { known } from '../../base/errors/assert.ts';
import type { Named } from '../../base/errors/violations.ts';
import { instantOf } from '../../base/time/instant.ts';
import {
  findNote,
  type ReviewNote,
  readNotes,
  removeAssignment,
  storeAssignment,
  storeNote,
} from '../../store/account/review.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import type { Attempt } from '../checks/once.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { findReviewCase, type ReviewCase } from './read-queue.ts';
import { findSubject } from './read-subject.ts';

/** Maximum number of characters of a note. */
export const NOTE_LENGTH_MAX = 2_000;

/**
 * Assigns a case to the caller, even if it is assigned to another person. @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`
 * unless it waits and the caller sees it.
 */
export function assignCase(context: Context, id: string): Promise<ReviewCase> {
  return change(context, 'review.assign', id, context.caller.id);
}

/** Removes the assignment of a case. @throws {GatewayError} as `assignCase`. */
export function releaseCase(context: Context, id: string): Promise<ReviewCase> {
  return change(context, 'review.release', id, null);
}

async function change(
  context: Context,
  action: 'review.assign' | 'review.release',
  id: string,
  assignee: string | null,
): Promise<ReviewCase> {
  requirePermission(context, action);
  const found = await findReviewCase(context, id);
  if (found.assignee === assignee) return found;
  const { accountId } = context.caller;
  await audited(context, async (tx, writeDown, nowMs) => {
    if (assignee === null) await removeAssignment(tx, accountId, id);
    else
      await storeAssignment(tx, accountId, { caseId: id, assignee, assignedAt: instantOf(new Date(nowMs)) });
    const facts = { before: { assignee: found.assignee }, after: { assignee } };
    writeDown(action, { kind: 'review_case', id }, facts);
  });
  return { ...found, assignee };
}

/**
 * Stores a note about the subject of a case, which need not be waiting any more.
 *
 * @returns its id.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND` for a subject that the caller does not see.
 */
export async function noteCase(
  context: Context,
  { id, body }: { readonly id: string; readonly body: Named },
  attempt: Attempt,
  checks: CreationChecks,
): Promise<string> {
  requirePermission(context, 'review.note');
  const text = checks.words(body, NOTE_LENGTH_MAX);
  checks.refuse();
  const { subject } = await findSubject(context, id);
  return audited(context, async (tx, writeDown, nowMs) => {
    const note = { author: context.caller.id, body: text ?? '', writtenAt: instantOf(new Date(nowMs)) };
    const stored = known(
      await storeNote(tx, context.caller.accountId, subject, note),
      'an insert returns its row',
    );
    await attempt.bind(tx, String(stored.id));
    writeDown('review.note', { kind: 'review_case', id }, { after: { note: String(stored.id) } });
    return String(stored.id);
  });
}

/** @returns a note of the caller's desk that was just made. */
export async function readNote({ database, caller }: Context, id: string): Promise<ReviewNote> {
  return known(await findNote(database, caller.accountId, BigInt(id)), 'a note is never deleted');
}

/** @returns the notes of the caller's desk about the subject of a case, newest first. */
export async function listNotes(context: Context, subject: string): Promise<readonly ReviewNote[]> {
  return readNotes(context.database, context.caller.accountId, subject);
}
