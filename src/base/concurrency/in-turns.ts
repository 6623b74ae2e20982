/** Long work for many, in slices: what else waits in the process has its turn in between. */
import { setImmediate as otherWork } from 'node:timers/promises';

/** Of the size of a write to a socket, some 10 µs each: a fifth of a millisecond. */
const SLICE = 16;

/** Does something for each. Those who are added to a set or a map meanwhile have their turn, too. */
export async function inTurns<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % SLICE === 0) await otherWork();
  }
}
