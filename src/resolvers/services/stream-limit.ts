/** Limit of the streams and waiting requests that an account may have at once in this process, by all of its keys. */
import { GatewayError } from '../../base/errors/errors.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';

/** Time after which a stream beyond the limit may be requested again: some may have ended by then. Unit: seconds. */
export const RETRY_SECONDS = 5;
/** Tabs in which one payer may have a page open. */
const SESSION_STREAMS_MAX = 20;

/**
 * Counts open streams by account, and those of payers by their session: payers must not use up the streams of the account.
 */
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
   * @throws {GatewayError} `RATE_LIMITED` when the account, or the payer, has no slot left.
   */
  acquire(caller: Pick<KeyRecord, 'id' | 'accountId' | 'transactionId'>): () => void {
    const isPayer = caller.transactionId !== undefined;
    const max = isPayer ? Math.min(this.#max, SESSION_STREAMS_MAX) : this.#max;
    const holder = sharedBy(caller);
    const open = this.#open.get(holder) ?? 0;
    if (open >= max) {
      noteLimit(isPayer ? 'page' : 'account');
      const whose = isPayer ? 'a payment session' : 'an account';
      throw new GatewayError('RATE_LIMITED', `${whose} can have at most ${max} streams at the same time`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    this.#open.set(holder, open + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#open.get(holder) ?? 1) - 1;
      if (left > 0) this.#open.set(holder, left);
      else this.#open.delete(holder);
    };
  }
}

/**
 * @returns the key of a shared limit of parallel work: the account, since it can make more keys; for a payer, the
 *   session alone.
 */
export function sharedBy({
  id,
  accountId,
  transactionId,
}: Pick<KeyRecord, 'id' | 'accountId' | 'transactionId'>): string {
  return transactionId === undefined ? `account ${accountId}` : `session ${id}`;
}
