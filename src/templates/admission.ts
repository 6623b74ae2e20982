/** What both directions ask before a payer is told where to pay: that the quote is open, and the person in order. */
import { expiryOf } from './effects.ts';
import type { Change, View } from './transition.ts';

/** @returns whether the quote has not come to its end. */
export function isQuoteOpen({ row, nowMs }: View): boolean {
  const end = expiryOf(row);
  return end === undefined || nowMs <= end;
}

/** @returns whether the customer or payee may go on. */
export function isAdmitted({ process }: View): boolean {
  return process.isAdmitted === true;
}

/** Admits a customer or payee, the first time; what was ordered by that is not ordered twice. */
export const admitOnce = {
  when: (view: View): boolean => !isAdmitted(view),
  set: (): Change => ({ process: { isAdmitted: true } }),
} as const;
