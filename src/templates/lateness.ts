/** Until when a session may be paid: its end and the grace after it, the same for payments and deposits (C-32). */
import { known } from './amounts.ts';
import { expiryOf, GRACE_MS } from './effects.ts';
import type { Change, View } from './transition.ts';

/** @returns whether something that happened at this moment, by the rail's clock, is too late to be paid for the session. */
export function isTooLate({ row, process }: Pick<View, 'row' | 'process'>, happenedAt: string): boolean {
  const happened = Date.parse(happenedAt);
  if (process.expiredAt && happened > Date.parse(process.expiredAt)) return true;
  return happened > graceEnd(row);
}

/** Ends a session for payments once the grace is over, or at once where that is forced. */
export const expiry = {
  when: ({ trigger, row, nowMs }: View<'expired'>): boolean =>
    trigger.isForced === true || nowMs >= graceEnd(row),
  set: ({ nowMs }: View): Change => ({ process: { expiredAt: new Date(nowMs).toISOString() } }),
} as const;

function graceEnd(row: View['row']): number {
  return known(expiryOf(row), 'an end') + GRACE_MS;
}
