/** Answers to MED cases. Each process that runs jobs claims some to send; a claim expires. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** Standpoints of an answer, with their meaning. */
export const MED_ANALYSES = {
  contest: 'The payment is in order: the case should be rejected.',
  agree: 'The report is right: the money may go back.',
} as const;
/** Standpoint of an answer. */
export type MedAnalysis = keyof typeof MED_ANALYSES;

/** States of an answer, with their meaning. */
export const MED_ANSWER_STATES = {
  pending: 'It is on its way to the provider, and is sent again until the provider has it.',
  sent: 'The provider has it.',
  refused: 'The provider refused it: another answer can be given.',
  dropped: 'The case was decided before the provider had it.',
  withdrawn: 'The case was answered on the screens of the provider instead.',
} as const;
/** State of an answer. */
export type MedAnswerState = keyof typeof MED_ANSWER_STATES;

/** An answer. */
export interface MedAnswer {
  /** UUID; the provider accepts an answer once under it. */
  readonly id: string;
  readonly caseId: bigint;
  readonly analysis: MedAnalysis;
  readonly body: string;
  /** Ids of the files that are sent with it. */
  readonly fileIds: readonly string[];
  readonly author: string;
  readonly givenAt: Instant;
  readonly state: MedAnswerState;
  /** Number of failed attempts to send it. */
  readonly failures: number;
  readonly failure: string | null;
  readonly endedAt: Instant | null;
}

/** The input of an answer. */
export type NewMedAnswer = Pick<
  MedAnswer,
  'id' | 'caseId' | 'analysis' | 'body' | 'fileIds' | 'author' | 'givenAt'
>;

const COLUMNS = `w.id, w.case_id as "caseId", w.analysis, w.body, w.file_ids as "fileIds", w.author, w.given_at as "givenAt",
    w.state, w.failures, w.failure, w.ended_at as "endedAt"`;
const ADD: Statement = {
  name: 'med_answer_add',
  text: `insert into med_answer (id, case_id, analysis, body, file_ids, author, given_at, state, send_at)
    values ($1, $2, $3, $4, $5::text[], $6, $7, 'pending', $8)`,
};
const OF_CASE: Statement = {
  name: 'med_answer_of_case',
  text: `select ${COLUMNS} from med_answer w where w.case_id = $1 order by w.given_at, w.id limit $2`,
};
const CLAIM: Statement = {
  name: 'med_answer_claim',
  text: `update med_answer w set failures = w.failures + 1, send_at = $3::timestamptz + make_interval(secs => $4)
    where w.id = any (array(select d.id from med_answer d join med_case c on c.id = d.case_id and c.mode = $1
      where d.send_at <= $3 order by d.send_at limit $2 for update of d skip locked))
    returning ${COLUMNS}`,
};
const POSTPONE: Statement = {
  name: 'med_answer_postpone',
  text: `update med_answer set send_at = $2, failure = $3 where id = $1 and state = 'pending'`,
};
/** The provider may accept an answer during its withdrawal; then it has the answer. */
const END: Statement = {
  name: 'med_answer_end',
  text: `update med_answer set state = $2, send_at = null, ended_at = $3, failure = $4
    where id = $1 and (state = 'pending' or state = 'withdrawn' and $2 = 'sent') returning id`,
};
const STOP: Statement = {
  name: 'med_answer_stop',
  text: `update med_answer set state = $3, send_at = null, ended_at = $2 where case_id = $1 and state = 'pending'
    returning id`,
};
const IS_PENDING: Statement = {
  name: 'med_answer_is_pending',
  text: `select from med_answer where id = $1 and state = 'pending'`,
};

/** Adds an answer. @param sendAt - time of sending, on the clock of the database. */
export async function addMedAnswer(tx: Tx, input: NewMedAnswer, sendAt: Date): Promise<void> {
  const { id, caseId, analysis, body, fileIds, author } = input;
  await tx.query(ADD, [id, caseId, analysis, body, fileIds, author, input.givenAt, sendAt]);
}

/** @returns the answers to a case, oldest first. */
export function readMedAnswers(tx: Tx, caseId: bigint, limit: number): Promise<MedAnswer[]> {
  return tx.query<MedAnswer>(OF_CASE, [caseId, limit]);
}

/**
 * Claims answers that are to be sent. An attempt counts as failed until it ends, so `failures` above 1 means that the
 * answer may already have been sent.
 * @param leaseSeconds - time after which another process may claim them.
 */
export function claimMedAnswers(
  database: Database,
  mode: AccountMode,
  limit: number,
  leaseSeconds: number,
): Promise<MedAnswer[]> {
  return database.query<MedAnswer>(CLAIM, [mode, limit, new Date(database.nowMs()), leaseSeconds]);
}

/** Postpones an answer that could not be sent. */
export async function postponeMedAnswer(tx: Tx, id: string, sendAt: Date, failure: string): Promise<void> {
  await tx.query(POSTPONE, [id, sendAt, failure]);
}

/** @returns whether an answer is still to be sent. */
export async function isMedAnswerPending(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(IS_PENDING, [id])).length > 0;
}

/** Ends an answer that is under way. @returns whether it was under way. */
export async function endMedAnswer(
  tx: Tx,
  id: string,
  state: 'sent' | 'refused',
  at: Instant,
  failure: string | null,
): Promise<boolean> {
  return (await tx.query(END, [id, state, at, failure])).length > 0;
}

/** Stops the answer to a case that is under way. @returns whether there was one. */
export async function stopMedAnswer(
  tx: Tx,
  caseId: bigint,
  state: 'dropped' | 'withdrawn',
  at: Instant,
): Promise<boolean> {
  return (await tx.query(STOP, [caseId, at, state])).length > 0;
}
