/** Maps with a maximum number of values. */

/** Keeps a value; the one that was kept first makes room where there are as many as allowed. */
export function keepNewest<Key, Value>(known: Map<Key, Value>, max: number, key: Key, value: Value): void {
  if (known.size >= max && !known.has(key)) known.delete(known.keys().next().value as Key);
  known.set(key, value);
}

/** @returns the value of a key; makes and stores it when missing. */
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

/** Values that several owners store. When there are too many, the oldest of the owner that has the most makes room. */
export class SharedCache<Owner, Key, Value> {
  readonly #max: number;
  readonly #values = new Map<Key, Value>();
  readonly #keysOf = new Map<Owner, Set<Key>>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  /** Stores a value under a key that has none. */
  add(owner: Owner, key: Key, value: Value): void {
    this.#values.set(key, value);
    const keys = this.#keysOf.get(owner) ?? new Set();
    this.#keysOf.set(owner, keys.add(key));
    if (this.#values.size > this.#max) this.#removeOne();
  }

  #removeOne(): void {
    const [first, ...others] = this.#keysOf;
    if (!first) return;
    let [owner, keys] = first;
    for (const each of others) if (each[1].size > keys.size) [owner, keys] = each;
    const [oldest] = keys;
    keys.delete(oldest as Key);
    this.#values.delete(oldest as Key);
    if (keys.size === 0) this.#keysOf.delete(owner);
  }
}
