/** Long work over many items, in slices that let other work of the process run in between. */
import { setImmediate as otherWork } from 'node:timers/promises';

/** Slice time: similar to a write to a socket, some 10 µs each, a fifth of a millisecond. */
const SLICE = 16;

/** Runs the work for each item. Items that are added to a set or map meanwhile are included. */
export async function forEachYielding<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % SLICE === 0) await otherWork();
  }
}
