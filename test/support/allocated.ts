/** What a process allocates, by the sampling profiler of V8. */
import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** One sample for so many bytes. */
const INTERVAL = 4_096;

/** @returns bytes that a function and those that it called have allocated. */
function sizeOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}

/** @returns bytes that this thread allocated meanwhile, with what was collected at once. */
export async function allocated(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: INTERVAL,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await work();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return sizeOf(profile.head);
  } finally {
    session.disconnect();
  }
}
