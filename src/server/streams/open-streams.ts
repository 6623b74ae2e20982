/** The open streams of this process: pings them, and closes those of stalled clients, revoked keys and ended sessions, and all at shutdown. */

import { forEachYielding } from '../../base/concurrency/for-each-yielding.ts';
import { onNobodysBehalf } from '../../base/concurrency/on-behalf.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { callerName } from '../http/valid-callers.ts';

/** Reasons for which a stream is closed. `drain`: shutdown, the client should reconnect. `stalled`: the client does not read. `refused`: its key or session ended. */
export type EndReason = 'drain' | 'stalled' | 'refused';

/** Members of all kinds of streams. */
export interface OpenStream {
  readonly caller: KeyRecord;
  readonly isStalled: () => boolean;
  readonly ping: () => void;
  readonly end: (reason: EndReason) => void;
}

/** @returns the names (`callerName`) of those callers that are still valid. */
export type FindValid = (callers: readonly KeyRecord[]) => Promise<ReadonlySet<string>>;

/** Streams of a revoked key, or of a session that was ended, end within a second (C-40). */
const CALLERS_MS = 400;
const SWEEP_MS = 2_000;
const PING_MS = 15_000;
/** A client that has read nothing for this long is disconnected. Unit: ms. */
const STALL_MS = 30_000;

/** The open streams. */
export class OpenStreams {
  readonly #findValid: FindValid;
  readonly #byCaller = new Map<string, Set<OpenStream>>();
  readonly #stalledSince = new Map<OpenStream, number>();
  #timers: NodeJS.Timeout[] = [];
  #pingedAt = performance.now();
  #isDraining = false;
  #isChecking = false;
  #isSweeping = false;

  constructor(findValid: FindValid) {
    this.#findValid = findValid;
  }

  /** Adds a stream. @returns a function that removes it. @throws {GatewayError} `UNAVAILABLE` when the process ends. */
  add(stream: OpenStream): () => void {
    if (this.#isDraining)
      throw new GatewayError('UNAVAILABLE', 'this process accepts no more streams', { retryAfter: 1 });
    // Runs for all streams, on behalf of no account, although the first stream starts it.
    if (this.#timers.length === 0) onNobodysBehalf(() => this.#watch());
    const name = callerName(stream.caller);
    const streams = this.#byCaller.get(name) ?? new Set();
    this.#byCaller.set(name, streams.add(stream));
    return () => {
      streams.delete(stream);
      this.#stalledSince.delete(stream);
      if (streams.size === 0 && this.#byCaller.get(name) === streams) this.#byCaller.delete(name);
      if (this.#byCaller.size > 0) return;
      for (const timer of this.#timers.splice(0)) clearInterval(timer);
    };
  }

  /** Number of open streams. */
  get size(): number {
    let open = 0;
    for (const streams of this.#byCaller.values()) open += streams.size;
    return open;
  }

  #watch(): void {
    this.#timers = [
      setInterval(() => this.#sweep().catch(() => {}), SWEEP_MS).unref(),
      setInterval(() => this.#checkCallers().catch(() => {}), CALLERS_MS).unref(),
    ];
  }

  /** Closes all streams, and accepts no new ones. */
  drain(): void {
    this.#isDraining = true;
    for (const stream of this.#all()) stream.end('drain');
  }

  *#all(): Iterable<OpenStream> {
    for (const streams of [...this.#byCaller.values()]) yield* [...streams];
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      const now = performance.now();
      const isPingDue = now - this.#pingedAt >= PING_MS;
      if (isPingDue) this.#pingedAt = now;
      await forEachYielding(this.#all(), (stream) => {
        if (stream.isStalled()) this.#noteStall(stream, now);
        else {
          this.#stalledSince.delete(stream);
          if (isPingDue) stream.ping();
        }
      });
    } finally {
      this.#isSweeping = false;
    }
  }

  #noteStall(stream: OpenStream, now: number): void {
    const since = this.#stalledSince.get(stream) ?? now;
    this.#stalledSince.set(stream, since);
    if (now - since >= STALL_MS) stream.end('stalled');
  }

  /** Checks all callers that have streams. While the database is unreachable, their streams stay open. */
  async #checkCallers(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      // The session of a payer is never revoked.
      const callers = this.#callers().filter(({ transactionId }) => transactionId === undefined);
      const valid = callers.length > 0 ? await this.#findValid(callers) : new Set<string>();
      for (const name of callers.map(callerName))
        if (!valid.has(name))
          for (const stream of [...(this.#byCaller.get(name) ?? [])]) stream.end('refused');
    } finally {
      this.#isChecking = false;
    }
  }

  #callers(): KeyRecord[] {
    return [...this.#byCaller.values()].flatMap((streams) =>
      [...streams].slice(0, 1).map(({ caller }) => caller),
    );
  }
}
