/** The clock of the sandbox: that of the database plus an offset, the same for all processes. */
import { setImmediate } from 'node:timers/promises';
import { readTogether } from '../../base/concurrency/read-together.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { Database } from '../../store/connection/database.ts';
import { readAheadMs } from '../../store/rails/sandbox.ts';

/** @returns a clock that looks into the database for each call, so that it is never behind another process. */
export function sandboxClock(database: Database): Clock {
  // Callers of the same turn of the event loop share the read.
  const readAhead = readTogether(() => readAheadMs(database), setImmediate);
  return {
    nowMs: async (tx) => {
      const aheadMs = await (tx ? readAheadMs(tx) : readAhead());
      return database.nowMs() + aheadMs;
    },
    aheadMs: readAhead,
  };
}
