/**
 * Limits how many exports are written at the same time, so that a few large downloads leave the database to all other
 * callers.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import { noteLimit } from '../../base/trace/measures.ts';

/** Maximum number of concurrent exports of one account, and of all accounts of this process. */
export const EXPORTS_MAX = { account: 2, process: 8 } as const;
const RETRY_SECONDS = 10;

/** The exports that are being written. */
export class ExportGate {
  readonly #running = new Map<bigint, number>();

  /**
   * @returns a function to be called when the export has ended.
   * @throws {GatewayError} `RATE_LIMITED` when the account has enough of them, `UNAVAILABLE` when all accounts together do.
   */
  enter(accountId: bigint): () => void {
    const own = this.#running.get(accountId) ?? 0;
    const all = [...this.#running.values()].reduce((sum, each) => sum + each, 0);
    const retry = { retryAfter: RETRY_SECONDS };
    if (own >= EXPORTS_MAX.account) {
      noteLimit('account');
      throw new GatewayError(
        'RATE_LIMITED',
        `at most ${EXPORTS_MAX.account} exports of an account at once`,
        retry,
      );
    }
    if (all >= EXPORTS_MAX.process)
      throw new GatewayError('UNAVAILABLE', 'too many exports are under way: try again in a moment', retry);
    this.#running.set(accountId, own + 1);
    return () => {
      const left = (this.#running.get(accountId) ?? 1) - 1;
      if (left > 0) this.#running.set(accountId, left);
      else this.#running.delete(accountId);
    };
  }
}
