/** Reads MED cases: an account its own, the operator those of all accounts of a mode. */

import type { Tx } from '../../store/connection/database.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import { findProcess, readProcesses } from '../../store/engine/processes.ts';
import { type MedAnswer, readMedAnswers } from '../../store/rails/med-answers.ts';
import {
  listMedCases,
  type MedCase,
  type MedEvent,
  type MedState,
  readMedCase,
  readMedCasesOf,
  readMedEvents,
} from '../../store/rails/med-cases.ts';
import { type MedFile, readMedContent, readMedFile, readMedFiles } from '../../store/rails/med-files.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { holderMeant } from '../checks/context-on-account.ts';
import { type Context, requireScope } from '../services/context.ts';
import { isOddId } from '../transactions/read-transaction.ts';

/** Cases that a caller wants. */
export interface MedCasesWanted {
  /** Identifier of the account; null: all that the caller may see. */
  readonly account: string | null;
  /** Transaction; null: all. */
  readonly end2end: string | null;
  readonly states: readonly MedState[] | null;
}

/** Most entries of the history, files and answers of a case, and cases of a transaction, that are read. */
export const MED_LISTED_MAX = 100;
const ID = /^[1-9]\d{0,17}$/;

/** @returns whether the caller works on the cases of all accounts of its mode. */
export function seesAllMedCases({ caller }: Pick<Context, 'caller'>): boolean {
  return caller.scopes.includes('platform:risk');
}

/** @returns cases, those that were opened last first unless backward. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND` for an account. */
export async function readMedCases(
  context: Context,
  { account, end2end, states }: MedCasesWanted,
  slice: IdSlice,
): Promise<IdPart<MedCase>> {
  const { caller, database, mode } = context;
  const isOperator = seesAllMedCases(context);
  if (!isOperator) requireScope(context, 'read');
  const meant = isOperator && account !== null ? await holderMeant(context, account) : null;
  const accountId = isOperator ? meant : caller.accountId;
  const filter = { mode, accountId, transactionId: null, states };
  if (end2end === null) return listMedCases(database, filter, slice);
  const row =
    accountId === null || isOddId(end2end) ? undefined : await findProcess(database, accountId, end2end);
  // No transaction has this number: a foreign one has no cases, like a missing one.
  return listMedCases(database, { ...filter, transactionId: row?.id ?? -1n }, slice);
}

/** @returns the case that the caller may see; undefined where there is none. @throws {GatewayError} `FORBIDDEN`. */
export async function findMedCaseFor(context: Context, id: string): Promise<MedCase | undefined> {
  const isOperator = seesAllMedCases(context);
  if (!isOperator) requireScope(context, 'read');
  return visible(context, id);
}

/** @returns the case of the account, or of any account for the operator. */
export async function visible(context: Context, id: string): Promise<MedCase | undefined> {
  const row = ID.test(id) ? await readMedCase(context.database, context.mode, BigInt(id)) : undefined;
  return row && (seesAllMedCases(context) || row.accountId === context.caller.accountId) ? row : undefined;
}

/** @returns the cases about a transaction that the caller sees, the first first. */
export function medCasesOf({ database }: Context, row: Pick<ProcessRow, 'accountId' | 'id'>) {
  return readMedCasesOf(database, row, MED_LISTED_MAX);
}

/** @returns the transaction of a case. */
export async function transactionOf(
  { database }: { readonly database: Tx },
  { accountId, transactionId }: Pick<MedCase, 'accountId' | 'transactionId'>,
): Promise<ProcessRow | null> {
  if (transactionId === null) return null;
  return (await readProcesses(database, [{ accountId, transactionId }]))[0] ?? null;
}

/** @returns the history of a case, the first entry first. */
export function historyOf({ database }: Context, { id }: MedCase): Promise<readonly MedEvent[]> {
  return readMedEvents(database, id, MED_LISTED_MAX);
}

/** @returns the files of a case, the first first. */
export function filesOf({ database }: Context, { id }: MedCase): Promise<readonly MedFile[]> {
  return readMedFiles(database, id, MED_LISTED_MAX);
}

/** @returns the answers to a case, the first first. */
export function answersTo({ database }: Context, { id }: MedCase): Promise<readonly MedAnswer[]> {
  return readMedAnswers(database, id, MED_LISTED_MAX);
}

/** @returns a file of a case that the caller may see. @throws {GatewayError} `FORBIDDEN`. */
export async function findMedFileFor(context: Context, id: string): Promise<MedFile | undefined> {
  if (!seesAllMedCases(context)) requireScope(context, 'read');
  const file = ID.test(id) ? await readMedFile(context.database, BigInt(id)) : undefined;
  return file && (await visible(context, String(file.caseId))) ? file : undefined;
}

/** @returns the bytes of a file that the caller may see. */
export function contentOf({ database }: Context, { id }: MedFile): Promise<Buffer> {
  return readMedContent(database, id);
}
