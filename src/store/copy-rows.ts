/**
 * Writes many rows by COPY. An insert of arrays costs the client twice as much, which makes them texts element by element, and the server
 * a line of its log for each row (decision 0046).
 */
import pg from 'pg';

/** A value of a row. */
export type CopiedValue = string | number | bigint | null;

/** What the driver's connection and query have besides what their types say. */
interface DriverConnection {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
}

/** A `copy … from stdin` with its rows. */
export class CopyRows extends (pg.Query as unknown as new (config: object) => object) {
  readonly #lines: Buffer;

  constructor(text: string, lines: Buffer) {
    super({ text });
    this.#lines = lines;
  }

  handleCopyInResponse(connection: DriverConnection): void {
    connection.sendCopyFromChunk(this.#lines);
    connection.endCopyFrom();
  }
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const FIRST_BYTES = 256;
/** UTF-8 needs no more for a character of a text. */
const CHARACTER_BYTES_MAX = 3;

/** A text that grows. It is bytes at once: of what waits, nothing is left to the collector of garbage. */
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

  /** How many rows there are. */
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
