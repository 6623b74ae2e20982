/** Maps that keep no more than so many values. */

/** Keeps a value; the one that was kept first makes room where there are as many as allowed. */
export function keepNewest<Key, Value>(known: Map<Key, Value>, max: number, key: Key, value: Value): void {
  if (known.size >= max && !known.has(key)) known.delete(known.keys().next().value as Key);
  known.set(key, value);
}
