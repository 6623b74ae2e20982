/** What the limits count of a transaction, from its step and its facts alone (C-21, C-22; docs/limits.md). */

import { brasiliaDay } from '../base/brasilia-day.ts';
import { BRL } from '../base/currency.ts';
import { millisOf } from '../base/instant.ts';
import type { Step, Template } from './define.ts';
import type { Counted, ProcessRow } from './facts.ts';

/** Under this name the withdrawals of an account are counted that nobody approved. */
export const WITHDRAWALS = 'withdrawals';

/** What a transaction takes of a limit. */
export interface Claim {
  /** Tax id of the customer, or `WITHDRAWALS`. */
  readonly subject: string;
  /** Decimal text. */
  readonly brl: string;
  /** When it was paid; null while it can still be. */
  readonly paidAtMs: number | null;
}

/** The facts of a transaction that say what it takes. */
export type ClaimFacts = Pick<
  ProcessRow,
  | 'component'
  | 'state'
  | 'process'
  | 'createdAt'
  | 'sourceCurrency'
  | 'sourceAmount'
  | 'targetCurrency'
  | 'targetAmount'
  | 'clientTaxId'
>;

/**
 * @returns undefined where nothing is counted: it did not begin, its customer or its amount is not known, or no money
 *   moved by it or is still to move. What was turned down, has failed or expired, or went back counts nothing.
 */
export function claimOf(template: Template, row: ClaimFacts): Claim | undefined {
  const { process } = row;
  const step = template.steps.find(
    ({ component, state }) => component === row.component && state === row.state,
  );
  if (!process || !step || isVoid(step, row)) return undefined;
  if (process.worth !== undefined)
    return process.needsApproval
      ? undefined
      : { subject: WITHDRAWALS, brl: process.worth, paidAtMs: millisOf(row.createdAt) };
  const brl = row.sourceCurrency === BRL.code ? row.sourceAmount : row.targetAmount;
  if (row.clientTaxId === null || brl === null) return undefined;
  return {
    subject: row.clientTaxId,
    brl,
    paidAtMs: process.paidAt === undefined ? null : Date.parse(process.paidAt),
  };
}

/** @returns how a claim is counted: on the day of its payment, and until then on the day on which it was made. */
export function countedOf({ subject, brl, paidAtMs }: Claim, nowMs: number): Counted {
  return { subject, brl, day: brasiliaDay(paidAtMs ?? nowMs), isPaid: paidAtMs !== null };
}

/** @returns whether both count the same. */
export function isSameClaim(left: Claim | undefined, right: Claim | undefined): boolean {
  if (!left || !right) return left === right;
  return left.subject === right.subject && left.brl === right.brl && left.paidAtMs === right.paidAtMs;
}

const VOID_STATUSES: ReadonlySet<string> = new Set(['Failed', 'Cancelled', 'Expired', 'Refunded']);

function isVoid({ component, status, errorMessage }: Step, { process, targetCurrency }: ClaimFacts): boolean {
  // A deposit that was credited instead of being paid out counts nothing; a payment whose delivery failed was paid.
  if (status.en === 'Partial Success') return targetCurrency === BRL.code;
  return (
    VOID_STATUSES.has(status.en) ||
    errorMessage.en !== '' ||
    component === 'refund' ||
    process?.isOverLimit === true ||
    process?.isTurnedDown === true
  );
}
