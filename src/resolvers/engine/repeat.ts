/** Work that goes on until it is stopped, turn by turn: the next one comes when somebody wakes it, or after a time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Timing of turns. */
export interface RepeatOptions {
  /** Minimum interval of turns, milliseconds, in which triggers are gathered. @default 0 */
  readonly gatherMs?: number;
  /** After an error the next turn comes so much later, milliseconds, if nobody wakes it. */
  readonly failedMs: number;
  /** Log message of an error. */
  readonly complaint: string;
}

/** Receiver of failures: a log, or a filter in front of one. */
export interface Complaints {
  readonly warn: (facts: { readonly err: unknown }, words: string) => void;
}

/** Turns that go on. */
export interface Loop {
  /** Starts the next turn immediately; a turn under way is followed by another. */
  readonly wake: () => void;
  /** Resolves after the signal, when the last turn is over. */
  readonly done: Promise<void>;
}

/** Waits for the end of work, and no longer than so many milliseconds. */
export async function endWithin(ms: number, end: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([end, sleep(ms, undefined, { signal: waited.signal }).catch(() => {})]);
  waited.abort();
}

/** Takes turns that say after how many milliseconds the next one comes, until the signal; an error is not the end. */
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
        // A trigger meanwhile would have met the same error.
        listen();
        return failedMs;
      });
      if (signal.aborted) break;
      // Woken without end, turns still let everything else have its own.
      if (isWoken) await sleep(0);
      else await sleep(waitMs, undefined, { signal: pause.signal }).catch(() => {});
    }
  };
  return { wake, done: run() };
}
