/**
 * Checks of both directions before a payer gets payment instructions: the quote is open, and the person is admitted.
 */
import { unpaidEndOf } from './effects.ts';
import type { Change, View } from './transition.ts';

/** Accepts a quote while its session and its price are valid; after that the session's own expiry applies. */
export const acceptance = {
  when: ({ row, nowMs }: View): boolean => nowMs <= (unpaidEndOf(row) ?? nowMs),
  set: (): Change => ({ process: { isAccepted: true } }),
  effects: ['expire'],
} as const;

/** Ends a session that cannot be paid yet. */
export const unpaidExpiry = {
  when: ({ row, trigger, nowMs }: View<'expired'>): boolean =>
    trigger.isForced === true || nowMs >= (unpaidEndOf(row) ?? nowMs),
} as const;

/** @returns whether the customer or payee is admitted. */
export function isAdmitted({ process }: View): boolean {
  return process.isAdmitted === true;
}

/** Admits a customer or payee for the first time; orders of an earlier admission are not repeated. */
export const admitOnce = {
  when: (view: View): boolean => !isAdmitted(view),
  set: (): Change => ({ process: { isAdmitted: true } }),
} as const;

/** The payment exceeds the customer's limit: it is held until a person decides. */
export const overLimit = { set: (): Change => ({ process: { isOverLimit: true } }) } as const;

/** The hold was released, so the payment counts from this time. */
export function withinLimit(): Change {
  return { process: { isOverLimit: false } };
}

/** @returns the current time as the time of the payment, for the limits of its day. */
export function paidNow({ nowMs }: View): Change {
  return { process: { paidAt: new Date(nowMs).toISOString() } };
}
