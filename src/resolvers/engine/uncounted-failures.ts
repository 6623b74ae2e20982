/** Failures that depend neither on the job nor on its order: such an attempt is not counted. */
import { GatewayError } from '../../base/errors/errors.ts';
import { isDatabaseUnreachable } from '../../store/connection/database-error.ts';
import { ScreenerUnavailable } from '../services/rails.ts';

/** Pause after the database was unreachable. Unit: ms. */
const UNREACHABLE_PAUSE_MS = 1_000;
/** Pause after a screener was unreachable: waiting jobs continue soon after it is back. Unit: ms. */
const SCREENER_PAUSE_MS = 15_000;

/**
 * @returns the pause before the next attempt when the database or a screener was unreachable, or there was no price;
 * undefined for failures that count.
 *   Unit: ms.
 */
export function pauseOf(error: unknown): number | undefined {
  if (isDatabaseUnreachable(error)) return UNREACHABLE_PAUSE_MS;
  if (error instanceof ScreenerUnavailable) return SCREENER_PAUSE_MS;
  return error instanceof GatewayError && error.retryAfter !== undefined
    ? error.retryAfter * 1_000
    : undefined;
}
