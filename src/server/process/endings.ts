/** Shutdown: ends everything that was started, in order. A part that fails or hangs does not stop the rest. */
import type { Logger } from 'pino';

/** Ends something that was started. */
export type Ending = () => unknown;

/** How long endings may take. Units: ms. */
export interface EndingLimits {
  /** Each. Default 20,000: requests under way have 10 s, a webhook under way has 15 s. */
  readonly eachMs?: number;
  /** All together. Default 24,000: supervisors kill a process after 30 s. */
  readonly allMs?: number;
  /** Time for each of the rest once that has passed. Default 500. */
  readonly leastMs?: number;
}

/** @returns the ending of several things at the same time; it fails after the last, with the first failure. */
export function together(...endings: readonly Ending[]): Ending {
  return async () => {
    const ended = await Promise.allSettled(endings.map(async (end) => end()));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
}

/**
 * Runs the endings one after the other. One that fails, or is not done in its time, is logged, and the next one runs.
 *
 * @returns whether all of them were done.
 */
export async function runEndings(
  endings: readonly Ending[],
  log: Pick<Logger, 'error'>,
  { eachMs = 20_000, allMs = 24_000, leastMs = 500 }: EndingLimits = {},
): Promise<boolean> {
  const untilMs = performance.now() + allMs;
  let isWhole = true;
  for (const end of endings) {
    const limitMs = Math.round(Math.max(leastMs, Math.min(eachMs, untilMs - performance.now())));
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done in ${limitMs} ms`)), limitMs);
    });
    try {
      await Promise.race([(async () => end())(), limit]);
    } catch (error) {
      isWhole = false;
      log.error({ err: error }, 'something could not be ended');
    } finally {
      clearTimeout(timer);
    }
  }
  return isWhole;
}
