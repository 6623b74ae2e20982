/** Tells those who wait inside this process that a transaction moved. What they then see, they read for themselves. */
import { EventEmitter, once } from 'node:events';

/** A transaction by its ids. */
export interface TransactionKey {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

const ANY = 'any';

/** Rings after commits. */
export class Doorbell {
  readonly #bell = new EventEmitter().setMaxListeners(0);

  ring(moved: readonly TransactionKey[]): void {
    for (const key of moved) this.#bell.emit(nameOf(key));
    if (moved.length > 0) this.#bell.emit(ANY);
  }

  /** Calls the listener at every ring. */
  onAny(listener: () => void): void {
    this.#bell.on(ANY, listener);
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
