/** Reports in the log that the gateway has not been ready for a while, whether or not it is probed. */
import type { Logger } from 'pino';
import type { Readiness } from '../../store/webhooks/readiness.ts';
import { unreadyReason } from '../http/health.ts';

/** Time between two checks. Unit: ms. */
const CHECK_EVERY_MS = 5_000;
/** An unready state of this duration is an error, and again after each such duration. Unit: ms. */
const ERROR_AFTER_MS = 30_000;

/** The times of a watch. Units: ms. */
export interface WatchTimes {
  readonly checkEveryMs?: number;
  readonly errorAfterMs?: number;
}

/**
 * Starts the checks.
 *
 * @returns the function that stops them.
 */
export function watchReadiness(
  check: () => Promise<Readiness>,
  log: Pick<Logger, 'error' | 'info'>,
  { checkEveryMs = CHECK_EVERY_MS, errorAfterMs = ERROR_AFTER_MS }: WatchTimes = {},
): { readonly stop: () => void } {
  let unreadySince: number | undefined;
  let reported = 0;
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const probe = async () => {
    const reason = unreadyReason(await check());
    if (isStopped) return;
    const forMs = Math.round(performance.now() - (unreadySince ?? performance.now()));
    if (reason === undefined) {
      if (reported > 0) log.info({ forMs }, 'the gateway is ready again');
      unreadySince = undefined;
      reported = 0;
    } else {
      unreadySince ??= performance.now();
      if (forMs >= errorAfterMs * (reported + 1)) {
        reported = Math.floor(forMs / errorAfterMs);
        log.error({ reason, forMs }, 'the gateway has not been ready for a while');
      }
    }
    plan();
  };
  const plan = () => {
    timer = setTimeout(probe, checkEveryMs).unref();
  };
  plan();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
