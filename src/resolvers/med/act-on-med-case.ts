/** Acts on MED cases: of an account on its own, of the operator on those of all accounts. */
import { randomUUID } from 'node:crypto';
import type { ActionName } from '../../base/access/actions.ts';
import { known } from '../../base/errors/assert.ts';
import { GatewayError, notFound, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  addMedAnswer,
  type MedAnalysis,
  readMedAnswers,
  stopMedAnswer,
} from '../../store/rails/med-answers.ts';
import {
  addMedEvent,
  lockMedCase,
  type MedCase,
  readMedCase,
  setMedState,
} from '../../store/rails/med-cases.ts';
import { addMedFile, type MedFile, readMedFiles } from '../../store/rails/med-files.ts';
import type { Language } from '../../ui/language.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { ANSWER_LENGTH_MAX } from '../checks/lengths.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { asCaller } from '../engine/advance-for-caller.ts';
import { type Context, onAccount, requirePermission } from '../services/context.ts';
import { checkFile, MED_FILE_MAX } from './case-files.ts';
import { isAt } from './case-step.ts';
import { collectEvidence } from './collect-evidence.ts';
import { evidencePage } from './evidence-page.ts';
import { closing, type MedOutcome } from './note-case.ts';
import { MED_LISTED_MAX, seesAllMedCases, visible } from './read-med-cases.ts';

/** Outcomes that the operator records, with their meaning. */
export const MED_OUTCOMES = {
  answered: 'It was answered on the screens of the provider.',
  accepted: 'The provider accepted a report of fraud.',
  rejected: 'The provider rejected a report of fraud.',
  cancelled: 'The payer’s bank withdrew a report of fraud.',
} as const;
/** Outcome that the operator records. */
export type MedOutcomeName = keyof typeof MED_OUTCOMES;

/**
 * Attaches a file.
 *
 * @param input - name, and content as a data URL.
 * @returns the file; that of the earlier attempt under the key where there is one.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`; `STEP_CONFLICT` once the case is answered or decided;
 *   `LIMIT_EXCEEDED` beyond the most files of a case.
 */
