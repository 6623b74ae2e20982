/** How a process ends: everything that was started is ended, in order, and nothing keeps the end from coming. */
import type { Logger } from 'pino';

/** Ends something that was started. */
export type Ending = () => unknown;

/** More than any ending needs: requests under way have 10 s, statements 15 s. Unit: ms. */
const LIMIT_MS = 20_000;

/**
 * Runs the endings one after the other. One that fails, or is not done in its time, is logged, and the next one runs.
 *
 * @param limitMs - time of each, default 20,000.
 * @returns whether all of them were done.
 */
export async function runEndings(
  endings: readonly Ending[],
  log: Pick<Logger, 'error'>,
  limitMs: number = LIMIT_MS,
): Promise<boolean> {
  let isWhole = true;
  for (const end of endings) {
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
