/**
 * Connections being opened: few at a time, and fewer while they get no answer. On a half-open network the server
 * accepts connections that the gateway never learns of, each of which occupies a slot until the server gives it up.
 * Data sent during the fault is lost, so an opening is given up as soon as a later one has succeeded.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import { NoAnswerError } from './database-error.ts';
import { destroy } from './probe-server.ts';

/** Maximum number of connections that are being opened at the same time. */
const OPENINGS_MAX = 4;
/**
 * Time without a byte of an answer after which an opening counts as silent; a later successful opening ends it. Unit:
 * ms.
 */
const LATER_MS = 500;
/** Pause between two openings, for each silent one since the last success. Unit: ms. */
const PAUSE_STEP_MS = 500;
const PAUSE_MAX_MS = 3_000;

/** The openings of one pool: each waits for its turn, and the next success ends the silent ones. */
export class Openings {
  readonly #begunAt = new Map<pg.Client, number>();
  readonly #waiting = new Set<() => void>();
  /** Silent openings since the last success. */
  #silent = 0;
  #lastBegunAt = Number.NEGATIVE_INFINITY;
  /** Host and port of the last opening: the silence of one server says nothing about another. */
  #server = '';
  #timer: NodeJS.Timeout | undefined;

  /** Waits for its turn. @throws {NoAnswerError} when the socket is destroyed first, as on a time limit. */
  begin(client: pg.Client): Promise<void> {
    this.#useServerOf(client);
    const { stream } = client.connection;
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#waiting.delete(start);
        stream.off('close', giveUp);
        this.#lastBegunAt = performance.now();
        this.#begunAt.set(client, this.#lastBegunAt);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(start);
        reject(new NoAnswerError('the database does not answer new connections'));
      };
      stream.once('close', giveUp);
      this.#waiting.add(start);
      this.#startNext();
    });
  }

  /** The opening failed, or the connection was closed. */
  end(client: pg.Client): void {
    const begunAt = this.#begunAt.get(client);
    if (begunAt === undefined) return;
    this.#begunAt.delete(client);
    if (isSilent(client) && performance.now() - begunAt >= LATER_MS) this.#silent += 1;
    this.#startNext();
  }

  /** The connection is open: earlier openings without an answer fail. */
  succeed(client: pg.Client): void {
    const begunAt = this.#begunAt.get(client) ?? 0;
    this.#begunAt.delete(client);
    this.#silent = 0;
    for (const [other, otherAt] of this.#begunAt)
      if (otherAt + LATER_MS < begunAt && isSilent(other)) {
        this.#begunAt.delete(other);
        destroy(other, new NoAnswerError('the database did not answer, though it answers other connections'));
      }
    this.#startNext();
  }

  #useServerOf({ host, port }: pg.Client): void {
    const server = `${host}:${port}`;
    if (server === this.#server) return;
    this.#server = server;
    this.#silent = 0;
    this.#begunAt.clear();
  }

  #startNext(): void {
    // While the server is silent, openings are tried one after the other, and the newest has the best chance of an
    // answer.
    const line = this.#silent > 0 ? [...this.#waiting].toReversed() : [...this.#waiting];
    for (const start of line) {
      if (this.#begunAt.size >= OPENINGS_MAX) return;
      const restMs = this.#lastBegunAt + this.#pauseMs() - performance.now();
      if (restMs > 0) {
        this.#startLater(restMs);
        return;
      }
      start();
    }
  }

  #startLater(restMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#startNext(), restMs).unref();
  }

  #pauseMs(): number {
    return Math.min(PAUSE_STEP_MS * this.#silent, PAUSE_MAX_MS);
  }
}

function isSilent(client: pg.Client): boolean {
  return (client.connection.stream as Socket).bytesRead === 0;
}
