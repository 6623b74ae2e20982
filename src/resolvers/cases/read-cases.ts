/** Reads cases: an account reads its own, without evidence; the operator those of all accounts of a mode. */
import { type CaseEvidence, readEvidence } from '../../store/account/case-evidence.ts';
import { listCases } from '../../store/account/case-list.ts';
import { type CaseState, type CustomerCase, readCase } from '../../store/account/customer-cases.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import { holderMeant } from '../checks/context-on-account.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Filter of cases of a caller. */
export interface CasesWanted {
  /** Identifier of the account; null: all that the caller may see. */
  readonly account: string | null;
  readonly states: readonly CaseState[] | null;
  /** Without punctuation. */
  readonly taxId: string | null;
  readonly waitsForPerson: boolean;
}

/** Maximum number of entries of a case's evidence that are shown. */
export const EVIDENCE_MAX = 100;
const ID = /^[1-9]\d{0,17}$/;

/** @returns whether the caller sees evidence, and cases of all accounts of its mode. */
export function seesEvidence({ caller }: Pick<Context, 'caller'>): boolean {
  return caller.scopes.includes('platform:risk');
}

/** @returns cases, the last opened first unless backward. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND` for an account. */
export async function readCases(
  context: Context,
  { account, states, taxId, waitsForPerson }: CasesWanted,
  slice: IdSlice,
): Promise<IdPart<CustomerCase>> {
  const { caller, database, mode } = context;
  const isOperator = seesEvidence(context);
  if (!isOperator) requireScope(context, 'read');
  const meant = account === null ? null : isOperator ? await holderMeant(context, account) : caller.accountId;
  const accountId = isOperator ? meant : caller.accountId;
  return listCases(database, { mode, accountId, states, taxId }, { waitsForPerson }, slice);
}

/** @returns the case, if it exists and the caller may see it; otherwise undefined. @throws {GatewayError} `FORBIDDEN`. */
export async function findCase(context: Context, id: string): Promise<CustomerCase | undefined> {
  const isOperator = seesEvidence(context);
  if (!isOperator) requireScope(context, 'read');
  const row = ID.test(id) ? await readCase(context.database, context.mode, BigInt(id)) : undefined;
  return row && (isOperator || row.accountId === context.caller.accountId) ? row : undefined;
}

/** @returns the evidence of a case, newest first; null for callers who may not see it. */
export async function evidenceFor(
  context: Context,
  { id }: CustomerCase,
): Promise<readonly CaseEvidence[] | null> {
  return seesEvidence(context) ? readEvidence(context.database, id, EVIDENCE_MAX) : null;
}
