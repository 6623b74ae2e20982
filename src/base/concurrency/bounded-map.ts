/** Maps with a maximum number of values. */

/** Stores a value; at the maximum number, the oldest one is removed. */
export function setBounded<Key, Value>(known: Map<Key, Value>, max: number, key: Key, value: Value): void {
  if (known.size >= max && !known.has(key)) known.delete(known.keys().next().value as Key);
  known.set(key, value);
}

/** @returns the value of a key; makes and stores it when missing. */
export function getOrCreate<Key, Value>(
  known: Map<Key, Value>,
  max: number,
  key: Key,
  make: () => Value,
): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  setBounded(known, max, key, made);
  return made;
}

/** A value of a SharedCache, and its owner. */
interface Shared<Owner, Value> {
  readonly owner: Owner;
  readonly value: Value;
  weight: number;
}

/**
 * Values that several owners store, each with a weight, such as its size. Above the maximum weight, the oldest value of the
 * owner with the greatest total weight is removed.
 */
export class SharedCache<Owner, Key, Value> {
  readonly #max: number;
  readonly #values = new Map<Key, Shared<Owner, Value>>();
  readonly #owners = new Map<Owner, { readonly keys: Set<Key>; weight: number }>();
  #weight = 0;

  /** @param max - maximum weight of all values together. */
  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)?.value;
  }

  /** Stores a value under a key that has none. */
  add(owner: Owner, key: Key, value: Value, weight = 1): void {
    this.#values.set(key, { owner, value, weight: 0 });
    const own = this.#owners.get(owner) ?? { keys: new Set(), weight: 0 };
    own.keys.add(key);
    this.#owners.set(owner, own);
    this.grow(key, value, weight);
  }

  /** Adds to the weight of a value; does nothing if the key has another value, or none. */
  grow(key: Key, value: Value, more: number): void {
    const found = this.#values.get(key);
    if (found?.value !== value) return;
    found.weight += more;
    this.#weight += more;
    const own = this.#owners.get(found.owner);
    if (own) own.weight += more;
    while (this.#weight > this.#max) this.#removeOne();
  }

  #removeOne(): void {
    const [first, ...others] = this.#owners;
    if (!first) return;
    let [owner, own] = first;
    for (const each of others) if (each[1].weight > own.weight) [owner, own] = each;
    const [oldest] = own.keys;
    const { weight } = this.#values.get(oldest as Key) as Shared<Owner, Value>;
    own.keys.delete(oldest as Key);
    own.weight -= weight;
    this.#weight -= weight;
    this.#values.delete(oldest as Key);
    if (own.keys.size === 0) this.#owners.delete(owner);
  }
}
