/**
 * Tells those who wait inside this process that something moved. What they then see, they read for themselves: a ring that
 * is lost costs time, never truth.
 */
import { EventEmitter, once } from 'node:events';

/** A transaction by its ids. */
export interface TransactionKey {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

/** Hears of accounts whose log or ledger moved. */
export type AccountListener = (accountIds: readonly bigint[]) => void;

const ANY = 'any';
const HERE = 'here';

/** Rings after commits. */
export class Doorbell {
  readonly #bell = new EventEmitter().setMaxListeners(0);

  /** Rings for transactions that moved by a commit of this process. */
  ring(moved: readonly TransactionKey[]): void {
    if (moved.length === 0) return;
    for (const key of moved) this.#bell.emit(nameOf(key));
    const accountIds = [...new Set(moved.map(({ accountId }) => accountId))];
    this.#bell.emit(HERE, accountIds);
    this.#bell.emit(ANY, accountIds);
  }

  /** Rings for accounts that another process said it moved. */
  hear(accountIds: readonly bigint[]): void {
    this.#bell.emit(ANY, accountIds);
  }

  /** Calls the listener at every ring. */
  onAny(listener: AccountListener): void {
    this.#bell.on(ANY, listener);
  }

  /** Calls the listener for what this process moved: to tell other processes. */
  onHere(listener: AccountListener): void {
    this.#bell.on(HERE, listener);
  }

  /** Waits for a ring of the transaction, at most so many milliseconds: other processes do not ring here. */
  async wait(key: TransactionKey, timeoutMs: number): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs);
    await once(this.#bell, nameOf(key), { signal: timeout }).catch(() => {});
  }
}

function nameOf({ accountId, transactionId }: TransactionKey): string {
  return `${accountId}/${transactionId}`;
}
