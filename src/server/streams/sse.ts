/**
 * Server-sent events on one response: their bytes, and clients that read slowly or not at all. A process has thousands
 * of streams, which stay open for hours, so data that only the start of a stream needs is dropped then: the headers of
 * the request, and Node's objects for them.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ExecutionResult } from 'graphql';
import type { Exchange } from '../http/http.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Asks proxies not to buffer the response, which would delay the events.
  'x-accel-buffering': 'no',
};
const PING = eventBytes(':\n\n');
const COMPLETE = Buffer.from('event: complete\ndata:\n\n');
const RETRY_MIN_MS = 500;
const RETRY_SPREAD_MS = 1_500;
const NONE: readonly string[] = [];

/** An event for many connections: as text, and as a chunk of HTTP/1.1, so that no connection builds its own. */
export interface EventBytes {
  readonly body: Buffer;
  readonly chunk: Buffer;
}

/** @returns the bytes of events from their text. */
export function eventBytes(text: string): EventBytes {
  const size = Buffer.byteLength(text);
  const head = `${size.toString(16)}\r\n`;
  const chunk = Buffer.from(`${head}${text}\r\n`);
  return { body: chunk.subarray(head.length, head.length + size), chunk };
}

/** @returns the bytes of a `next` event. A client cannot resume after a frame without a cursor. */
export function nextEvent(result: ExecutionResult, cursor?: string): EventBytes {
  const id = cursor ? `id: ${cursor}\n` : '';
  return eventBytes(`${id}event: next\ndata: ${JSON.stringify(result)}\n\n`);
}

/** A response for events. */
export class EventConnection {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, headers: Record<string, string>) {
    this.#exchange = exchange;
    const { request, response, requestId } = exchange;
    exchange.noted.isStream = true;
    // The reader of the body no longer listens.
    request.removeAllListeners();
    Object.assign(request, { rawHeaders: NONE, headers: null, headersDistinct: null });
    const { socket } = response;
    socket?.cork();
    response.writeHead(200, { ...HEADERS, 'x-request-id': requestId, ...headers });
    // Node keeps the head of the response in memory. Written separately, the head is one text; otherwise it consists of
    // the many parts that Node joined.
    response.flushHeaders();
    // A first comment is sent immediately, so that proxies and browsers forward the head. The retry time varies, to
    // spread reconnects.
    response.write(`retry: ${RETRY_MIN_MS + Math.floor(Math.random() * RETRY_SPREAD_MS)}\n:\n\n`);
    socket?.uncork();
  }

  get isOpen(): boolean {
    const { response } = this.#exchange;
    return !response.destroyed && !response.writableEnded;
  }

  /** Whether written bytes are still waiting in this process. */
  get isStalled(): boolean {
    return this.#target.writableNeedDrain;
  }

  /**
   * Writes.
   *
   * @returns false when the client reads too slowly: write nothing more until it has caught up.
   */
  send({ body, chunk }: EventBytes): boolean {
    if (!this.isOpen) return true;
    const target = this.#target;
    return target.write(target === this.#exchange.response ? body : chunk);
  }

  /** Sends a ping, unless other bytes are waiting. */
  ping(): void {
    if (!this.isStalled) this.send(PING);
  }

  /** Resolves when more can be written, or the client has disconnected. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.isStalled) return;
    const gone = new AbortController();
    const { signal } = gone;
    await Promise.race([
      once(this.#target, 'drain', { signal }).catch(() => {}),
      once(this.#exchange.response, 'close', { signal }).catch(() => {}),
    ]);
    gone.abort();
  }

  /** Completes the operation. */
  complete(result?: ExecutionResult): void {
    if (!this.isOpen) return;
    if (result) this.send(nextEvent(result));
    this.#exchange.response.end(COMPLETE);
  }

  /** Closes the connection without completing the operation: the client reconnects and continues. */
  end(): void {
    if (this.isOpen) this.#exchange.response.end();
  }

  /** Drops the connection of a client that does not read. */
  destroy(): void {
    this.#exchange.response.destroy();
  }

  /** The response closes once; `once` would allocate an object for each stream. */
  onClose(listener: () => void): void {
    this.#exchange.response.on('close', listener);
  }

  /**
   * The socket, which takes a finished chunk in one write once all earlier bytes are written. The response itself,
   * while it waits for another one on the connection, and for clients of HTTP/1.0, which have no chunks.
   */
  get #target(): ServerResponse | Socket {
    const { response } = this.#exchange;
    const { socket, chunkedEncoding, writableNeedDrain } = response;
    return socket && chunkedEncoding && !writableNeedDrain ? socket : response;
  }
}
