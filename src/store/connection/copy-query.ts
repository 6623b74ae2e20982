/** Writes many rows by COPY. */
import pg from 'pg';

/** Members of the driver's connection that its types lack. */
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
