/**
 * Times in the notation of a language, in Brazil's time zone: PIX is paid there, and no page knows its reader's zone.
 */

import { label } from '../base/text/label.ts';
import { type Instant, isoMillis, millisOf } from '../base/time/instant.ts';
import { type Html, html } from './html.ts';
import { type Language, TAGS } from './language.ts';

const TIME_ZONE = 'America/Sao_Paulo';
const IN_BRASILIA = label('(Brasília time)', '(horário de Brasília)');

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SECOND = { ...TIME, second: '2-digit' } as const;
const MILLIS = { ...SECOND, fractionalSecondDigits: 3 } as const;
const DAY = { month: 'short', day: 'numeric' } as const;

const TIME_FORMS = {
  /** `Nov 21, 2026, 14:35` */
  moment: { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
  /** Format with seconds, for receipts. */
  second: { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' },
  day: { dateStyle: 'medium' },
  /** `Saturday, November 21, 2026 at 14:35` */
  full: { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' },
  time: TIME,
  /** `14:35:12.006`, the format of the axis. */
  millis: MILLIS,
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Format for lists, most of whose times are of this year: `Nov 21, 14:35`. */
const NEAR = {
  day: DAY,
  minute: { ...DAY, ...TIME },
  second: { ...DAY, ...SECOND },
  millis: { ...DAY, ...MILLIS },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Precision of a time. */
export type TimeForm = keyof typeof TIME_FORMS;
/** Precision of a time in a list. */
export type NearForm = keyof typeof NEAR;

/** @returns a time in Brazil's zone, with the zone's name. */
export function showTime(instant: Instant, language: Language, form: TimeForm = 'moment'): Html {
  return html`<time datetime="${isoMillis(instant)}">${instantText(instant, language, form)} ${IN_BRASILIA[language]}</time>`;
}

/** @returns the time as text. */
export function instantText(instant: Instant, language: Language, form: TimeForm): string {
  return timeText(millisOf(instant), language, form);
}

/** @returns a time, in ms since 1970, as text. */
export function timeText(millis: number, language: Language, form: TimeForm): string {
  const format = formatOf(form, language, TIME_FORMS[form]);
  return form === 'moment' ? minuteText(millis, `${form} ${language}`, format) : format.format(millis);
}

const HOUR_MS = 3_600_000;
/** Texts of the beginnings of hours, such as `Nov 21, 2026, 14:00`: a page has many times within the same hours. */
const hours = new Map<string, string>();
const HOURS_MAX = 10_000;

/** @returns a time by a format that ends with the minute. No zone of ours is apart from UTC by parts of an hour. */
function minuteText(millis: number, name: string, format: Intl.DateTimeFormat): string {
  const hour = Math.floor(millis / HOUR_MS);
  const key = `${name} ${hour}`;
  let text = hours.get(key);
  if (text === undefined) {
    if (hours.size >= HOURS_MAX) hours.clear();
    text = format.format(hour * HOUR_MS).slice(0, -2);
    hours.set(key, text);
  }
  const minute = Math.floor((millis - hour * HOUR_MS) / 60_000);
  return minute < 10 ? `${text}0${minute}` : `${text}${minute}`;
}

/** @returns a day of Brasília, such as `2026-11-22`, as text. */
export function dayText(day: string, language: Language): string {
  return timeText(Date.parse(`${day}T12:00:00-03:00`), language, 'day');
}

/** @returns the day in the format of a list: the year is shown if it is not that of `now`. */
export function nearText(millis: number, language: Language, form: NearForm, now = Date.now()): string {
  if (yearOf(millis) === yearOf(now)) return formatOf(`near ${form}`, language, NEAR[form]).format(millis);
  return formatOf(`far ${form}`, language, { ...NEAR[form], year: 'numeric' }).format(millis);
}

/** Years by the hour since 1970, because no year begins within an hour: a list has many times within the same hours. */
const years = new Map<number, string>();
const YEARS_MAX = 10_000;

function yearOf(millis: number): string {
  const hour = Math.floor(millis / HOUR_MS);
  let year = years.get(hour);
  if (year === undefined) {
    if (years.size >= YEARS_MAX) years.clear();
    year = formatOf('year', 'en', { year: 'numeric' }).format(millis);
    years.set(hour, year);
  }
  return year;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format is slow to create, and is reused. */
function formatOf(name: string, language: Language, traits: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${language}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(TAGS[language], { timeZone: TIME_ZONE, ...traits });
  formats.set(key, made);
  return made;
}
