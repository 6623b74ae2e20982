/** Settings that providers of identity checks have in common. */
import type { Settings } from '../../base/process/settings.ts';

/** Times of the rail. */
export type IdentityTimes = ReturnType<typeof readTimes>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @returns times in milliseconds. */
export function readTimes(settings: Settings) {
  return {
    /** Time limit of a call. */
    timeoutMs: settings.seconds('timeoutSeconds', { min: 1, max: 60, fallback: 10 }),
    /** Between two questions about a case that is not decided. */
    pollMs: settings.seconds('pollSeconds', { min: 1, max: 86_400, fallback: 60 }),
    /** After this a check without a decision has expired. */
    giveUpMs: HOUR_MS * settings.integer('giveUpHours', { min: 1, max: 2_160, fallback: 72 }),
    /** Between two questions about an approval, which a provider may take back. */
    recheckMs: settings.seconds('recheckSeconds', { min: 1, max: 2_592_000, fallback: 86_400 }),
    /** For how long an approval holds. */
    validMs: DAY_MS * settings.integer('validDays', { min: 1, max: 3_650, fallback: 365 }),
  };
}
