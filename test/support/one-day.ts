/** For tests that count what happens in one day. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll } from 'vitest';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../src/base/brasilia-day.ts';

/** More than the tests of a file take on a busy machine. Unit: ms. */
const FILE_MS = 90_000;

/** Lets the tests of the file begin once midnight in Brasília is over, when it is near. */
export function useOneDay(): void {
  beforeAll(async () => {
    const nowMs = Date.now();
    const leftMs = brasiliaMidnight(dayAfter(brasiliaDay(nowMs))) - nowMs;
    if (leftMs < FILE_MS) await sleep(leftMs);
  });
}
