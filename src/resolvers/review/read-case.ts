/** A case with the facts for a decision: its transaction, the payer, related records, earlier views, notes. */
import type { LoggedEntry } from '../../store/account/audit-log.ts';
import type { ReviewNote } from '../../store/account/review.ts';
import type { CandidateRow } from '../../store/engine/payment-candidates.ts';
import type { MedCase } from '../../store/rails/med-cases.ts';
import { firstOpenHit } from '../../store/rails/screening-hits.ts';
import { medCasesOf } from '../med/read-med-cases.ts';
import type { Context } from '../services/context.ts';
import { listNotes } from './assign-case.ts';
import { auditListed, auditView } from './audit-view.ts';
import { type OtherCase, otherCasesOf } from './other-cases.ts';
import { payerOf } from './payer-of-case.ts';
import { candidatesFor } from './payment-candidates.ts';
import { decisionsAbout } from './read-decisions.ts';
import { caseKeyOf, type ReviewCase, readReviewQueue } from './read-queue.ts';
import { findSubject, type Subject } from './read-subject.ts';
import { type RelatedPayments, relatedTo } from './related-payments.ts';

/** A fact that a rail reported about money in suspense. */
export interface CaseFact {
  readonly name: string;
  readonly value: string;
}

/** A case, open or decided. */
export interface CaseFile extends Subject {
  readonly id: string;
  /** Its entry in the queue; null if it was decided. */
  readonly waiting: ReviewCase | null;
  readonly facts: readonly CaseFact[];
  readonly samePayer: RelatedPayments;
  readonly sameWallet: RelatedPayments;
  readonly candidates: readonly CandidateRow[];
  readonly otherCases: readonly OtherCase[];
  readonly notes: readonly ReviewNote[];
  /** Cases of MED about the transaction, the first first. */
  readonly medCases: readonly MedCase[];
  /** Decisions of people, newest first. */
  readonly decisions: readonly LoggedEntry[];
}

/** Members of a rail's report that identify the payer and the origin. */
const SHOWN_FACTS = [
  'payerName',
  'payerTaxId',
  'payerBank',
  'endToEndId',
  'txid',
  'from',
  'address',
  'txHash',
  'settledAt',
  'seenAt',
];

/**
 * Reads a case. A view of another account's record is recorded in the audit logs of both, also of one that is listed.
 *
 * @throws {GatewayError} `FORBIDDEN` without `read`; `NOT_FOUND` for a case that the caller does not see.
 */
export async function readCaseFile(context: Context, id: string): Promise<CaseFile> {
  const subject = await findSubject(context, id);
  await auditView(context, subject);
  const [queue, related, candidates, otherCases, notes, medCases, decisions] = await Promise.all([
    readReviewQueue(context, { kinds: [subject.kind] }),
    relatedTo(context, subject),
    candidatesFor(context, subject),
    otherCasesOf(context, subject),
    listNotes(context, subject.subject),
    subject.row ? medCasesOf(context, subject.row) : [subject.medCase ?? []].flat(),
    decisionsAbout(context, subject),
  ]);
  const { samePayer, sameWallet } = related;
  const rows = [...candidates, ...samePayer.rows, ...sameWallet.rows];
  await auditListed(context, subject, { rows, cases: otherCases });
  const key = await waitingKeyOf(context, subject, id);
  const waiting = queue.find((each) => each.id === key) ?? null;
  return {
    ...subject,
    ...related,
    id,
    waiting,
    candidates,
    otherCases,
    notes,
    medCases,
    decisions,
    facts: factsOf(context, subject),
  };
}

/** Open hits of one subject and entry wait as the case of the first of them. */
async function waitingKeyOf({ database, mode }: Context, { hit }: Subject, id: string): Promise<string> {
  const first = hit?.state === 'open' ? await firstOpenHit(database, mode, hit) : undefined;
  return first ? caseKeyOf('screening_hit', { ...first, reference: String(first.id) }) : id;
}

/** An account does not see the payer of money that none of its transactions accepted. */
function factsOf({ caller }: Context, subject: Subject): readonly CaseFact[] {
  const { suspense } = subject;
  if (!suspense || !caller.scopes.includes('platform:risk')) return [];
  const event = { payerBank: payerOf(subject).ispb, ...(suspense.railEvent as object) } as Readonly<
    Record<string, unknown>
  >;
  return SHOWN_FACTS.flatMap((name) => {
    const value = event[name];
    return typeof value === 'string' && value !== '' ? [{ name, value }] : [];
  });
}
