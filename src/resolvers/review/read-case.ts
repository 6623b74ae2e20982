/** A case with the facts for a decision: its transaction, the payer, related records, earlier views, notes. */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { instantOf, millisOf } from '../../base/time/instant.ts';
import { readAudit } from '../../store/account/audit-log.ts';
import type { ReviewNote } from '../../store/account/review.ts';
import { appendAudit, auditEntry } from '../../store/engine/audit.ts';
import { readCandidates, readOfSamePayer, readOfSameWallet } from '../../store/engine/related.ts';
import type { MedCase } from '../../store/rails/med-cases.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { medCasesOf } from '../med/read-med-cases.ts';
import { authorOf, type Context } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import { listNotes } from './assign-case.ts';
import { type ReviewCase, readReviewQueue } from './read-queue.ts';
import { findSubject, type Subject } from './read-subject.ts';

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
  readonly samePayer: readonly ProcessRow[];
  readonly sameWallet: readonly ProcessRow[];
  readonly candidates: readonly ProcessRow[];
  readonly notes: readonly ReviewNote[];
  /** Cases of MED about the transaction, the first first. */
  readonly medCases: readonly MedCase[];
}

const FAMILIES = Object.keys(FAMILY_TRAITS) as Family[];
/** Looked at again within this time by the same person, it is not written down again. Unit: ms. */
const SAME_VIEW_MS = 15 * 60_000;
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
 * Reads a case. A view of another account's transaction is recorded in the audit logs of both.
 *
 * @throws {GatewayError} `FORBIDDEN` without `read`; `NOT_FOUND` for a case that the caller does not see.
 */
export async function readCaseFile(context: Context, id: string): Promise<CaseFile> {
  const subject = await findSubject(context, id);
  await auditView(context, subject);
  const [queue, related, candidates, notes, medCases] = await Promise.all([
    readReviewQueue(context, { kinds: [subject.kind] }),
    relatedOf(context, subject),
    candidatesOf(context, subject),
    listNotes(context, subject.subject),
    subject.row ? medCasesOf(context, subject.row) : [subject.medCase ?? []].flat(),
  ]);
  const waiting = queue.find((each) => each.id === id) ?? null;
  return {
    ...subject,
    ...related,
    id,
    waiting,
    candidates,
    notes,
    medCases,
    facts: factsOf(context, subject),
  };
}

async function relatedOf({ database }: Context, { accountId, row, suspense }: Subject) {
  if (accountId === null) return { samePayer: [], sameWallet: [] };
  const event = (suspense?.news ?? {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const filter = {
    accountId,
    families: FAMILIES,
    id: row?.id ?? null,
    taxId: row?.clientTaxId ?? text(event.payerTaxId),
    wallet: row?.wallet ?? row?.depositFrom ?? text(event.from),
  };
  const [samePayer, sameWallet] = await Promise.all([
    readOfSamePayer(database, filter),
    readOfSameWallet(database, filter),
  ]);
  return { samePayer, sameWallet };
}

/** Open orders of the amount of money in suspense, which only the operator matches. */
async function candidatesOf(
  context: Context,
  { accountId, suspense }: Subject,
): Promise<readonly ProcessRow[]> {
  if (accountId === null || !suspense || !context.caller.scopes.includes('platform:risk')) return [];
  const { currency, amountMinor } = suspense;
  const amount = fromMinor(amountMinor, currencyOfLedger(currency).decimals);
  return readCandidates(context.database, { accountId, families: FAMILIES, currency, amount });
}

/** An account does not see the payer of money that none of its transactions accepted. */
function factsOf({ caller }: Context, { suspense }: Subject): readonly CaseFact[] {
  if (!suspense || !caller.scopes.includes('platform:risk')) return [];
  const event = suspense.news as Readonly<Record<string, unknown>>;
  return SHOWN_FACTS.flatMap((name) => {
    const value = event[name];
    return typeof value === 'string' && value !== '' ? [{ name, value }] : [];
  });
}

/** A view of another account's case is recorded in that account's audit log. */
async function auditView(context: Context, { accountId, row, suspense, reference }: Subject): Promise<void> {
  const { caller, database } = context;
  if (accountId === null || accountId === caller.accountId || (!row && !suspense)) return;
  const [action, kind] = row
    ? (['transaction.view', 'transaction'] as const)
    : (['suspense.view', 'suspense_entry'] as const);
  const since = instantOf(new Date((await context.clock.nowMs()) - SAME_VIEW_MS));
  const filter = { acts: [action], actorId: caller.id, objectId: reference, since, until: null };
  const slice = { before: null, after: null, isNewestFirst: true, limit: 1 };
  const [before] = await readAudit(database, accountId, filter, slice);
  if (before && millisOf(before.at) >= millisOf(since)) return;
  await withAccounts(context, [caller.accountId, accountId], async (tx, { heads, nowMs: _now, ...time }) => {
    const entry = auditEntry(authorOf(context, action), { kind, id: reference }, time, {});
    for (const head of heads.values()) await appendAudit(tx, head, [entry]);
  });
}
