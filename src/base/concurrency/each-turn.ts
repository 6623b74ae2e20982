/** Work that holds up the process for milliseconds: however much of it comes at once, what else waits has its turn in between. */
import { setImmediate as otherWork } from 'node:timers/promises';

/** @returns a function that waits for the caller's turn: each turn of the event loop admits one caller per key. */
export function oneEachTurn<Key>(): (key: Key) => Promise<void> {
  const last = new Map<Key, Promise<void>>();
  return (key) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(async () => {
      await otherWork();
      if (last.get(key) === turn) last.delete(key);
    });
    last.set(key, turn);
    return turn;
  };
}
