/**
 * Times of queries about orders: frequent at first, then at growing intervals. Milliseconds of the database's clock.
 */

const FIRST_MS = 5_000;
const OPEN_MAX_MS = 600_000;
const DAY_MS = 86_400_000;
/** Time after which an order that the provider does not have is no longer queried: a person settles it. Unit: ms. */
const MISSING_MAX_MS = 30 * DAY_MS;
/** Bounds of the interval between queries for a returned payout; the interval equals the payout's age. Unit: ms. */
const RETURN_FIRST_MS = 120_000;
const RETURN_MAX_MS = 3 * DAY_MS;
/** Time during which a payout can be returned (BACEN: 90 days). Unit: ms. */
const RETURNABLE_MS = 90 * DAY_MS;

/** @returns time of the next query about an open order. The interval equals the order's age, within bounds. */
export function afterOpen(placedAtMs: number, nowMs: number): number {
  return nowMs + Math.min(Math.max(nowMs - placedAtMs, FIRST_MS), OPEN_MAX_MS);
}

/**
 * @returns time of the next query about an order that the provider does not have; null when a person has to settle it. The interval
 *   equals the time since it was sent, at most a day.
 */
export function afterMissing(sentAtMs: number, nowMs: number): number | null {
  const ageMs = nowMs - sentAtMs;
  return ageMs > MISSING_MAX_MS ? null : nowMs + Math.min(Math.max(ageMs, FIRST_MS), DAY_MS);
}

/**
 * @returns time of the next query for a return of a payout, whose callback may be lost; null when returns are no longer
 *   possible.
 */
export function afterPayout(endedAtMs: number, nowMs: number): number | null {
  const ageMs = nowMs - endedAtMs;
  return ageMs > RETURNABLE_MS ? null : nowMs + Math.min(Math.max(ageMs, RETURN_FIRST_MS), RETURN_MAX_MS);
}
