/** Other cases of the customer of a case, with the decision about each, and the number of its notes and files. */
import { type CaseOfCustomer, readCasesOfCustomer } from '../../store/account/cases-of-customer.ts';
import type { Context } from '../services/context.ts';
import { payerOf, scopeOfRelated } from './payer-of-case.ts';
import { REVIEW_KINDS, type ReviewKind } from './queue-sources.ts';
import { caseKeyOf, isOfPlatform, isVisible } from './read-queue.ts';
import { OF_TRANSACTIONS, type Subject } from './read-subject.ts';

/** Another case of the same customer. */
export interface OtherCase extends Omit<CaseOfCustomer, 'kind'> {
  /** As `ReviewCase.id`. */
  readonly id: string;
  readonly kind: ReviewKind;
}

const OF_CUSTOMERS = ['customer_case', 'screening_hit', 'med_case', ...OF_TRANSACTIONS] as const;

/** @returns the cases that the caller may open, newest first; none without a customer. */
export async function otherCasesOf(context: Context, subject: Subject): Promise<readonly OtherCase[]> {
  const { taxId } = payerOf(subject);
  if (subject.accountId === null || taxId === null) return [];
  const { database, mode, caller } = context;
  const kinds = OF_CUSTOMERS.filter((kind) => isVisible(context, kind));
  const seesDecisions = isOfPlatform(context) || caller.scopes.includes('admin');
  const found = await readCasesOfCustomer(database, {
    ...{ mode, taxId, kinds, accountId: scopeOfRelated(context), desk: caller.accountId },
    decisions: seesDecisions ? decisionsOf(kinds) : [],
    otherwise: 'hold',
    without: subject.subject,
  });
  return found.map((each) => {
    const kind = each.kind as ReviewKind;
    return { ...each, kind, id: caseKeyOf(kind, each) };
  });
}

/** Actions that decide cases of transactions. One that decides several kinds stands for the first of them. */
function decisionsOf(kinds: readonly ReviewKind[]): readonly (readonly [string, ReviewKind])[] {
  const pairs = kinds
    .filter((kind) => OF_TRANSACTIONS.includes(kind))
    .flatMap((kind) => REVIEW_KINDS[kind].decisions.map((action) => [action, kind] as const))
    .toReversed();
  return [...new Map(pairs)];
}
