/**
 * Rows for COPY, which copy-query.ts sends. An insert of arrays costs the client twice as much, which converts each
 * element to text, and costs the server a log record for each row (bench/notes/rows-as-they-come.md).
 */
/** A value of a row. */
export type CopiedValue = string | number | bigint | null;

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const FIRST_BYTES = 256;
/** Maximum number of bytes of a character in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** A growing text in bytes, so that waiting text leaves nothing for the garbage collector. */
export class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  append(text: string): void {
    this.#makeRoom(CHARACTER_BYTES_MAX * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length + bytes);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Rows in the text format of COPY. */
export class CopiedLines {
  readonly #text = new GrowingText();
  #count = 0;

  /** Number of rows. */
  get count(): number {
    return this.#count;
  }

  get bytes(): Buffer {
    return this.#text.bytes;
  }

  add(values: readonly CopiedValue[]): this {
    this.#text.append(`${values.map(copied).join('\t')}\n`);
    this.#count += 1;
    return this;
  }
}

function copied(value: CopiedValue): string {
  if (value === null) return '\\N';
  return String(value).replace(SPECIAL, (special) => ESCAPES[special] as string);
}
