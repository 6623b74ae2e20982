/**
 * Standard error as the destination of the log. Writing is asynchronous and bounded: a full disk, or a reader that is
 * slow or has exited, delays or loses lines, and never blocks or ends the process.
 */
import { fstatSync, write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum number of characters in waiting lines; further lines are dropped and counted. */
const WAITING_MAX = 4_194_304;
/** Pause after a failed write, such as on a full disk. Unit: ms. */
const RETRY_MS = 1_000;
const STANDARD_ERROR = 2;
/** Level of a warning in pino's notation. */
const WARN = 40;

/**
 * Writes a part of the bytes.
 *
 * @returns the number of written bytes.
 * @throws the system's error.
 */
export type Sink = (bytes: Buffer) => Promise<number>;

/** Limits of an output. */
export interface OutputLimits {
  /** @default 4,194,304 characters */
  readonly waitingMax?: number;
  /** @default 1,000 ms */
  readonly retryMs?: number;
}

/** Lines that wait for a sink, and the number of dropped ones. */
export class LogOutput {
  readonly #sink: Sink;
  readonly #waitingMax: number;
  readonly #retryMs: number;
  #waiting: string[] = [];
  #length = 0;
  #dropped = 0;
  #droppedEver = 0;
  /** Resolves when no line waits any more. */
  #writing: Promise<void> | undefined;

  constructor(sink: Sink, { waitingMax = WAITING_MAX, retryMs = RETRY_MS }: OutputLimits = {}) {
    this.#sink = sink;
    this.#waitingMax = waitingMax;
    this.#retryMs = retryMs;
  }

  /** Number of lines dropped since the start. */
  get dropped(): number {
    return this.#droppedEver;
  }

  /** Accepts a line, or drops it if too many wait. Never throws. */
  write(line: string): void {
    if (this.#length + line.length > this.#waitingMax) {
      this.#dropped += 1;
      this.#droppedEver += 1;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Waits until all lines are written, for at most this time. Unit: ms. */
  async drain(limitMs: number): Promise<void> {
    const limit = new AbortController();
    const timer = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([this.#writing, timer]);
    limit.abort();
  }

  /** @returns the waiting lines whose write has not begun; they are removed from the output. */
  removeBuffered(): string {
    const lines = this.#dropped > 0 ? [dropLine(this.#dropped), ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    this.#dropped = 0;
    return lines.join('');
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeWhole(Buffer.from(this.removeBuffered()));
    this.#writing = undefined;
  }

  async #writeWhole(bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      try {
        written += await this.#sink(bytes.subarray(written));
      } catch {
        await sleep(this.#retryMs, undefined, { ref: false });
      }
    }
  }
}

/** @returns the output to standard error; at the end of the process, waiting lines are written as far as possible. */
export function standardError(): LogOutput {
  const output = new LogOutput(isStream(STANDARD_ERROR) ? toStream : toFile);
  process.on('exit', () => {
    try {
      writeSync(STANDARD_ERROR, output.removeBuffered());
    } catch {
      // The disk is full, or the reader has exited.
    }
  });
  return output;
}

/** Keeps the process running when its output for people cannot be written. */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** A write to a pipe or a socket could block for ever, and a blocked thread would prevent the end of the process. */
function isStream(file: number): boolean {
  try {
    const stat = fstatSync(file);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

function toStream(bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stderr.write(bytes, (error) => (error ? reject(error) : resolve(bytes.length)));
  });
}

function toFile(bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(STANDARD_ERROR, bytes, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

function dropLine(dropped: number): string {
  return `${JSON.stringify({ level: WARN, time: Date.now(), dropped, msg: 'log lines were dropped: standard error did not take them in time' })}\n`;
}
