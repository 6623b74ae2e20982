/** The clock of the PSP: the machine's clock plus an offset, which survives a restart. */
import type { PspStore } from './store.ts';

const AHEAD = 'clock_ahead_ms';

/** A clock that can be moved forward. */
export class PspClock {
  readonly #store: PspStore;
  #aheadMs: number;

  constructor(store: PspStore) {
    this.#store = store;
    this.#aheadMs = Number(store.setting(AHEAD, () => '0'));
  }

  /** @returns the time, ms since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** @returns milliseconds of the machine's clock until a time; 0 for a past time. */
  until(atMs: number): number {
    return Math.max(0, atMs - this.now());
  }

  /** @returns the offset from the machine's clock. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Sets the offset from the machine's clock. The clock never goes back. */
  setAhead(aheadMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
    this.#store.set(AHEAD, String(this.#aheadMs));
  }
}

/** @returns a time in the notation of API Pix. */
export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
