/**
 * Stores a change of a case, under the lock of its account: the case, its evidence, the customer's level, and the
 * transactions that continue.
 */
import { randomUUID } from 'node:crypto';
import { parseTaxId } from '../../base/pix/tax-id.ts';
import { instantOf } from '../../base/time/instant.ts';
import { addEvidence, type NewEvidence } from '../../store/account/case-evidence.ts';
import {
  addCase,
  type CaseKey,
  type CustomerCase,
  saveCase,
  setCustomerLevel,
  wakeTransactions,
} from '../../store/account/customer-cases.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { CaseChange } from './case-state.ts';

/** Author and reason of a change; no author if a provider or a timer makes it. */
export type ByWhom = Partial<Pick<NewEvidence, 'actor' | 'reason'>>;

/** @returns an id for a provider that was never used before. */
export function newExternalId(): string {
  return `crx-${randomUUID()}`;
}

/** @returns the entry that describes a case after an event. */
export function evidenceOf(
  row: CustomerCase,
  event: NewEvidence['event'],
  nowMs: number,
  { actor = null, reason = null }: ByWhom = {},
): NewEvidence {
  const { id: caseId, state, attempts: attempt, provider, providerReference } = row;
  const { decision, reasons, score, answerHash } = row;
  return {
    ...{ caseId, at: instantOf(new Date(nowMs)), event, state, attempt, provider, providerReference },
    ...{ decision, reasons, score, answerHash, actor, reason },
  };
}

/** Opens a case. @param provider - kind of the rail that checks; null: people decide. */
export async function openCase(
  tx: Tx,
  key: CaseKey,
  {
    name,
    provider,
    nowMs,
  }: { readonly name: string | null; readonly provider: string | null; readonly nowMs: number },
): Promise<CustomerCase> {
  const kind = parseTaxId(key.taxId)?.kind === 'cnpj' ? 'COMPANY' : 'PERSON';
  const row = await addCase(
    tx,
    { ...key, kind, name, provider, externalId: newExternalId() },
    new Date(nowMs),
  );
  await addEvidence(tx, evidenceOf(row, 'opened', nowMs));
  return row;
}

/** Stores a change. */
export async function storeChange(
  tx: Tx,
  { row, event, isDecided, isLowered }: CaseChange,
  nowMs: number,
  by: ByWhom = {},
): Promise<void> {
  await saveCase(tx, row);
  await addEvidence(tx, evidenceOf(row, event, nowMs, by));
  if (row.level === 'VERIFIED' && (isLowered || row.state === 'approved'))
    await setCustomerLevel(tx, row, row.state === 'approved' ? 'VERIFIED' : 'BASIC');
  if (isDecided) await wakeTransactions(tx, row, null, nowMs);
}
