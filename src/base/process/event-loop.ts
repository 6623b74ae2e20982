/** Lag of the event loop of this process, as metrics, `doctor` and the console show it, and reports of turns that held it up. */
import { type Histogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
/** Time between two scrapes of Prometheus, so that each window is shown to at least one of them. */
const WINDOW_MS = 15_000;
const PERCENTILE = 99;
/** Share of requests that wait longer than the lag. */
const SHARE = 1 - PERCENTILE / 100;
const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;
const US_PER_MS = 1_000;
/** Shorter delays are not looked at one by one. */
const LONG_NS = 50 * NS_PER_MS;
/** Interval of the timer that notices stalls, and the delay from which it reports one. */
const STALL_MS = 500;

/** A turn that held the event loop up. */
export interface Stall {
  /** Delay of a timer that was due. */
  readonly ms: number;
  /** Processor time that the process used meanwhile: far below `ms` where it did not get the processor. */
  readonly cpuMs: number;
}

type Delays = Pick<Histogram, 'count' | 'percentile'>;

let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
let beganMs = 0;
/** Figure of the last whole window. Unit: seconds. */
let lastWindow = 0;

/** Begins to measure; repeated calls do nothing. */
export function watchEventLoop(): void {
  if (delays) return;
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  delays = histogram;
  beganMs = performance.now();
  setInterval(() => {
    lastWindow = lagSince(histogram);
    histogram.reset();
    beganMs = performance.now();
  }, WINDOW_MS).unref();
}

/**
 * The figure does not depend on its readers: none of them resets it for another.
 * @returns the delay that one in a hundred requests meets, in this window or the last one. Unit: seconds.
 */
export function eventLoopLag(): number {
  watchEventLoop();
  return Math.max(lastWindow, delays ? lagSince(delays) : 0);
}

function lagSince(histogram: Delays): number {
  const windowMs = Math.max(WINDOW_MS, performance.now() - beganMs);
  return lagOf(histogram, windowMs * NS_PER_MS) / NS_PER_S;
}

/**
 * Requests arrive at any time, and more of them during a long turn than during a short one: three seconds are one turn in a
 * thousand, and a fifth of the time. So turns count by their length.
 *
 * @param windowNs - time in which the delays were measured.
 * @returns the delay that one in a hundred requests exceeds. Unit: ns.
 */
export function lagOf(histogram: Delays, windowNs: number): number {
  const { count } = histogram;
  if (count === 0) return 0;
  let lag = 0;
  let sum = -SHARE * windowNs;
  for (let longer = 0; longer < count; longer += 1) {
    const delay = histogram.percentile((100 * (count - longer)) / count);
    if (delay < LONG_NS || delay <= lag) break;
    sum += delay;
    lag = Math.max(lag, sum / (longer + 1));
  }
  return Math.max(lag, histogram.percentile(PERCENTILE));
}

/** Reports turns that held the event loop up for over half a second. @returns a function that ends it. */
export function reportStalls(report: (stall: Stall) => void): () => void {
  let atMs = performance.now();
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const ms = performance.now() - atMs - STALL_MS;
    const { user, system } = process.cpuUsage(cpu);
    if (ms > STALL_MS) report({ ms: Math.round(ms), cpuMs: Math.round((user + system) / US_PER_MS) });
    atMs = performance.now();
    cpu = process.cpuUsage();
  }, STALL_MS).unref();
  return () => clearInterval(timer);
}
