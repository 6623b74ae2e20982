/** The clock of this machine, for tests whose server runs on the same one. */
import type { Clock } from '../../src/resolvers/services/clock.ts';

/** See the file. */
export const SYSTEM_CLOCK: Clock = { nowMs: async () => Date.now(), aheadMs: async () => 0 };
