/**
 * Goal: C-62: deliveries are tried again by the schedule, when the receiver asks for it, and not for ever. Method: every
 * status once; the bounds of each delay under many random numbers; the forms of RFC 9110 and texts beside them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ATTEMPTS_MAX,
  type AttemptOutcome,
  JITTER,
  RETRY_AFTER_MAX_MS,
  RETRY_DELAYS_MS,
  retryAfterMs,
  retryDelayMs,
  verdictOf,
} from '../../src/webhooks/schedule.ts';

const AT = new Date('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;
const SEED = { seed: 20_261_121 };

const outcome = (change: Partial<AttemptOutcome>): AttemptOutcome => ({
  status: null,
  error: null,
  retryAfter: null,
  ...change,
});
const tried = (attempt: number, random = 0.5) => ({ attempt, at: AT, random });

const attempts = fc.integer({ min: 1, max: ATTEMPTS_MAX });
const statuses = fc.option(fc.integer({ min: 100, max: 599 }));
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfters = fc.option(
  fc.oneof(
    fc.nat(200_000).map(String),
    fc.bigInt({ min: 0n }).map(String),
    fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('2200-01-01') })
      .map((date) => date.toUTCString()),
    fc.string(),
  ),
);

describe('C-62: the schedule', () => {
  test('is ten attempts over 75 h 35 min 5 s', () => {
    const [s, m, h] = [1000, 60_000, 3_600_000];
    expect(RETRY_DELAYS_MS).toEqual([5 * s, 5 * m, 30 * m, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h]);
    expect(ATTEMPTS_MAX).toBe(10);
    expect(RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay)).toBe(75 * h + 35 * m + 5 * s);
  });

  test('every failed attempt is followed by the next, except the last', () => {
    const failed = outcome({ error: 'TIMEOUT' });
    const verdicts = Array.from({ length: ATTEMPTS_MAX }, (_, index) => verdictOf(failed, tried(index + 1)));
    expect(verdicts).toEqual([
      ...RETRY_DELAYS_MS.map((nextDelayMs) => ({ kind: 'retry', nextDelayMs, isThrottling: false })),
      { kind: 'dead', isThrottling: false },
    ]);
  });

  test('delays stay within a tenth of the schedule and reach both ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: ATTEMPTS_MAX - 1 }), randoms, (attempt, random) => {
        const delay = RETRY_DELAYS_MS[attempt - 1] as number;
        const jittered = retryDelayMs(attempt, random);
        expect(Number.isSafeInteger(jittered)).toBe(true);
        expect(jittered).toBeGreaterThanOrEqual(delay * (1 - JITTER));
        expect(jittered).toBeLessThanOrEqual(delay * (1 + JITTER));
      }),
      SEED,
    );
    expect([retryDelayMs(1, 0), retryDelayMs(1, 0.5), retryDelayMs(1, 1 - 2 ** -53)]).toEqual([
      4500, 5000, 5500,
    ]);
  });

  test.each([
    [0, 0.5],
    [10, 0.5],
    [1.5, 0.5],
    [1, 1],
    [1, -0.1],
    [1, Number.NaN],
  ])('there is no delay after attempt %d with random %d', (attempt, random) => {
    expect(() => retryDelayMs(attempt, random)).toThrow(/assertion/);
  });
});

describe('C-62: verdicts', () => {
  test.each([200, 201, 202, 204, 226, 299])('%i is success', (status) => {
    expect(verdictOf(outcome({ status }), tried(1))).toEqual({ kind: 'delivered', isThrottling: false });
    expect(verdictOf(outcome({ status }), tried(ATTEMPTS_MAX)).kind).toBe('delivered');
  });

  test.each([
    100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 399, 400, 401, 404, 409, 422, 500, 501, 503, 599,
  ])('%i is failure', (status) => {
    expect(verdictOf(outcome({ status }), tried(1))).toMatchObject({ kind: 'retry', isThrottling: false });
  });

  test.each([429, 502, 504])('%i throttles the endpoint', (status) => {
    expect(verdictOf(outcome({ status }), tried(1))).toMatchObject({ kind: 'retry', isThrottling: true });
    expect(verdictOf(outcome({ status }), tried(ATTEMPTS_MAX))).toEqual({ kind: 'dead', isThrottling: true });
  });

  test('410 disables the endpoint, at any attempt', () => {
    fc.assert(
      fc.property(attempts, randoms, retryAfters, (attempt, random, retryAfter) => {
        const gone = verdictOf(outcome({ status: 410, retryAfter }), tried(attempt, random));
        expect(gone).toEqual({ kind: 'gone', isThrottling: false });
      }),
      SEED,
    );
  });

  test('an incomplete answer is a failure', () => {
    expect(verdictOf(outcome({ status: 200, error: 'TIMEOUT' }), tried(1)).kind).toBe('retry');
    expect(verdictOf(outcome({ status: 200, error: 'CUT_OFF' }), tried(ATTEMPTS_MAX)).kind).toBe('dead');
  });

  test('a missing answer without an error is a failure as well', () => {
    expect(verdictOf(outcome({}), tried(1)).kind).toBe('retry');
  });

  test('any outcome: the delay is bounded, never shorter than the schedule, never shorter than Retry-After', () => {
    fc.assert(
      fc.property(statuses, retryAfters, attempts, randoms, (status, retryAfter, attempt, random) => {
        const verdict = verdictOf(outcome({ status, retryAfter }), tried(attempt, random));
        if (verdict.kind !== 'retry') {
          const isSuccess = status !== null && status >= 200 && status < 300;
          expect(verdict.kind).toBe(isSuccess ? 'delivered' : status === 410 ? 'gone' : 'dead');
          if (verdict.kind === 'dead') expect(attempt).toBe(ATTEMPTS_MAX);
          return;
        }
        const own = RETRY_DELAYS_MS[attempt - 1] as number;
        const asked = retryAfter === null ? 0 : (retryAfterMs(retryAfter, AT) ?? 0);
        expect(Number.isSafeInteger(verdict.nextDelayMs)).toBe(true);
        expect(verdict.nextDelayMs).toBeGreaterThanOrEqual(own * (1 - JITTER));
        expect(verdict.nextDelayMs).toBeGreaterThanOrEqual(asked);
        expect(verdict.nextDelayMs).toBeLessThanOrEqual(Math.max(own * (1 + JITTER), RETRY_AFTER_MAX_MS));
      }),
      SEED,
    );
  });
});

describe('C-62: Retry-After', () => {
  const verdict = (retryAfter: string, attempt = 1) =>
    verdictOf(outcome({ status: 503, retryAfter }), tried(attempt));

  test('later than the schedule is honoured, earlier is not', () => {
    expect(verdict('60')).toMatchObject({ nextDelayMs: 60_000 });
    expect(verdict('0')).toMatchObject({ nextDelayMs: 5000 });
    expect(verdict('60', 2)).toMatchObject({ nextDelayMs: 300_000 });
    expect(verdict('Sat, 21 Nov 2026 12:10:00 GMT')).toMatchObject({ nextDelayMs: 600_000 });
    expect(verdict('1000000000000')).toMatchObject({ nextDelayMs: DAY_MS });
    expect(verdict('-1')).toMatchObject({ nextDelayMs: 5000 });
  });

  test.each([
    ['0', 0],
    ['1', 1000],
    [' 120 ', 120_000],
    ['86400', DAY_MS],
    ['86401', DAY_MS],
    ['9'.repeat(400), DAY_MS],
    ['Sat, 21 Nov 2026 12:00:01 GMT', 1000],
    ['Saturday, 21-Nov-26 12:00:01 GMT', 1000],
    ['Sat Nov 21 12:00:01 2026', 1000],
    ['Sat Nov 21 12:00:60 2026', 60_000],
    ['Sat, 21 Nov 2026 11:59:59 GMT', 0],
    ['Sun Nov  1 12:00:00 2026', 0],
    // A year of two digits that would lie more than fifty years ahead is one that is past.
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Saturday, 21-Nov-76 12:00:00 GMT', DAY_MS],
    ['Monday, 21-Nov-77 12:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', DAY_MS],
    ['Thu, 01 Jan 0000 00:00:00 GMT', 0],
  ])('%j is %i ms', (text, expected) => {
    expect(retryAfterMs(text, AT)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '1 2',
    '१२',
    'soon',
    '2026-11-21T12:00:01Z',
    'Sat, 21 Nov 2026 12:00:01',
    'Sat, 21 Nov 2026 12:00:01 BRT',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 12:60:00 GMT',
    'Sat, 21 Nov 2026 12:00:61 GMT',
    'Sat, 30 Feb 2026 12:00:00 GMT',
    'Sat, 00 Nov 2026 12:00:00 GMT',
    'Sat, 21 Nox 2026 12:00:01 GMT',
    'Sat, 21 Nov 2026 12:00:01 GMT, 5',
  ])('%j is neither seconds nor a date', (text) => {
    expect(retryAfterMs(text, AT)).toBeUndefined();
  });

  test('every date that JavaScript writes is read', () => {
    const min = new Date(AT.getTime() - DAY_MS);
    const max = new Date(AT.getTime() + DAY_MS);
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min, max }), (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(retryAfterMs(date.toUTCString(), AT)).toBe(Math.max(0, seconds - AT.getTime()));
      }),
      SEED,
    );
  });
});
