/** All streams that are open in this process: pings, clients that stopped reading, keys that ended, the end of the process. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../base/errors.ts';
import type { Authenticate } from './authenticate.ts';

/** `drain`: the client should come back to another process. `stalled`: it does not read. `refused`: its key ended. */
export type EndReason = 'drain' | 'stalled' | 'refused';

/** A stream, as far as all kinds are the same. */
export interface OpenStream {
  readonly keyId: string;
  readonly request: IncomingMessage;
  readonly isStalled: () => boolean;
  readonly ping: () => void;
  readonly end: (reason: EndReason) => void;
}

const SWEEP_MS = 2_000;
const PING_MS = 15_000;
/** A client that has not taken anything for so long has gone, or will not read. */
const STALL_MS = 30_000;

/** The open streams. */
export class OpenStreams {
  readonly #authenticate: Authenticate;
  readonly #byKey = new Map<string, Set<OpenStream>>();
  readonly #stalledSince = new Map<OpenStream, number>();
  #timer: NodeJS.Timeout | undefined;
  #pingedAt = Date.now();
  #isDraining = false;

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate;
  }

  /** Adds a stream. @returns what takes it out again. @throws {GatewayError} `UNAVAILABLE` when the process ends. */
  add(stream: OpenStream): () => void {
    if (this.#isDraining)
      throw new GatewayError('UNAVAILABLE', 'this process takes no more streams', { retryAfter: 1 });
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    const streams = this.#byKey.get(stream.keyId) ?? new Set();
    this.#byKey.set(stream.keyId, streams.add(stream));
    return () => {
      streams.delete(stream);
      this.#stalledSince.delete(stream);
      if (streams.size === 0 && this.#byKey.get(stream.keyId) === streams) this.#byKey.delete(stream.keyId);
      if (this.#byKey.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Ends all of them, and takes no more. */
  drain(): void {
    this.#isDraining = true;
    for (const stream of this.#all()) stream.end('drain');
  }

  *#all(): Iterable<OpenStream> {
    for (const streams of [...this.#byKey.values()]) yield* [...streams];
  }

  #sweep(): void {
    for (const streams of [...this.#byKey.values()]) this.#checkKey(streams).catch(() => {});
    const now = Date.now();
    const isPingDue = now - this.#pingedAt >= PING_MS;
    if (isPingDue) this.#pingedAt = now;
    for (const stream of this.#all()) {
      if (stream.isStalled()) this.#noteStall(stream, now);
      else {
        this.#stalledSince.delete(stream);
        if (isPingDue) stream.ping();
      }
    }
  }

  #noteStall(stream: OpenStream, now: number): void {
    const since = this.#stalledSince.get(stream) ?? now;
    this.#stalledSince.set(stream, since);
    if (now - since >= STALL_MS) stream.end('stalled');
  }

  /** One look at the key for all of its streams: keys are believed for half a second anyway. */
  async #checkKey(streams: Set<OpenStream>): Promise<void> {
    // A socket that is gone has no address any more, which a key may depend on.
    const stream = streams.values().find(({ request }) => !request.socket.destroyed);
    if (!stream) return;
    try {
      await this.#authenticate(stream.request);
    } catch (error) {
      // A database that is away says nothing of the key.
      if (!(error instanceof GatewayError) || error.code !== 'UNAUTHORIZED') return;
      for (const each of [...streams]) each.end('refused');
    }
  }
}
