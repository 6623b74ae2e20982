/**
 * Instants as PostgreSQL prints them under UTC (`2026-05-04 12:00:00.123+00`), and days as `YYYY-MM-DD`. Keeping
 * the text costs nothing on the way from the database to the wire; a Date is made only where one is needed.
 */

/** An instant as the database prints it: `YYYY-MM-DD HH:MM:SS[.mmm]+00`. */
export type Instant = string;

const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const PLUS = 43;
const ISO_DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

/** @returns the instant in whole seconds, `2026-05-04T12:00:00Z` (C-2). */
export function isoSeconds(instant: Instant): string {
  return `${instant.slice(0, 10)}T${instant.slice(11, 19)}Z`;
}

/** @returns the instant with all stored precision, `2026-05-04T12:00:00.000Z`. */
export function isoMillis(instant: Instant): string {
  // Nearly all have three digits, and then the zone.
  if (instant.charCodeAt(23) === PLUS) return `${instant.slice(0, 10)}T${instant.slice(11, 23)}Z`;
  const fraction = instant.charCodeAt(19) === 46 ? instant.slice(20, 23).replace(/\D.*/, '') : '';
  return `${instant.slice(0, 10)}T${instant.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** @returns the instant in whole seconds where it is one, else with its fraction: nothing is lost, nothing added. */
export function isoExact(instant: Instant): string {
  const millis = isoMillis(instant);
  return millis.endsWith('.000Z') ? isoSeconds(instant) : millis;
}

/**
 * Reads an ISO 8601 instant with a zone.
 *
 * @returns the instant to the millisecond in UTC, or undefined when the text is not one or names a moment that does
 *   not exist (30 February, 25:00).
 */
export function parseInstant(text: string): Date | undefined {
  const parts = ISO_INSTANT.exec(text);
  if (!parts || parseDay(parts[1] as string) === undefined) return undefined;
  if (Number(parts[2]) > 23 || Number(parts[3]) > 59 || Number(parts[4]) > 59) return undefined;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** @returns the day when the text is an existing `YYYY-MM-DD` of the years 1 to 9999, else undefined (C-13). */
export function parseDay(text: string): string | undefined {
  if (!ISO_DAY.test(text)) return undefined;
  const midnight = new Date(`${text}T00:00:00Z`);
  // V8 rolls 30 February over into March instead of refusing it.
  return Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== text ? undefined : text;
}

/** @returns the instant as the database prints it, to the millisecond. */
export function instantOf(date: Date): Instant {
  return date.toISOString().replace('T', ' ').replace('Z', '+00');
}

/** @returns the moment of an instant that the database printed, in milliseconds since 1970. */
export function millisOf(instant: Instant): number {
  return Date.parse(isoMillis(instant));
}
