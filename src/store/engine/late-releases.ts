/**
 * Keys of requests that failed with the database: they could not be released, or a statement with a lost answer may
 * have claimed them. They are released one at a time when the database answers again, so that a repeated request does
 * not wait for the end of a lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../connection/database.ts';
import { type ClaimedKey, LEASE_SECONDS, releaseKey } from './idempotency.ts';

const RETRY_MS = 250;
/** Further keys wait for the end of their leases. */
const WAITING_MAX = 10_000;

/** Keys to be released. */
export class LateReleases {
  readonly #database: Database;
  /** Time by which their leases end. Unit: ms, of `performance.now()`. */
  readonly #waiting = new Map<ClaimedKey, number>();
  #isReleasing = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Releases a key in the background. */
  add(claimed: ClaimedKey): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    this.#waiting.set(claimed, performance.now() + LEASE_SECONDS * 1_000);
    if (!this.#isReleasing) void this.#release();
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    while (this.#waiting.size > 0) {
      await sleep(RETRY_MS, undefined, { ref: false });
      await this.#releaseAll().catch(() => {});
    }
    this.#isReleasing = false;
  }

  /** @throws the error of the first key that cannot be released. */
  async #releaseAll(): Promise<void> {
    for (const [claimed, untilMs] of this.#waiting) {
      if (performance.now() < untilMs) await releaseKey(this.#database, claimed);
      this.#waiting.delete(claimed);
    }
  }
}
