/** The clock of the sandbox: the database's clock plus an offset, the same in all processes. */
import { setImmediate } from 'node:timers/promises';
import { readTogether } from '../../base/concurrency/read-together.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { Database } from '../../store/connection/database.ts';
import { readAheadMs } from '../../store/rails/sandbox.ts';

/** @returns a clock that reads the offset from the database at each call, so that all processes agree. */
export function sandboxClock(database: Database): Clock {
  // Callers in the same tick of the event loop share the read.
  const readAhead = readTogether(() => readAheadMs(database), setImmediate);
  return {
    nowMs: async (tx) => {
      const aheadMs = await (tx ? readAheadMs(tx) : readAhead());
      return database.nowMs() + aheadMs;
    },
    aheadMs: readAhead,
  };
}
