/**
 * A set of texts as UTF-8 in one buffer, because a `Set` of hundreds of thousands of texts takes several times the
 * memory.
 */

/** Initial sizes; both double as needed. Units: texts, bytes. */
const FIRST = { texts: 1_024, bytes: 16_384 };
/** Number of index slots for each text of the capacity: some stay empty, so that a search ends soon. */
const SLOTS_PER_TEXT = 2;
/** FNV-1a of 32 bits. */
const HASH = { start: 0x811c9dc5, factor: 0x01000193 };

/** Distinct texts in the order in which they were added. */
export class TextSet {
  #bytes = Buffer.allocUnsafe(FIRST.bytes);
  /** End of each text, and start of the next one. */
  #ends = new Uint32Array(FIRST.texts);
  /** Index of a text plus 1, at the first free slot from its hash on; 0 for a free slot. */
  #slots = new Uint32Array(FIRST.texts * SLOTS_PER_TEXT);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether the text is new. */
  add(text: string): boolean {
    const input = Buffer.from(text);
    const slot = this.#slotOf(input);
    if (this.#slots[slot] !== 0) return false;
    const start = this.#startOf(this.#size);
    const end = start + input.length;
    if (end > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.max(2 * this.#bytes.length, end));
    input.copy(this.#bytes, start);
    this.#ends[this.#size] = end;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    if (this.#size === this.#ends.length) this.#grow();
    return true;
  }

  /** @param index - from 0, below `size`. */
  at(index: number): string {
    return this.#textAt(index).toString();
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  #textAt(index: number): Buffer {
    return this.#bytes.subarray(this.#startOf(index), this.#ends[index]);
  }

  /** @returns the slot of a text, or the free one where it belongs. */
  #slotOf(text: Buffer): number {
    let slot = hashOf(text) % this.#slots.length;
    for (let held = this.#slots[slot]; held; held = this.#slots[slot]) {
      if (this.#textAt(held - 1).equals(text)) return slot;
      slot = (slot + 1) % this.#slots.length;
    }
    return slot;
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#size);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#slots = new Uint32Array(ends.length * SLOTS_PER_TEXT);
    for (let index = 0; index < this.#size; index++)
      this.#slots[this.#slotOf(this.#textAt(index))] = index + 1;
  }
}

function hashOf(text: Buffer): number {
  let hash = HASH.start;
  for (const byte of text) hash = Math.imul(hash ^ byte, HASH.factor);
  return hash >>> 0;
}
