/** Work that blocks the process for milliseconds: however many calls arrive together, other work runs in between. */
import { setImmediate as otherWork } from 'node:timers/promises';

/** @returns a function that waits for the caller's turn: each turn of the event loop admits one caller per key. */
export function onePerTick<Key>(): (key: Key) => Promise<void> {
  const last = new Map<Key, Promise<void>>();
  return (key) => {
    const tick = (last.get(key) ?? Promise.resolve()).then(async () => {
      await otherWork();
      if (last.get(key) === tick) last.delete(key);
    });
    last.set(key, tick);
    return tick;
  };
}
