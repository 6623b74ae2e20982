/**
 * Compares the machine's clock with the database's, which is authoritative (docs/decisions/0055). A machine whose clock is
 * wrong is not ready, deletes nothing, and reports it; one whose clock is far off does not start.
 */
import type { Logger } from 'pino';
import type { Database } from '../../store/connection/database.ts';
import { repeat } from './repeat.ts';

/** Difference from which the clock of a machine is off. Unit: ms. */
const CLOCK_OFF_MS = 5_000;
/** Difference from which a process does not start. Unit: ms. */
const WRONG_MS = 60_000;
/** Interval of reading the database's clock. Unit: ms. */
const READ_EVERY_MS = 5_000;
/** Interval of logging a lasting difference. Unit: ms. */
const LOG_EVERY_MS = 60_000;
const REPEAT = { failedMs: READ_EVERY_MS, complaint: 'the clock of the database cannot be read' };

type Clocks = Pick<Database, 'wallAheadMs'>;

/** The clock of this machine is too far off. The message has one line. */
export class WrongClockError extends Error {
  override readonly name = 'WrongClockError';
}

/** @returns whether the clock of this machine differs from the database's by more than five seconds. */
export function isClockOff(database: Clocks): boolean {
  return Math.abs(database.wallAheadMs()) > CLOCK_OFF_MS;
}

/** @throws {WrongClockError} when the difference exceeds a minute. */
export function refuseWrongClock(database: Clocks): void {
  const aheadMs = database.wallAheadMs();
  if (Math.abs(aheadMs) <= WRONG_MS) return;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  throw new WrongClockError(
    `the clock of this machine is ${seconds} seconds ${side} the database's: set both by NTP, then start again`,
  );
}

/** Reads the database's clock every few seconds, and logs while that of this machine is off. */
export function startClockWatch(
  database: Clocks & Pick<Database, 'readClock'>,
  log: Pick<Logger, 'error' | 'warn' | 'info'>,
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  let loggedAt: number | undefined;
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    await database.readClock();
    const isOff = isClockOff(database);
    if (isOff && performance.now() - (loggedAt ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS) {
      log.error({ aheadMs: database.wallAheadMs() }, 'the clock of this machine is off: it is not ready');
      loggedAt = performance.now();
    }
    if (!isOff && loggedAt !== undefined) {
      log.info('the clock of this machine is right again');
      loggedAt = undefined;
    }
    return READ_EVERY_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}
