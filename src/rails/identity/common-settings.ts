/** Settings shared by all providers of identity checks. */
import type { Settings } from '../../base/process/settings.ts';

/** Time settings of the rail. */
export type IdentityTimes = ReturnType<typeof readTimes>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @returns the time settings in milliseconds. */
export function readTimes(settings: Settings) {
  return {
    /** Time limit of a call. */
    timeoutMs: settings.seconds('timeoutSeconds', { min: 1, max: 60, fallback: 10 }),
    /** Interval between queries about an undecided case. */
    pollMs: settings.seconds('pollSeconds', { min: 1, max: 86_400, fallback: 60 }),
    /** Age from which an undecided check has expired. */
    giveUpMs: HOUR_MS * settings.integer('giveUpHours', { min: 1, max: 2_160, fallback: 72 }),
    /** Interval between queries about an approval, which a provider may revoke. */
    recheckMs: settings.seconds('recheckSeconds', { min: 1, max: 2_592_000, fallback: 86_400 }),
    /** Validity of an approval. */
    validMs: DAY_MS * settings.integer('validDays', { min: 1, max: 3_650, fallback: 365 }),
  };
}
