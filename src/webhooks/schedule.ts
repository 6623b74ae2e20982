/**
 * What follows from one try to deliver a webhook, and when the next is made (C-62; the example schedule of Standard
 * Webhooks 1.0.0). Pure: the moment and the random number come from the caller.
 */
import { assert } from '../base/assert.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Milliseconds to wait after the n-th failed try, from the first on; the first try itself is made at once. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Tries of one delivery in all; after the last one it is dead. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** A delay is up to so much shorter or longer than the schedule's, so that failures do not come back together. */
export const JITTER = 0.1;
/** A receiver puts a delivery off by a day at most, in milliseconds. */
export const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/** Statuses by which a receiver, or what stands before it, says that it gets too much. */
const THROTTLING: readonly number[] = [429, 502, 504];
const GONE = 410;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
/** The three forms that RFC 9110, 5.6.7 has recipients take: of RFC 1123, RFC 850 and asctime. */
const HTTP_DATES = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** How a try ended, as far as the next one goes by it. */
export interface TryOutcome {
  /** Status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why the try failed although there may be a status: an answer that was cut off is none. */
  readonly error: string | null;
  /** The field `Retry-After` of the answer as it came. */
  readonly retryAfter: string | null;
}

/**
 * What becomes of the delivery: it is done; it is tried again after `nextDelayMs`, counted from the end of the try; it
 * is dead, for good unless somebody asks again; or the receiver is gone and the endpoint is to be disabled.
 * `isThrottling` asks to send less to the endpoint as a whole.
 */
export type Verdict =
  | { readonly kind: 'delivered' | 'dead' | 'gone'; readonly isThrottling: boolean }
  | { readonly kind: 'retry'; readonly nextDelayMs: number; readonly isThrottling: boolean };

/**
 * Success is a status of 200 to 299 with its whole answer in time; a redirect is a failure like any other, 410 means
 * that nobody wants the endpoint's webhooks any more.
 *
 * @param outcome - of the try.
 * @param tried - which try it was, from 1; when it ended; a random number from 0 to below 1.
 */
export function verdictOf(
  outcome: TryOutcome,
  tried: { readonly attempt: number; readonly at: Date; readonly random: number },
): Verdict {
  const { status, error } = outcome;
  if (status === GONE) return { kind: 'gone', isThrottling: false };
  if (status !== null && status >= 200 && status < 300 && error === null) {
    return { kind: 'delivered', isThrottling: false };
  }
  const isThrottling = status !== null && THROTTLING.includes(status);
  if (tried.attempt >= ATTEMPTS_MAX) return { kind: 'dead', isThrottling };
  const own = retryDelayMs(tried.attempt, tried.random);
  const asked = outcome.retryAfter === null ? undefined : retryAfterMs(outcome.retryAfter, tried.at);
  return { kind: 'retry', nextDelayMs: Math.max(own, asked ?? 0), isThrottling };
}

/**
 * @param attempt - the try that failed, from 1 to the last but one.
 * @param random - from 0 to below 1.
 * @returns whole milliseconds until the next try: the schedule's delay, a tenth less to a tenth more.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  assert(delay !== undefined, `there is no try after the ${attempt}th`);
  assert(random >= 0 && random < 1, 'the random number is from 0 to below 1');
  return Math.round(delay * (1 + JITTER * (2 * random - 1)));
}

/**
 * Reads the field `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds from `at`, 0 for a date that is past, a day at most; undefined when the text is neither.
 */
export function retryAfterMs(text: string, at: Date): number | undefined {
  const trimmed = text.trim();
  const wait = /^\d+$/.test(trimmed) ? Number(trimmed) * SECOND_MS : waitUntil(trimmed, at);
  return wait === undefined ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS);
}

function waitUntil(text: string, at: Date): number | undefined {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const month = MONTHS.indexOf(parts.month as string);
  const [day, hour, minute] = [Number(parts.day), Number(parts.hour), Number(parts.minute)];
  // A leap second is the last moment of its minute: V8 rolls it over, which is what was meant.
  const second = Number(parts.second);
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const moment = new Date(0);
  moment.setUTCFullYear(fullYear(parts.year as string, at), month, day);
  // V8 rolls 30 February over into March instead of refusing it.
  if (moment.getUTCDate() !== day) return undefined;
  return moment.setUTCHours(hour, minute, second) - at.getTime();
}

/** Two digits mean the year nearest below fifty years from now (RFC 9110, 5.6.7). */
function fullYear(digits: string, at: Date): number {
  if (digits.length === 4) return Number(digits);
  const present = at.getUTCFullYear();
  const year = Math.floor(present / 100) * 100 + Number(digits);
  if (year > present + 50) return year - 100;
  return year <= present - 50 ? year + 100 : year;
}
