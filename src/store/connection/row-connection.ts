/**
 * A connection of the driver that passes on rows as received bytes. The driver makes a text of every column, and
 * requests the names of the columns each time, which is a third of the work for a page of twenty (decision 0066). All
 * messages other than rows of a `RowsQuery` go to the driver as usual.
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** Receiver of the rows of one statement. */
export interface RowReceiver {
  /** Whether the columns are known, so that the server need not name them. */
  readonly knowsColumns: boolean;
  /**
   * Receives a row: the bytes of a DataRow message from `start`, the number of its columns, up to `end`. The receiver
   * may change the bytes.
   */
  readonly receiveRow: (bytes: Buffer, start: number, end: number) => void;
}

/** Members of the driver's connection that its types lack. */
interface DriverConnection {
  attachListeners(stream: EventEmitter): void;
  close(message: object): void;
  describe(message: object): void;
  query(text: string): void;
  sync(): void;
}

const DriverConnection = pg.Connection as unknown as new (config: object) => DriverConnection;
const DATA_ROW = 'D'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
/** Each message begins with its type and its length, which includes the length field. */
const TYPE_BYTES = 1;
const HEAD_BYTES = 5;

/** A connection that assigns each row to the statement that requested it, and gives its bytes to the receiver. */
export class RowConnection extends DriverConnection {
  /**
   * Each Sync, each simple query and the start are answered by one ReadyForQuery, and counting these assigns rows to
   * their statement.
   */
  #requested = 1;
  #answered = 0;
  #receivers: { readonly number: number; readonly receiver: RowReceiver }[] = [];
  /** Owner of the statement that is being sent. */
  #sending: RowReceiver | undefined;
  /** The beginning of an incomplete message. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #needed = 0;

  /** Assigns the rows of the next sent statement to this receiver. */
  expectRows(receiver: RowReceiver): void {
    this.#receivers.push({ number: this.#requested, receiver });
    this.#sending = receiver;
  }

  override describe(message: object): void {
    if (!this.#sending?.knowsColumns) super.describe(message);
  }

  override sync(): void {
    this.#sending = undefined;
    this.#requested += 1;
    super.sync();
  }

  /**
   * The driver closes a statement with a value that cannot be sent, and then treats it as prepared; here the statement
   * stays prepared.
   */
  override close(): void {}

  override query(text: string): void {
    this.#requested += 1;
    super.query(text);
  }

  override attachListeners(stream: Duplex): void {
    const others = new EventEmitter();
    super.attachListeners(others);
    stream.on('data', (chunk: Buffer) => {
      const bytes = this.#gather(chunk);
      if (bytes) this.#read(bytes, others);
    });
    stream.on('end', () => others.emit('end'));
  }

  /** @returns the received bytes, if they contain a whole message. */
  #gather(chunk: Buffer): Buffer | undefined {
    if (this.#parts.length === 0) return chunk;
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return undefined;
    const bytes = Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    return bytes;
  }

  #read(bytes: Buffer, others: EventEmitter): void {
    let at = 0;
    let handedOn = 0;
    let needed = HEAD_BYTES;
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + TYPE_BYTES + bytes.readUInt32BE(at + TYPE_BYTES);
      needed = end - at;
      if (end > bytes.length) break;
      const type = bytes[at];
      if (type === READY_FOR_QUERY) this.#endAnswer();
      const receiver = type === DATA_ROW ? this.#presentReceiver() : undefined;
      if (receiver) {
        if (handedOn < at) others.emit('data', bytes.subarray(handedOn, at));
        receiver.receiveRow(bytes, at + HEAD_BYTES, end);
        handedOn = end;
      }
      at = end;
      needed = HEAD_BYTES;
    }
    if (handedOn < at) others.emit('data', bytes.subarray(handedOn, at));
    if (at === bytes.length) return;
    this.#parts = [bytes.subarray(at)];
    this.#bytes = bytes.length - at;
    this.#needed = needed;
  }

  /** Releases the receiver of the answer, which holds the rows and the values of its statement. */
  #endAnswer(): void {
    this.#answered += 1;
    while (this.#receivers[0] && this.#receivers[0].number < this.#answered) this.#receivers.shift();
  }

  #presentReceiver(): RowReceiver | undefined {
    const first = this.#receivers[0];
    return first?.number === this.#answered ? first.receiver : undefined;
  }
}
