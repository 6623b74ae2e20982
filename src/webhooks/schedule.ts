/**
 * The retry schedule of webhooks (C-62; the example schedule of Standard Webhooks 1.0.0): the outcome of an attempt,
 * and the time of the next one. The functions are pure: the caller supplies the time and the random number.
 */
import { assert } from '../base/errors/assert.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Wait after the first failed attempt, the second, and so on. The first attempt is made immediately. Unit: ms. */
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
/** Maximum number of attempts of a delivery; the delivery is dead when the last one fails. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** Each delay is up to 10 % shorter or longer than in the schedule, so that retries of many deliveries spread out. */
export const JITTER = 0.1;
/** The longest `Retry-After` that is honoured. Unit: ms. */
export const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/** Statuses that mean overload, from the receiver or from a proxy in front of it. */
const THROTTLING: readonly number[] = [429, 502, 504];
const GONE = 410;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
/** The three date formats that RFC 9110, 5.6.7 requires recipients to accept: RFC 1123, RFC 850 and asctime. */
const HTTP_DATES = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** Result of an attempt, from which the verdict follows. */
export interface AttemptOutcome {
  /** Status of the answer; null without an answer. */
  readonly status: number | null;
  /** Reason of the failure. May be set together with a status: a truncated response is a failure. */
  readonly error: string | null;
  /** The header field `Retry-After` of the answer, unchanged. */
  readonly retryAfter: string | null;
}

/**
 * Outcome of the delivery. `delivered`: done. `retry`: attempted again `nextDelayMs` after the end of this attempt.
 * `dead`: not attempted again unless it is redelivered. `gone`: the endpoint is to be disabled. `isThrottling`: the
 * receiver is overloaded, so send less to the whole endpoint.
 */
export type Verdict =
  | { readonly kind: 'delivered' | 'dead' | 'gone'; readonly isThrottling: boolean }
  | { readonly kind: 'retry'; readonly nextDelayMs: number; readonly isThrottling: boolean };

/**
 * Success means a status from 200 to 299 and an answer that arrived completely and in time. A redirect is a failure.
 * Status 410 means that the receiver no longer wants webhooks.
 * @param outcome - of the attempt.
 * @param made - number of the attempt, from 1; its end; a random number from 0 to below 1.
 */
export function verdictOf(
  outcome: AttemptOutcome,
  made: { readonly attempt: number; readonly at: Date; readonly random: number },
): Verdict {
  const { status, error } = outcome;
  if (status === GONE) return { kind: 'gone', isThrottling: false };
  if (status !== null && status >= 200 && status < 300 && error === null) {
    return { kind: 'delivered', isThrottling: false };
  }
  const isThrottling = status !== null && THROTTLING.includes(status);
  if (made.attempt >= ATTEMPTS_MAX) return { kind: 'dead', isThrottling };
  const own = retryDelayMs(made.attempt, made.random);
  const requestedMs = outcome.retryAfter === null ? undefined : retryAfterMs(outcome.retryAfter, made.at);
  return { kind: 'retry', nextDelayMs: Math.max(own, requestedMs ?? 0), isThrottling };
}

/**
 * @param attempt - number of the failed attempt, from 1 to ATTEMPTS_MAX - 1.
 * @param random - from 0 to below 1.
 * @returns delay until the next attempt, as in the schedule ±10 %. Unit: whole ms.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  assert(delay !== undefined, `there is no attempt after the ${attempt}th`);
  assert(random >= 0 && random < 1, 'the random number is from 0 to below 1');
  return Math.round(delay * (1 + JITTER * (2 * random - 1)));
}

/**
 * Reads the header field `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3).
 * @returns milliseconds from `at`, from 0 (a past date) to a day; undefined for any other text.
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
  // V8 turns a leap second (60) into the first second of the next minute, as intended.
  const second = Number(parts.second);
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(fullYear(parts.year as string, at), month, day);
  // V8 turns 30 February into 2 March, so a day that changed is refused.
  if (date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second) - at.getTime();
}

/** A two-digit year that would be more than 50 years in the future means the past century (RFC 9110, 5.6.7). */
function fullYear(digits: string, at: Date): number {
  if (digits.length === 4) return Number(digits);
  const present = at.getUTCFullYear();
  const year = Math.floor(present / 100) * 100 + Number(digits);
  if (year > present + 50) return year - 100;
  return year <= present - 50 ? year + 100 : year;
}
