/** How many streams and waiting requests a key may have at once in this process. */
import { GatewayError } from '../../base/errors.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';

/** When to ask again for a stream beyond a limit: some may have ended by then. Unit: seconds. */
export const RETRY_SECONDS = 5;
/** Tabs in which one payer may have a page open. */
const SESSION_STREAMS_MAX = 20;

/** Counts what is open by key. */
export class StreamLimit {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a place.
   *
   * @returns a function that releases it; a second call does nothing.
   * @throws {GatewayError} `RATE_LIMITED` when the key has no place left.
   */
  take({ id: keyId, transactionId }: Pick<KeyRecord, 'id' | 'transactionId'>): () => void {
    const max = transactionId === undefined ? this.#max : Math.min(this.#max, SESSION_STREAMS_MAX);
    const open = this.#open.get(keyId) ?? 0;
    if (open >= max) {
      throw new GatewayError('RATE_LIMITED', `a key can have at most ${max} streams at the same time`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    this.#open.set(keyId, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#open.get(keyId) ?? 1) - 1;
      if (left > 0) this.#open.set(keyId, left);
      else this.#open.delete(keyId);
    };
  }
}
