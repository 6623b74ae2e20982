/** Loaded into the gateway of a soak: tells its memory when it is asked. Nothing of it runs in between. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collect } from './tasks.ts';

/** What a process says of itself. Unit: bytes, and ms. */
export interface Probe {
  /** In use on the heap after a collection: what the process holds. */
  readonly heap: number;
  /** What V8 has taken of the system for the heap: pages that it has to itself, used or not. */
  readonly pages: number;
  readonly rss: number;
  /** How late timers are, at the 99th of 100 since the probe before. */
  readonly delayMs: number;
}

const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();

process.on('message', async (message) => {
  if (message !== 'probe') return;
  const delayMs = delays.percentile(99) / 1e6;
  await collect();
  const { heapUsed, heapTotal, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, pages: heapTotal, rss, delayMs } satisfies Probe);
  delays.reset();
});
// The gateway ends when it is told to, whoever still listens.
process.channel?.unref();
