/** Payments that are related to a case: of the same customer, and with the same wallet. */
import { sum } from '../../base/money/money.ts';
import { type RelatedBy, type RelatedSum, readRelated, sumRelated } from '../../store/engine/related.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { STATUS_CODES } from '../../templates/status.ts';
import type { Context } from '../services/context.ts';
import { payerOf, scopeOfRelated } from './payer-of-case.ts';
import type { Subject } from './read-subject.ts';

/** Outcomes by which related payments are summed, with their meaning. */
export const OUTCOMES = {
  OPEN: 'It can go on.',
  ...{ SUCCESS: STATUS_CODES.SUCCESS, PARTIAL_SUCCESS: STATUS_CODES.PARTIAL_SUCCESS },
  ...{ FAILED: STATUS_CODES.FAILED, EXPIRED: STATUS_CODES.EXPIRED, CANCELLED: STATUS_CODES.CANCELLED },
  REFUNDED: STATUS_CODES.REFUNDED,
} as const;

/** Number and BRL of related payments with one outcome. */
export type OutcomeSum = Omit<RelatedSum, 'accountId'>;

/** Related payments: the newest, and sums over all of them. */
export interface RelatedPayments {
  readonly rows: readonly ProcessRow[];
  /** Number of accounts that have any. */
  readonly accounts: number;
  readonly sums: readonly OutcomeSum[];
}

const NONE: RelatedPayments = { rows: [], accounts: 0, sums: [] };

/** @returns the payments of the caller's account; with `platform:risk`, of all accounts of the mode. */
export async function relatedTo(
  context: Context,
  subject: Subject,
): Promise<{ readonly samePayer: RelatedPayments; readonly sameWallet: RelatedPayments }> {
  if (subject.accountId === null) return { samePayer: NONE, sameWallet: NONE };
  const { taxId, address } = payerOf(subject);
  const [samePayer, sameWallet] = await Promise.all([
    relatedBy(context, subject, 'payer', taxId),
    relatedBy(context, subject, 'wallet', address),
  ]);
  return { samePayer, sameWallet };
}

async function relatedBy(
  context: Context,
  { row }: Subject,
  by: RelatedBy,
  value: string | null,
): Promise<RelatedPayments> {
  const { database, mode } = context;
  const filter = { mode, accountId: scopeOfRelated(context), without: row, value };
  const [rows, sums] = await Promise.all([
    readRelated(database, by, filter),
    sumRelated(database, by, filter),
  ]);
  return { rows, accounts: new Set(sums.map(({ accountId }) => accountId)).size, sums: overAccounts(sums) };
}

function overAccounts(sums: readonly RelatedSum[]): readonly OutcomeSum[] {
  const byOutcome = Map.groupBy(sums, ({ outcome }) => outcome);
  return [...byOutcome]
    .map(([outcome, parts]) => ({
      outcome,
      count: parts.reduce((total, { count }) => total + count, 0),
      brl: sum(parts.map(({ brl }) => brl)),
    }))
    .toSorted((left, right) => right.count - left.count);
}
