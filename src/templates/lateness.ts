/** Deadlines of a session for payments, and for payments at its price; the same for PIX and deposits (C-21, C-32). */

import { known } from '../base/errors/assert.ts';
import { millisOf } from '../base/time/instant.ts';
import { expiryOf, GRACE_MS, lockEndOf } from './effects.ts';
import type { ProcessRow } from './facts.ts';
import type { Change, View } from './transition.ts';
import type { Trigger } from './triggers.ts';

/** @returns whether an event at this time, by the rail's clock, is too late to count as payment of the session. */
export function isTooLate({ row, process }: Pick<View, 'row' | 'process'>, happenedAt: string): boolean {
  const happened = Date.parse(happenedAt);
  if (process.expiredAt && happened > Date.parse(process.expiredAt)) return true;
  return happened > graceEnd(row);
}

/** Maximum difference between the clocks of banks and ours at which a payment is not suspicious. */
const CLOCKS_MS = 120_000;

/**
 * @returns whether a payment has an impossible time: before its charge existed, or in the future. Its timeliness cannot
 * be decided then, so no transaction accepts it, and no money is refunded automatically (C-36).
 */
export function isImpossible(
  { row, process, nowMs }: Pick<View, 'row' | 'process' | 'nowMs'>,
  happenedAt: string,
): boolean {
  const happened = Date.parse(happenedAt);
  const chargedMs = process.chargedAt === undefined ? millisOf(row.createdAt) : Date.parse(process.chargedAt);
  return happened < chargedMs - CLOCKS_MS || happened > nowMs + CLOCKS_MS;
}

/** A trigger for arrived money. */
export type Arrival = Trigger<'pix_received' | 'deposit_seen'>;

/**
 * Whether money arrived after the lock of the price and has no new price yet: by the rail's clock, with the same grace
 * period as at the end of a session (C-21).
 */
export function needsPrice(row: ProcessRow, trigger: Trigger): trigger is Arrival {
  if (trigger.on !== 'pix_received' && trigger.on !== 'deposit_seen') return false;
  const end = lockEndOf(row);
  const happenedAt = trigger.on === 'pix_received' ? trigger.settledAt : trigger.seenAt;
  return end !== undefined && trigger.price === undefined && Date.parse(happenedAt) > end + GRACE_MS;
}

/** @returns whether the price is still valid: its lock has not ended, or ended only within the grace period (C-21). */
export function isPriceLocked({ row, nowMs }: Pick<View, 'row' | 'nowMs'>): boolean {
  return nowMs <= (lockEndOf(row) ?? nowMs) + GRACE_MS;
}

/** PIX accepts a dispute (MED) up to 80 days after the payment. */
const DISPUTE_MAX_MS = 80 * 86_400_000;

/** PIX accepts a refund of a payment up to 90 days after it. */
const REFUND_MAX_MS = 90 * 86_400_000;

/**
 * @returns whether a finished payment is young enough to be disputed; the payment itself came shortly before it was
 * finished.
 */
export function isDisputable(view: Pick<View, 'row' | 'process' | 'nowMs'>): boolean {
  return sinceFinished(view) <= DISPUTE_MAX_MS;
}

/**
 * @returns whether a finished payment is young enough to be refunded, and has no open MED case: a bank may take the
 * same money.
 */
export function isRefundable(view: Pick<View, 'row' | 'process' | 'nowMs'>): boolean {
  const isClaimed = (view.process.medCases ?? []).length > 0;
  return !isClaimed && sinceFinished(view) <= REFUND_MAX_MS;
}

function sinceFinished({ row, process, nowMs }: Pick<View, 'row' | 'process' | 'nowMs'>): number {
  return nowMs - millisOf(process.finishedAt ?? row.updatedAt);
}

/** Ends a session for payments after the grace period, or immediately if that is forced. */
export const expiry = {
  when: ({ trigger, row, nowMs }: View<'expired'>): boolean =>
    trigger.isForced === true || nowMs >= graceEnd(row),
  set: ({ nowMs }: View): Change => ({ process: { expiredAt: new Date(nowMs).toISOString() } }),
} as const;

function graceEnd(row: View['row']): number {
  return known(expiryOf(row), 'an end') + GRACE_MS;
}
