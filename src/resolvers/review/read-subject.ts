/** Subject of a case, which stays when the case is decided. */
import { notFound } from '../../base/errors/errors.ts';
import { findHolder } from '../../store/account/accounts.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import { readNotes } from '../../store/account/review.ts';
import { findProcess } from '../../store/engine/processes.ts';
import { findSuspense, type SuspenseRow } from '../../store/engine/suspense.ts';
import type { MedCase } from '../../store/rails/med-cases.ts';
import type { HitRow } from '../../store/rails/screening-hits.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { findCase } from '../cases/read-cases.ts';
import { forHolder } from '../inbound/list-suspense.ts';
import { findMedCaseFor, transactionOf } from '../med/read-med-cases.ts';
import { findOwnHit } from '../screening/decide-hits.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';
import { isOddId } from '../transactions/read-transaction.ts';
import { REVIEW_KINDS, type ReviewKind } from './queue-sources.ts';
import { decisionsAbout } from './read-decisions.ts';
import { isOfPlatform, isVisible, readReviewQueue } from './read-queue.ts';

/** Subject of a case. */
export interface Subject {
  /** Notes are stored under it: `transaction:account:reference`. */
  readonly subject: string;
  readonly kind: ReviewKind;
  /** Null for the house. */
  readonly accountId: bigint | null;
  readonly reference: string;
  readonly row: ProcessRow | null;
  readonly suspense: SuspenseRow | null;
  /** Of a case of MED without a transaction: the case. */
  readonly medCase?: MedCase;
  readonly customerCase?: CustomerCase;
  readonly hit?: HitRow;
}

const FORM = /^([A-Z_]+):(0|[1-9]\d{0,17}):(.+)$/;
const NUMBER = /^[1-9]\d{0,17}$/;
/** Kinds whose reference is the `end2end` of a transaction. */
export const OF_TRANSACTIONS: readonly ReviewKind[] = [
  'hold',
  'step_up',
  'dispute',
  'failed_refund',
  'held_deposit',
  'outflow_ceiling',
  'approval',
];

/**
 * @returns the subject of the case with this id, whether it waits or not.
 * @throws {GatewayError} `FORBIDDEN` without `read`; `NOT_FOUND` for a subject that does not exist, or that the caller does
 * not see.
 */
export async function findSubject(context: Context, id: string): Promise<Subject> {
  requireScope(context, 'read');
  const { name, accountId, reference } = partsOf(id);
  const kind = (Object.keys(REVIEW_KINDS) as ReviewKind[]).find((each) => each.toUpperCase() === name);
  if (!kind || !isVisible(context, kind)) throw notFound();
  const base = { kind, accountId: accountId === 0n ? null : accountId, reference, row: null, suspense: null };
  if (OF_TRANSACTIONS.includes(kind)) {
    await requireAccount(context, accountId);
    const row = await findProcess(context.database, accountId, reference);
    if (!row) throw notFound();
    return { ...base, row, subject: `transaction:${accountId}:${reference}` };
  }
  if (kind === 'suspense') {
    await requireAccount(context, accountId);
    const found = NUMBER.test(reference)
      ? await findSuspense(context.database, BigInt(reference), context.mode)
      : undefined;
    if (found?.accountId !== accountId) throw notFound();
    const isOperator = context.caller.scopes.includes('platform:risk');
    const suspense = isOperator ? found : forHolder(found, accountId);
    return { ...base, suspense, subject: `suspense:${accountId}:${reference}` };
  }
  if (kind === 'med_case') return medSubject(context, { ...base, accountId });
  const subject = `${kind}:${accountId}:${reference}`;
  if (kind === 'customer_case') {
    const customerCase = await findCase(context, reference);
    if (customerCase?.accountId !== accountId) throw notFound();
    return { ...base, customerCase, subject };
  }
  if (kind === 'screening_hit') return { ...(await ofHit(context, { ...base, accountId })), subject };
  await requireTrace(context, id, { ...base, subject });
  return { ...base, subject };
}

async function ofHit(
  context: Context,
  { accountId, ...base }: Omit<Subject, 'subject' | 'accountId'> & { readonly accountId: bigint },
): Promise<Omit<Subject, 'subject'>> {
  const hit = await findOwnHit(context, base.reference);
  if (hit.accountId !== accountId) throw notFound();
  const row = hit.end2end === null ? undefined : await findProcess(context.database, accountId, hit.end2end);
  return { ...base, accountId, hit, row: row ?? null };
}

/** A subject without a record of its own is known by its case that waits, or by a decision or a note about it. */
async function requireTrace(context: Context, id: string, subject: Subject): Promise<void> {
  if (subject.accountId !== null) await requireAccount(context, subject.accountId);
  const [queue, decisions, notes] = await Promise.all([
    readReviewQueue(context, { kinds: [subject.kind] }),
    decisionsAbout(context, subject),
    readNotes(context.database, context.caller.accountId, subject.subject),
  ]);
  const isKnown = decisions.length > 0 || notes.length > 0 || queue.some((each) => each.id === id);
  if (!isKnown) throw notFound();
}

/** A case about no transaction is the platform's. */
async function medSubject(
  context: Context,
  { accountId, ...base }: Omit<Subject, 'subject' | 'accountId'> & { readonly accountId: bigint },
): Promise<Subject> {
  const { reference } = base;
  const found = await findMedCaseFor(context, reference);
  const row = found ? await transactionOf(context, found) : null;
  if (!found || (row ? row.accountId : 0n) !== accountId) throw notFound();
  const subject = row ? `transaction:${accountId}:${row.end2end}` : `med_case:0:${reference}`;
  return { ...base, accountId: row ? accountId : null, row, subject, medCase: found };
}

function partsOf(id: string) {
  const [, name, account, reference] = isOddId(id) ? [] : (FORM.exec(id) ?? []);
  if (!name || !account || !reference) throw notFound();
  return { name, accountId: BigInt(account), reference };
}

/** The operator sees accounts of its mode, an account holder only its own. */
async function requireAccount(context: Context, accountId: bigint): Promise<void> {
  const { database, mode, caller } = context;
  if (accountId === caller.accountId) return;
  if (isOfPlatform(context) && (await findHolder(database, mode, accountId))) return;
  throw notFound();
}

/** @returns the customer that the subject is about; null for none. */
export function taxIdOf({ row, customerCase, hit }: Subject): string | null {
  return customerCase?.taxId ?? hit?.taxId ?? row?.clientTaxId ?? null;
}
