/** Time by the clock of a server: carried on by the monotonic clock, whatever happens to the wall clock. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { remoteClock } from '../../../src/base/time/remote-clock.ts';
import { useDatabase } from '../../support/database.ts';

const db = useDatabase();
const SERVER_MS = Date.UTC(2026, 10, 28, 12);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A clock that was read once, without delay. */
function readClock() {
  const clock = remoteClock();
  const at = performance.now();
  clock.note({ serverMs: SERVER_MS, sentAt: at, receivedAt: at });
  return clock;
}

test('the time is that of the server, and a wall clock that is wrong or jumps changes nothing', () => {
  vi.setSystemTime(SERVER_MS + 48 * 3_600_000);
  const clock = readClock();
  expect(clock.nowMs()).toBe(SERVER_MS);
  expect(clock.wallAheadMs()).toBe(48 * 3_600_000);
  vi.advanceTimersByTime(1_000);
  vi.setSystemTime(SERVER_MS - 200 * 86_400_000);
  expect(clock.nowMs()).toBe(SERVER_MS + 1_000);
  expect(clock.wallAheadMs()).toBe(-200 * 86_400_000 - 1_000);
});

test('a slow reading does not replace a good one, unless the clock of the server was set', () => {
  const clock = readClock();
  const note = (serverMs: number, tookMs: number) => {
    const receivedAt = performance.now();
    clock.note({ serverMs, sentAt: receivedAt - tookMs, receivedAt });
  };
  vi.advanceTimersByTime(1_000);
  // Read at its end, so half of its time is wrong.
  note(SERVER_MS + 1_000, 800);
  expect(clock.nowMs()).toBe(SERVER_MS + 1_000);
  note(SERVER_MS + 61_000, 800);
  expect(clock.nowMs()).toBe(SERVER_MS + 61_400);
});

test('there is no time before the first connection; afterwards it is the server’s', async () => {
  expect(() => remoteClock().nowMs()).toThrow('after the first connection');
  vi.useRealTimers();
  await db.database.readClock();
  const { rows } = await db.owner.query('select extract(epoch from clock_timestamp()) * 1000 as ms');
  expect(Math.abs(db.database.nowMs() - Number(rows[0].ms))).toBeLessThan(5_000);
});
