/** The clock of the sandbox: that of the machine, and what it was set ahead by, the same for all processes. */
import { readTogether } from '../../base/read-together.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { Database } from '../../store/database.ts';
import { readAheadMs } from '../../store/rails/sandbox.ts';

/** @returns a clock that looks into the database for each call, so that it is never behind another process. */
export function sandboxClock(database: Database): Clock {
  const readAhead = readTogether(() => readAheadMs(database));
  return {
    nowMs: async () => {
      const aheadMs = await readAhead();
      return Date.now() + aheadMs;
    },
  };
}
