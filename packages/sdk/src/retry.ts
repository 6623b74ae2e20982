/** Repeated attempts: exponential pauses at random, and `Retry-After`. */
import { CrossrampError, NoAnswer, Refused } from './refusal.ts';

const PAUSE_FIRST_MS = 250;
const PAUSE_MAX_MS = 8_000;
/** Longest `Retry-After` that is waited for. */
const RETRY_AFTER_MAX_S = 60;

/** Rules of repetition. */
export interface Repetition {
  /** Attempts after the first. */
  readonly retries: number;
  /** Whether a second request changes nothing more: reads, and what has an idempotency key. */
  readonly isSafe: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** @returns the result of the first attempt that does not fail for a passing reason. @throws {Error} the last failure. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, isSafe, signal }: Repetition,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= retries || signal?.aborted || !isPassing(error, isSafe)) throw error;
      await pauseAfter(error, failures, signal);
    }
  }
}

/** @returns whether another attempt may succeed, and cannot do harm. */
export function isPassing(error: unknown, isSafe = true): boolean {
  if (error instanceof NoAnswer) return isSafe;
  if (!(error instanceof Refused) || error.action !== 'WAIT') return false;
  // A request over the rate was not begun; a request that failed otherwise may have been.
  return (isSafe || error.code === 'RATE_LIMITED') && (error.retryAfter ?? 0) <= RETRY_AFTER_MAX_S;
}

/** Waits before the next attempt, or until the signal; the pause is random, so that not all clients return together. */
export async function pauseAfter(error: unknown, failures: number, signal?: AbortSignal): Promise<void> {
  const longest = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** failures);
  const least = error instanceof Refused ? (error.retryAfter ?? 0) * 1_000 : 0;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, least + longest * (0.5 + Math.random() / 2));
    signal?.addEventListener('abort', end);
  });
}

/** Runs with an idempotency key, which every error carries. */
export async function underKey<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CrossrampError) error.idempotencyKey = key;
    throw error;
  }
}
