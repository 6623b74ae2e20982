/**
 * Instants as PostgreSQL prints them under UTC (`2026-05-04 12:00:00.123+00`), and days as `YYYY-MM-DD`. Storing the text
 * avoids conversions between the database and the wire; a Date is made only if needed.
 */

/** An instant as the database prints it: `YYYY-MM-DD HH:MM:SS[.mmm]+00`. */
export type Instant = string;

/** RFC 3339, 5.6: `t` and `z` may be lower case, a fraction has any number of digits, and a minute may have a leap second. */
const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const ZONED = /(?:[Zz]|[+-]\d{2}:\d{2})$/;
/** Brasília has had no summer time since 2019. */
const BRASILIA = '-03:00';
/** UTC has its leap seconds at the end of a day. */
const DAY_END = /T23:59:59\.\d{3}Z$/;
const SECOND_MS = 1_000;
const TEXT_MAX = 64;
const PLUS = 43;
const ISO_DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

/** @returns the instant in whole seconds, `2026-05-04T12:00:00Z` (C-2). */
export function isoSeconds(instant: Instant): string {
  return `${instant.slice(0, 10)}T${instant.slice(11, 19)}Z`;
}

/** @returns the instant with all stored precision, `2026-05-04T12:00:00.000Z`. */
export function isoMillis(instant: Instant): string {
  // Nearly all instants have three fractional digits before the zone.
  if (instant.charCodeAt(23) === PLUS) return `${instant.slice(0, 10)}T${instant.slice(11, 23)}Z`;
  const fraction = instant.charCodeAt(19) === 46 ? instant.slice(20, 23).replace(/\D.*/, '') : '';
  return `${instant.slice(0, 10)}T${instant.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/**
 * @returns the instant in whole seconds if it is a whole second, otherwise with its fraction; no digit is lost or
 * added.
 */
export function isoExact(instant: Instant): string {
  const millis = isoMillis(instant);
  return millis.endsWith('.000Z') ? isoSeconds(instant) : millis;
}

/**
 * Reads an instant of RFC 3339, which has a zone. A leap second is read as the next second.
 * @returns the instant to the millisecond in UTC, of the years 1 to 9999, or undefined when the text is not one or
 * names an instant that does not exist (30 February, 25:00).
 */
export function parseInstant(text: string): Date | undefined {
  const parts = text.length > TEXT_MAX ? null : RFC_3339.exec(text);
  if (!parts || parseDay(parts[1] as string) === undefined) return undefined;
  const [, day, hour, minute, second, fraction = '', zone = ''] = parts;
  const isLeap = second === '60';
  const instant = new Date(
    `${day}T${hour}:${minute}:${isLeap ? '59' : second}${fraction.slice(0, 4)}${zone.toUpperCase()}`,
  );
  if (Number.isNaN(instant.getTime()) || (isLeap && !DAY_END.test(instant.toISOString()))) return undefined;
  // The zone can shift the time to a year that cannot be printed.
  if (!ISO_DAY.test(instant.toISOString().slice(0, 10))) return undefined;
  return isLeap ? new Date(instant.getTime() + SECOND_MS) : instant;
}

/** Like `parseInstant`; a time without a zone is in Brasília time, on every machine (C-36). */
export function parseBrasiliaInstant(text: string): Date | undefined {
  return parseInstant(ZONED.test(text) ? text : text + BRASILIA);
}

/** @returns the day if the text is an existing `YYYY-MM-DD` of the years 1 to 9999; otherwise undefined (C-13). */
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

/** @returns milliseconds since 1970 of an instant that the database printed. */
export function millisOf(instant: Instant): number {
  return Date.parse(isoMillis(instant));
}
