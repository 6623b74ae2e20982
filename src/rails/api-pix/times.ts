/** When a provider is asked about orders: soon at first, and then less and less often. Milliseconds of the database's clock. */

const FIRST_MS = 5_000;
const OPEN_MAX_MS = 600_000;
const DAY_MS = 86_400_000;
/** Between two questions whether a payout came back: as long as it is old, within these. Unit: ms. */
const RETURN_FIRST_MS = 120_000;
const RETURN_MAX_MS = 3 * DAY_MS;
/** A payout can come back for so long (BACEN: returns within 90 days). */
const RETURNABLE_MS = 90 * DAY_MS;

/** @returns when the provider is asked next about an order that it has not decided: after as long as it is old, within bounds. */
export function afterOpen(placedAtMs: number, nowMs: number): number {
  return nowMs + Math.min(Math.max(nowMs - placedAtMs, FIRST_MS), OPEN_MAX_MS);
}

/** @returns when the provider is asked next whether a payout came back, which its callback may not have told; null once it cannot any more. */
export function afterPayout(endedAtMs: number, nowMs: number): number | null {
  const ageMs = nowMs - endedAtMs;
  return ageMs > RETURNABLE_MS ? null : nowMs + Math.min(Math.max(ageMs, RETURN_FIRST_MS), RETURN_MAX_MS);
}
