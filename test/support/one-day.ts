/** For tests that count what happens in one day. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll } from 'vitest';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../src/base/time/brasilia-day.ts';

/** More than most files take on a busy machine. Unit: ms. */
const FILE_MS = 90_000;
const DAY_MS = 86_400_000;

/** Lets the tests of the file begin once midnight is over, in Brasília or of UTC, when it is near. */
export function useOneDay(): void {
  beforeAll(async () => {
    const nowMs = Date.now();
    const toBrasilia = brasiliaMidnight(dayAfter(brasiliaDay(nowMs))) - nowMs;
    const leftMs = Math.min(toBrasilia, DAY_MS - (nowMs % DAY_MS));
    if (leftMs < FILE_MS) await sleep(leftMs);
  }, 2 * FILE_MS);
}
