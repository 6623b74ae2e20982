/** The lag of an event loop as requests meet it, and the report of a turn that held it up. */
import { createHistogram } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { lagOf, reportStalls, type Stall } from '../../../src/base/process/event-loop.ts';

const NS_PER_MS = 1e6;
const WINDOW_MS = 15_000;

/** @returns the lag of a window of short turns and of these. Unit: ms. */
function lagWith(delaysMs: readonly number[]): number {
  const histogram = createHistogram();
  const restMs = WINDOW_MS - delaysMs.reduce((total, each) => total + each, 0);
  for (let left = restMs; left > 0; left -= 10) histogram.record(10 * NS_PER_MS);
  for (const delay of delaysMs) histogram.record(delay * NS_PER_MS);
  return lagOf(histogram, WINDOW_MS * NS_PER_MS) / NS_PER_MS;
}

test('one turn of three seconds in fifteen is met by one request in five', () => {
  expect(lagWith([3_000])).toBeCloseTo(2_850, -1);
});

test('turns of 1.2 seconds with short ones between them are met nearly whole', () => {
  const lag = lagWith(Array(10).fill(1_200));
  expect(lag).toBeGreaterThan(1_150);
  expect(lag).toBeLessThanOrEqual(1_201);
});

test.each([
  ['no long turn', []],
  ['one that few requests meet', [140]],
])('%s is no lag', (_title, delaysMs) => {
  expect(lagWith(delaysMs)).toBeLessThan(20);
});

test('an empty window has no lag', () => {
  expect(lagOf(createHistogram(), 0)).toBe(0);
});

test('a turn that held the event loop up is reported with its processor time', async () => {
  const stalls: Stall[] = [];
  const stop = reportStalls((stall) => stalls.push(stall));
  try {
    // The thread sleeps, as one that gets no processor.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await vi.waitFor(() => expect(stalls.length).toBeGreaterThan(0), { timeout: 15_000 });
  } finally {
    stop();
  }
  const [stall] = stalls;
  expect(stall?.ms).toBeGreaterThan(500);
  expect(stall?.cpuMs).toBeLessThan(stall?.ms as number);
});
