/** Work that many ask for, and that is done for all of them at once, on nobody's behalf. */
import { onNobodysBehalf } from './on-behalf.ts';

/**
 * @param pauseMs - least time between two calls of the work.
 * @returns what asks for the work: it is called at once, or when the pause is over, and then for all who asked meanwhile.
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
