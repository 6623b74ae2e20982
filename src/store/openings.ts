/**
 * Connections that are being opened. What was sent while nothing passed is lost, so one of them would be waited for until its time
 * limit though the server can be reached again: it is given up as soon as a later one is open.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import { NoAnswerError } from './database-error.ts';
import { destroy } from './look-into-server.ts';

/** One that began so much later, and is open, speaks for those that have not heard anything. Unit: ms. */
const LATER_MS = 500;

/** See the file. */
export class Openings {
  readonly #begunAt = new Map<pg.Client, number>();

  begin(client: pg.Client): void {
    this.#begunAt.set(client, performance.now());
  }

  /** It failed, or was closed. */
  end(client: pg.Client): void {
    this.#begunAt.delete(client);
  }

  /** It is open: those before it that have heard nothing fail. */
  succeed(client: pg.Client): void {
    const begunAt = this.#begunAt.get(client) ?? 0;
    this.#begunAt.delete(client);
    for (const [other, otherAt] of this.#begunAt)
      if (otherAt + LATER_MS < begunAt && (other.connection.stream as Socket).bytesRead === 0)
        destroy(other, new NoAnswerError('the database did not answer, though it answers others'));
  }
}
