/** Lag of the event loop of this process, as metrics, `doctor` and the console show it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
/** Time between two scrapes of Prometheus, so that each window is shown to at least one of them. */
const WINDOW_MS = 15_000;
const PERCENTILE = 99;
const NS_PER_S = 1e9;

let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
/** Figure of the last whole window. Unit: seconds. */
let lastWindow = 0;

/** Begins to measure; repeated calls do nothing. */
export function watchEventLoop(): void {
  if (delays) return;
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  delays = histogram;
  setInterval(() => {
    lastWindow = histogram.percentile(PERCENTILE) / NS_PER_S;
    histogram.reset();
  }, WINDOW_MS).unref();
}

/**
 * The figure does not depend on its readers: none of them resets it for another.
 * @returns the delay that one in a hundred turns exceeded, in this window or the last one. Unit: seconds.
 */
export function eventLoopLag(): number {
  watchEventLoop();
  return Math.max(lastWindow, (delays?.percentile(PERCENTILE) ?? 0) / NS_PER_S);
}
