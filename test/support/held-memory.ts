/** What this process holds in memory once what nobody holds is gone: the same on every machine. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** @returns bytes of objects on the heap, and of what is outside of it, such as buffers. */
export async function heldMemory(): Promise<{ readonly heap: number; readonly external: number }> {
  for (let n = 0; n < 4; n += 1) {
    collect();
    // What is outside is given back in a turn of its own.
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, external };
}
