/** Repeats a step of a start while the database is unreachable, like the callers of a running gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDatabaseUnreachable, isLoginRefused } from '../../store/connection/database-error.ts';

/** Duration and interval of attempts. Units: ms. */
export interface Persistence {
  /** Time after which the failure is final. */
  readonly limitMs: number;
  /** @default 1,000 */
  readonly pauseMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * @returns the result of the step. @throws its last failure; immediately for a refused login, and for a failure that is
 * not the database's.
 */
export async function persist<Result>(
  step: () => Promise<Result>,
  log: Pick<Logger, 'warn'>,
  { limitMs, pauseMs = 1_000, signal }: Persistence,
): Promise<Result> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isDatabaseUnreachable(error) || isLoginRefused(error) || performance.now() >= untilMs) throw error;
      log.warn({ err: error }, 'the start waits for the database');
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
