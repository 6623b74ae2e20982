/** Server-sent events on one response: frames, and a client that reads slowly or not at all. */
import { once } from 'node:events';
import type { ExecutionResult } from 'graphql';
import type { Exchange } from './http.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Proxies that gather an answer before they pass it on would keep the events.
  'x-accel-buffering': 'no',
};
const PING = Buffer.from(':\n\n');
const COMPLETE = Buffer.from('event: complete\ndata:\n\n');
const RETRY_MIN_MS = 500;
const RETRY_SPREAD_MS = 1_500;

/** @returns the bytes of a `next` event; without a cursor there is nothing to come back with. */
export function nextEvent(result: ExecutionResult, cursor?: string): Buffer {
  const id = cursor ? `id: ${cursor}\n` : '';
  return Buffer.from(`${id}event: next\ndata: ${JSON.stringify(result)}\n\n`);
}

/** A response that events are written to. */
export class EventConnection {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, headers: Record<string, string>) {
    this.#exchange = exchange;
    const { request, response, requestId } = exchange;
    // Read again from the raw header where they are asked for: a stream stays for hours, and nobody asks.
    Object.assign(request, { headers: null, headersDistinct: null });
    response.writeHead(200, { ...HEADERS, 'x-request-id': requestId, ...headers });
    // Something at once, so that proxies and browsers pass the head on; clients come back spread over time.
    response.write(`retry: ${RETRY_MIN_MS + Math.floor(Math.random() * RETRY_SPREAD_MS)}\n:\n\n`);
  }

  get isOpen(): boolean {
    const { response } = this.#exchange;
    return !response.destroyed && !response.writableEnded;
  }

  /** Whether what was written has not left this process yet. */
  get isStalled(): boolean {
    return this.#exchange.response.writableNeedDrain;
  }

  /** Writes. @returns false when the client reads too slowly: nothing more should be written until it has caught up. */
  send(chunk: Buffer): boolean {
    return !this.isOpen || this.#exchange.response.write(chunk);
  }

  /** Says that the connection lives, where nothing waits to be read. */
  ping(): void {
    if (this.isOpen && !this.isStalled) this.#exchange.response.write(PING);
  }

  /** Resolves when there is room again, or nobody there any more. */
  async drained(): Promise<void> {
    const { response } = this.#exchange;
    if (!this.isOpen || !response.writableNeedDrain) return;
    const gone = new AbortController();
    const { signal } = gone;
    await Promise.race([
      once(response, 'drain', { signal }).catch(() => {}),
      once(response, 'close', { signal }).catch(() => {}),
    ]);
    gone.abort();
  }

  /** Ends the operation: nothing more comes. */
  complete(result?: ExecutionResult): void {
    if (!this.isOpen) return;
    if (result) this.send(nextEvent(result));
    this.#exchange.response.end(COMPLETE);
  }

  /** Ends the connection and not the operation: the client comes back and goes on. */
  end(): void {
    if (this.isOpen) this.#exchange.response.end();
  }

  /** Gives the client up. */
  destroy(): void {
    this.#exchange.response.destroy();
  }

  onClose(listener: () => void): void {
    this.#exchange.response.once('close', listener);
  }
}
