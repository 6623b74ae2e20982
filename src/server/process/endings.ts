/** Shutdown: ends everything that was started, in order. A part that fails or hangs does not stop the rest. */
import type { Logger } from 'pino';

/** Step that ends something that was started. */
export type Ending = () => unknown;

/** Time limits of shutdown steps. Units: ms. */
export interface EndingLimits {
  /** Each. Default 20,000: requests under way have 10 s, a webhook under way has 15 s. */
  readonly eachMs?: number;
  /** Time limit of all steps together. The default is 24,000: supervisors kill a process after 30 s. */
  readonly allMs?: number;
  /** Time for each of the remaining parts after that limit. Default 500. */
  readonly leastMs?: number;
}

/** @returns a step that runs several others at the same time; it fails after the last, with the first failure. */
export function together(...endings: readonly Ending[]): Ending {
  return async () => {
    const ended = await Promise.allSettled(endings.map(async (end) => end()));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
}

/**
 * Runs the steps one at a time. A step that fails, or exceeds its time, is logged, and the next one runs.
 *
 * @returns whether all of them succeeded.
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
      log.error({ err: error }, 'a part of the process could not be ended');
    } finally {
      clearTimeout(timer);
    }
  }
  return isWhole;
}
