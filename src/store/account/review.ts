/** People's additions to cases of the review queue: the assignee, and notes about its subject. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Assignee of a case. */
export interface ReviewAssignment {
  readonly caseId: string;
  /** Id of the key or person. */
  readonly assignee: string;
  readonly assignedAt: Instant;
}

/** A note about a subject. */
export interface ReviewNote {
  readonly id: bigint;
  /** Id of the key or person. */
  readonly author: string;
  readonly body: string;
  readonly writtenAt: Instant;
}

/** Maximum number of notes that are read about a subject: the newest. */
export const NOTES_MAX = 100;

const ASSIGNED: Statement = {
  name: 'review_assigned',
  text: `select case_id as "caseId", assignee, assigned_at as "assignedAt" from review_assignment
    where account_id = $1 and case_id = any ($2::text[])`,
};
const ASSIGN: Statement = {
  name: 'review_assign',
  text: `insert into review_assignment (account_id, case_id, assignee, assigned_at) values ($1, $2, $3, $4)
    on conflict (account_id, case_id) do update set assignee = excluded.assignee, assigned_at = excluded.assigned_at`,
};
const RELEASE: Statement = {
  name: 'review_release',
  text: `delete from review_assignment where account_id = $1 and case_id = $2`,
};
const NOTES: Statement = {
  name: 'review_notes',
  text: `select id, author, body, written_at as "writtenAt" from review_note where account_id = $1 and subject = $2
    order by id desc limit ${NOTES_MAX}`,
};
const NOTE: Statement = {
  name: 'review_note_find',
  text: `select id, author, body, written_at as "writtenAt" from review_note where account_id = $1 and id = $2`,
};
const ADD_NOTE: Statement = {
  name: 'review_add_note',
  text: `insert into review_note (account_id, subject, author, body, written_at) values ($1, $2, $3, $4, $5)
    returning id, author, body, written_at as "writtenAt"`,
};

/** @returns the assignments of the cases that have one. */
export function readAssignments(
  tx: Tx,
  accountId: bigint,
  caseIds: readonly string[],
): Promise<ReviewAssignment[]> {
  return tx.query<ReviewAssignment>(ASSIGNED, [accountId, caseIds]);
}

/** Assigns a case to a person or key, and removes an earlier assignment. */
export async function storeAssignment(
  tx: Tx,
  accountId: bigint,
  { caseId, assignee, assignedAt }: ReviewAssignment,
): Promise<void> {
  await tx.query(ASSIGN, [accountId, caseId, assignee, assignedAt]);
}

/** Removes the assignment of a case. */
export async function removeAssignment(tx: Tx, accountId: bigint, caseId: string): Promise<void> {
  await tx.query(RELEASE, [accountId, caseId]);
}

/** @returns the notes about a subject, newest first. */
export function readNotes(tx: Tx, accountId: bigint, subject: string): Promise<ReviewNote[]> {
  return tx.query<ReviewNote>(NOTES, [accountId, subject]);
}

/** @returns the note with this id, or undefined. */
export async function findNote(tx: Tx, accountId: bigint, id: bigint): Promise<ReviewNote | undefined> {
  const [note] = await tx.query<ReviewNote>(NOTE, [accountId, id]);
  return note;
}

/** Stores a note. */
export async function storeNote(
  tx: Tx,
  accountId: bigint,
  subject: string,
  { author, body, writtenAt }: Omit<ReviewNote, 'id'>,
): Promise<ReviewNote | undefined> {
  const [note] = await tx.query<ReviewNote>(ADD_NOTE, [accountId, subject, author, body, writtenAt]);
  return note;
}
