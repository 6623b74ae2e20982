/** Work that many callers request and that runs once for all of them, on behalf of no caller. */
import { onNobodysBehalf } from './on-behalf.ts';

/**
 * @param pauseMs - minimum time between two runs of the work.
 * @returns a function that requests the work. The work runs immediately, or after the pause, once for all requests made
 * meanwhile.
 */
export function atMostEvery(pauseMs: number, work: () => void): () => void {
  let calledAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const call = () => {
    timer = undefined;
    calledAt = performance.now();
    onNobodysBehalf(work);
  };
  return () => {
    if (timer) return;
    const leftMs = calledAt + pauseMs - performance.now();
    if (leftMs > 0) timer = setTimeout(call, leftMs).unref();
    else call();
  };
}
