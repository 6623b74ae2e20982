/** Work that is repeated until it is stopped: the next run begins when it is woken, or after a pause. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Timing of turns. */
export interface RepeatOptions {
  /** Minimum interval between runs, milliseconds; triggers are gathered meanwhile. @default 0 */
  readonly gatherMs?: number;
  /** Pause after an error, milliseconds, unless the work is woken. */
  readonly failedMs: number;
  /** Log message of an error. */
  readonly complaint: string;
}

/** Receiver of failures: a log, or a filter in front of one. */
export interface Complaints {
  readonly warn: (facts: { readonly err: unknown }, words: string) => void;
}

/** Repeated runs of work. */
export interface Loop {
  /** Starts the next run immediately; a run under way is followed by another. */
  readonly wake: () => void;
  /** Resolves after the signal, when the last run is over. */
  readonly done: Promise<void>;
}

/** Background work that runs until it is stopped. */
export interface BackgroundWork {
  /** Begins nothing more, and waits for the running part. */
  readonly stop: () => Promise<void>;
}

/** Waits for the end of work, at most this many milliseconds. */
export async function endWithin(ms: number, end: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([end, sleep(ms, undefined, { signal: waited.signal }).catch(() => {})]);
  waited.abort();
}

/**
 * Repeats runs, each of which returns the pause before the next one in milliseconds, until the signal; an error does not end
 * the loop.
 */
export function repeat(
  signal: AbortSignal,
  log: Complaints,
  { gatherMs = 0, failedMs, complaint }: RepeatOptions,
  cycle: () => Promise<number>,
): Loop {
  let isWoken = false;
  let pause = new AbortController();
  const listen = () => {
    isWoken = false;
    pause = new AbortController();
  };
  const wake = () => {
    isWoken = true;
    pause.abort();
  };
  signal.addEventListener('abort', wake);
  const run = async () => {
    while (!signal.aborted) {
      if (gatherMs > 0) await sleep(gatherMs);
      listen();
      const waitMs = await cycle().catch((error: unknown) => {
        log.warn({ err: error }, complaint);
        // A trigger meanwhile would have caused the same error.
        listen();
        return failedMs;
      });
      if (signal.aborted) break;
      // Even when they are woken all the time, runs yield to the event loop.
      if (isWoken) await sleep(0);
      else await sleep(waitMs, undefined, { signal: pause.signal }).catch(() => {});
    }
  };
  return { wake, done: run() };
}
