/** Time zones of files: days, and times of day with their offset. */
import { brasiliaDay, brasiliaMidnight, dayAfter } from './brasilia-day.ts';
import { type Instant, isoMillis, millisOf } from './instant.ts';

/** Names of the time zone database. */
export const ZONES = ['UTC', 'America/Sao_Paulo'] as const;
/** A member of ZONES. */
export type Zone = (typeof ZONES)[number];

/** Zone of accountants: Brasília time. */
export const BRASILIA: Zone = 'America/Sao_Paulo';

/** An instant in the local time of a zone. */
export interface WallTime {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** `HH:MM:SS`. */
  readonly time: string;
  /** Offset from UTC in hours; negative in Brazil. */
  readonly offset: number;
}

/** Days of a zone, both included; either may be missing. */
export interface DayRange {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: BRASILIA,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** Years have four digits. */
const LAST_DAY = '9999-12-31';

/** @returns the day of an instant. */
export function dayIn(zone: Zone, instant: Instant): string {
  return zone === 'UTC' ? instant.slice(0, 10) : brasiliaDay(millisOf(instant));
}

/** @returns day, time and offset of an instant. */
export function wallTime(zone: Zone, instant: Instant): WallTime {
  if (zone === 'UTC') return { day: instant.slice(0, 10), time: instant.slice(11, 19), offset: 0 };
  const ms = millisOf(instant);
  const [day, time] = [brasiliaDay(ms), CLOCK.format(ms)];
  const seconds = Math.floor(ms / SECOND_MS) * SECOND_MS;
  return { day, time, offset: Math.round((Date.parse(`${day}T${time}Z`) - seconds) / HOUR_MS) };
}

/** @returns an instant in ISO 8601 with milliseconds: `2026-11-28T21:27:47.000-03:00`, in UTC with `Z`. */
export function isoIn(zone: Zone, instant: Instant): string {
  const utc = isoMillis(instant);
  if (zone === 'UTC') return utc;
  const { day, time, offset } = wallTime(zone, instant);
  const hours = String(Math.abs(offset)).padStart(2, '0');
  return `${day}T${time}${utc.slice(19, -1)}${offset < 0 ? '-' : '+'}${hours}:00`;
}

/** @returns the first instant of a day. Unit: ms since 1970. */
export function startOf(zone: Zone, day: string): number {
  return zone === 'UTC' ? Date.parse(`${day}T00:00:00Z`) : brasiliaMidnight(day);
}

/**
 * @returns the first instant of the days, and the first instant after them; undefined for an open bound. Unit: ms since
 * 1970.
 */
export function boundsIn(
  zone: Zone,
  { dateFrom, dateTo }: DayRange,
): { readonly from: number | undefined; readonly to: number | undefined } {
  return {
    from: dateFrom === undefined ? undefined : startOf(zone, dateFrom),
    to: dateTo === undefined || dateTo >= LAST_DAY ? undefined : startOf(zone, dayAfter(dateTo)),
  };
}

/**
 * Returns the days of UTC that contain days of a zone: lists are read by days of UTC, and `isWithin` excludes times
 * outside of the zone's days.
 */
export function utcDaysOf(
  zone: Zone,
  range: DayRange,
): { readonly dateFrom?: string; readonly dateTo?: string } {
  const { from, to } = boundsIn(zone, range);
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return {
    ...(from !== undefined && { dateFrom: dayOf(from) }),
    ...(to !== undefined && { dateTo: dayOf(to - 1) }),
  };
}

/** @returns whether an instant is within days of a zone. */
export function isWithin(zone: Zone, range: DayRange, instant: Instant): boolean {
  const { dateFrom, dateTo } = range;
  if (dateFrom === undefined && dateTo === undefined) return true;
  const day = dayIn(zone, instant);
  return (dateFrom === undefined || day >= dateFrom) && (dateTo === undefined || day <= dateTo);
}
