/** Evidence of cases: an entry for each request, answer and decision. No entry is ever changed. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { CaseDecision, CaseState } from './customer-cases.ts';

/** Kinds of entries. */
export type CaseEvent =
  | 'opened'
  | 'callback'
  | 'answered'
  | 'approved'
  | 'denied'
  | 'retried'
  | 'frozen'
  | 'unfreeze_asked'
  | 'unfrozen'
  | 'expired';

/** An entry without its position. */
export interface NewEvidence {
  readonly caseId: bigint;
  readonly at: Instant;
  readonly event: CaseEvent;
  /** State of the case after the entry. */
  readonly state: CaseState;
  readonly attempt: number;
  readonly provider: string | null;
  readonly providerReference: string | null;
  readonly decision: CaseDecision | null;
  readonly reasons: readonly string[];
  readonly score: string | null;
  /** SHA-256 of the provider's answer, hex. */
  readonly answerHash: string | null;
  /** Key or person; null for the provider and for a timer. */
  readonly actor: string | null;
  readonly reason: string | null;
}

/** An entry. */
export interface CaseEvidence extends NewEvidence {
  /** Position, from 1, in the order of the entries' times. */
  readonly n: number;
}

const ADD: Statement = {
  name: 'case_evidence_add',
  text: `insert into case_evidence (case_id, n, at, event, state, attempt, provider, provider_reference, decision, reasons, score,
      answer_hash, actor, reason)
    select $1, coalesce(max(n), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10::numeric, $11, $12, $13 from case_evidence where case_id = $1`,
};
const READ: Statement = {
  name: 'case_evidence_read',
  text: `select case_id as "caseId", n, at, event, state, attempt, provider, provider_reference as "providerReference", decision, reasons,
      score::text as score, answer_hash as "answerHash", actor, reason
    from case_evidence where case_id = $1 order by n desc limit $2`,
};

/** Adds an entry, under the lock of the case's account. */
export async function addEvidence(tx: Tx, entry: NewEvidence): Promise<void> {
  const { caseId, at, event, state, attempt, provider, providerReference } = entry;
  const { decision, reasons, score, answerHash, actor, reason } = entry;
  await tx.query(ADD, [
    ...[caseId, at, event, state, attempt, provider, providerReference],
    ...[decision, reasons, score, answerHash, actor, reason],
  ]);
}

/** @returns the newest entries of a case, the newest first. */
export function readEvidence(tx: Tx, caseId: bigint, limit: number): Promise<CaseEvidence[]> {
  return tx.query<CaseEvidence>(READ, [caseId, limit]);
}
