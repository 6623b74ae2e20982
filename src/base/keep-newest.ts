/** Maps that keep no more than so many values. */

/** Keeps a value; the one that was kept first makes room where there are as many as allowed. */
export function keepNewest<Key, Value>(known: Map<Key, Value>, max: number, key: Key, value: Value): void {
  if (known.size >= max && !known.has(key)) known.delete(known.keys().next().value as Key);
  known.set(key, value);
}

/** @returns the value of a key; one that is made and kept where there is none. */
export function keptOrMade<Key, Value>(
  known: Map<Key, Value>,
  max: number,
  key: Key,
  make: () => Value,
): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  keepNewest(known, max, key, made);
  return made;
}
