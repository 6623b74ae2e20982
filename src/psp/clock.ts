/** The clock of the PSP: that of the machine, and what it was set ahead by, which outlives a restart. */
import type { PspStore } from './store.ts';

const AHEAD = 'clock_ahead_ms';

/** A clock that can be set ahead. */
export class PspClock {
  readonly #store: PspStore;
  #aheadMs: number;

  constructor(store: PspStore) {
    this.#store = store;
    this.#aheadMs = Number(store.setting(AHEAD, () => '0'));
  }

  /** @returns the moment, milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** @returns for how many milliseconds of the machine a moment is away; 0 when it is over. */
  until(atMs: number): number {
    return Math.max(0, atMs - this.now());
  }

  /** @returns what it is ahead of the machine by. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Sets how far it is ahead of the machine. It is never set back. */
  setAhead(aheadMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
    this.#store.set(AHEAD, String(this.#aheadMs));
  }
}

/** @returns a moment as API Pix writes it. */
export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