export async function attachMedFile(
  context: Context,
  caseId: string,
  input: { readonly name: Named; readonly content: Named },
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<MedCase> {
  const action = performFor(context, 'med.attach', 'med.attach_for');
  const file = checkFile(checks, input);
  checks.refuse();
  const row = await meant(context, caseId);
  return changeCase(context, row, attempt, async ({ tx, at, writeDown }) => {
    await addFile(
      tx,
      row,
      { ...known(file, 'a file'), kind: 'attachment' },
      { context, act: action, at, writeDown },
    );
  });
}

/**
 * Makes an evidence pack: a page of what the gateway holds about the payment, which is stored as it is.
 *
 * @throws {GatewayError} as `attachMedFile`.
 */
export async function makeMedEvidence(
  context: Context,
  caseId: string,
  language: Language,
  attempt: Attempt = UNKEYED,
): Promise<MedCase> {
  const action = performFor(context, 'med.attach', 'med.attach_for');
  const row = await meant(context, caseId);
  return changeCase(context, row, attempt, async ({ tx, at, writeDown }) => {
    const page = evidencePage(await collectEvidence(context, tx, row, at), context.registry, language);
    const content = Buffer.from(page, 'utf8');
    const name = `med-${row.id}-${language}.html`;
    const file = { name, type: 'text/html', content, kind: 'evidence' } as const;
    await addFile(tx, row, file, { context, act: action, at, writeDown });
  });
}

/** An answer to a case, as a caller gives it. */
export interface AnswerInput {
  readonly analysis: MedAnalysis;
  readonly body: Named;
}

/**
 * Answers a case, with all its files. It is sent to the provider in the background.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`; `STEP_CONFLICT` where the case was answered or decided, and
 *   where the provider takes answers on its screens alone.
 */
export async function answerMedCase(
  context: Context,
  caseId: string,
  { analysis, body }: AnswerInput,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<MedCase> {
  const action = performFor(context, 'med.answer', 'med.answer_for');
  const lines = body.value.replaceAll('\r\n', '\n').trim();
  checks.words({ name: body.name, value: lines.replaceAll('\n', ' ') }, ANSWER_LENGTH_MAX);
  checks.refuse();
  const row = await meant(context, caseId);
  if (!context.rails.pix.answerMedCase)
    throw new GatewayError(
      'STEP_CONFLICT',
      'the PIX provider takes answers on its screens alone: the operator records the answer',
    );
  return changeCase(context, row, attempt, async ({ tx, at, writeDown }) => {
    const files = await readMedFiles(tx, row.id, MED_LISTED_MAX);
    const id = randomUUID();
    const author = context.caller.id;
    const fileIds = files.map((file) => String(file.id));
    const answer = { id, caseId: row.id, analysis, body: lines, fileIds, author, givenAt: at };
    await addMedAnswer(tx, answer, new Date(context.database.nowMs()));
    await addMedEvent(tx, row.id, { at, event: 'answered', actor: author, detail: analysis });
    writeDown(action, objectOf(row), {
      after: { answer: id, analysis, files: files.map(({ hash }) => hash) },
    });
  });
}

/**
 * Records what happened on the screens of the provider. An answer that is under way is withdrawn by the record that the case was answered.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`; `STEP_CONFLICT` where the case is decided, and for the decision
 *   of a dispute: it moves money, and the rail reports it.
 */
export async function recordMedOutcome(
  context: Context,
  caseId: string,
  input: { readonly outcome: MedOutcomeName; readonly reason: Named },
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<MedCase> {
  requirePermission(context, 'med.record');
  const reason = checks.reference(input.reason) ?? '';
  checks.refuse();
  const row = await meant(context, caseId);
  const { outcome } = input;
  if (attempt.made !== null) return row;
  if (outcome === 'answered')
    return changeOpenCase(context, row, attempt, async ({ tx, at, writeDown }) => {
      const actor = context.caller.id;
      if (await stopMedAnswer(tx, row.id, 'withdrawn', at))
        await addMedEvent(tx, row.id, { at, event: 'answer_withdrawn', actor });
      await setMedState(tx, row.id, 'answered', at);
      await addMedEvent(tx, row.id, { at, event: 'answered_elsewhere', actor, detail: reason });
      writeDown('med.record', objectOf(row), { after: { outcome, reason } });
    });
  if (row.kind === 'dispute')
    throw new GatewayError('STEP_CONFLICT', 'the decision of a dispute moves money: the rail reports it');
  await close(context, row, { decision: outcome, actor: context.caller.id, reason }, attempt);
  return reread(context, context.database, row);
}

/** Closes a case with its transaction, which writes the act down; a case without one that takes it is closed alone. */
async function close(context: Context, row: MedCase, outcome: MedOutcome, attempt: Attempt): Promise<void> {
  const { trigger, holds, write } = closing(context, row, outcome);
  const { accountId, transactionId } = row;
  const { code } =
    transactionId === null
      ? { code: 'STEP_CONFLICT' as const }
      : await context.advance({
          ...{ target: { accountId, transactionId }, trigger, holds },
          ...asCaller(context, 'med.record', async (tx) => {
            await write(tx, instantOf(new Date(await context.clock.nowMs(tx))));
            await attempt.bind(tx, String(row.id));
          }),
        });
  if (code === 'OUTDATED') throw decided(row);
  if (code === 'ADVANCED') return;
  // The audit log of the account of the case has the act.
  await audited(onAccount(context, row.accountId), async (tx, writeDown, nowMs) => {
    if (!(await holds(tx))) throw decided(row);
    await write(tx, instantOf(new Date(nowMs)));
    await attempt.bind(tx, String(row.id));
    writeDown('med.record', objectOf(row), {
      after: { outcome: outcome.decision, reason: outcome.reason },
    });
  });
}

interface Doing {
  readonly tx: Tx;
  /** Now, by the clock of the mode. */
  readonly at: Instant;
  readonly writeDown: WriteDown;
}

/** Changes a case that waits for an answer and has none under way. */
function changeCase(
  context: Context,
  row: MedCase,
  attempt: Attempt,
  change: (doing: Doing) => Promise<void>,
): Promise<MedCase> {
  return changeOpenCase(context, row, attempt, async (doing) => {
    await refuseAnswered(doing.tx, row);
    await change(doing);
  });
}

/** Changes a case that waits for an answer, under the lock of its account and the caller's own. */
function changeOpenCase(
  context: Context,
  row: MedCase,
  attempt: Attempt,
  change: (doing: Doing) => Promise<void>,
): Promise<MedCase> {
  if (attempt.made !== null) return Promise.resolve(row);
  const work = async (tx: Tx, writeDown: WriteDown, nowMs: number) => {
    const now = known(await lockMedCase(tx, context.mode, row.id), 'a case');
    if (now.state !== 'open') throw decided(now);
    if (!isAt(now, row)) throw new GatewayError('STEP_CONFLICT', `case ${row.id} was linked to its payment`);
    await change({ tx, at: instantOf(new Date(nowMs)), writeDown });
    await attempt.bind(tx, String(row.id));
    return reread(context, tx, row);
  };
  return audited(onAccount(context, row.accountId), work);
}

/** @throws {GatewayError} `STEP_CONFLICT`. */
async function refuseAnswered(tx: Tx, row: MedCase): Promise<void> {
  const answers = await readMedAnswers(tx, row.id, MED_LISTED_MAX);
  if (answers.some(({ state }) => state === 'pending' || state === 'sent'))
    throw new GatewayError(
      'STEP_CONFLICT',
      `case ${row.id} was answered: the answer is on its way to the provider`,
    );
}

async function addFile(
  tx: Tx,
  { id: caseId, ...row }: MedCase,
  file: Omit<MedFile, 'id' | 'caseId' | 'size' | 'hash' | 'author' | 'addedAt'> & {
    readonly content: Buffer;
  },
  {
    context,
    act: action,
    at,
    writeDown,
  }: Omit<Doing, 'tx'> & { readonly context: Context; readonly act: ActionName },
): Promise<void> {
  const same = (await readMedFiles(tx, caseId, MED_LISTED_MAX)).filter(({ kind }) => kind === file.kind);
  const max = file.kind === 'attachment' ? MED_FILE_MAX.attachments : MED_FILE_MAX.packs;
  if (same.length >= max) throw overLimit(`a case has at most ${max} files of this kind`, { kind: 'files' });
  const author = context.caller.id;
  const { name, hash } = await addMedFile(tx, { ...file, caseId, author, addedAt: at });
  const event = file.kind === 'attachment' ? 'attached' : 'evidence_made';
  await addMedEvent(tx, caseId, { at, event, actor: author, detail: `${name} sha256:${hash}` });
  writeDown(action, objectOf({ id: caseId, ...row }), { after: { file: name, hash } });
}

/** @returns the act of the caller: on its own account, or of the operator on any. @throws {GatewayError} `FORBIDDEN` and as `requirePermission`. */
function performFor(context: Context, own: ActionName, ofOperator: ActionName): ActionName {
  const action = seesAllMedCases(context) ? ofOperator : own;
  requirePermission(context, action);
  return action;
}

async function meant(context: Context, id: string): Promise<MedCase> {
  const row = await visible(context, id);
  if (!row) throw notFound();
  return row;
}

async function reread({ mode }: Pick<Context, 'mode'>, tx: Tx, { id }: MedCase): Promise<MedCase> {
  return known(await readMedCase(tx, mode, id), 'a case');
}

function objectOf({ id }: Pick<MedCase, 'id'>) {
  return { kind: 'med_case', id: String(id) } as const;
}

function decided({ id, state }: Pick<MedCase, 'id' | 'state'>): GatewayError {
  return new GatewayError('STEP_CONFLICT', `case ${id} is ${state}`);
}
