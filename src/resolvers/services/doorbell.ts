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
const WORK = 'work';
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
    this.hear(accountIds);
  }

  /**
   * Rings for accounts that another process said it moved.
   *
   * @param isWorkedOn - that process has workers of its own, which do what is to be done next.
   */
  hear(accountIds: readonly bigint[], { isWorkedOn = false } = {}): void {
    this.#bell.emit(ANY, accountIds);
    if (!isWorkedOn) this.#bell.emit(WORK, accountIds);
  }

  /** Calls the listener at every ring: for those who follow accounts. */
  onAny(listener: AccountListener): void {
    this.#bell.on(ANY, listener);
  }

  /**
   * Calls the listener at rings after which there is something to do here: for workers. If all workers woke at every ring,
   * those of two processes would stand in each other's way on an account that is busy.
   */
  onWork(listener: AccountListener): void {
    this.#bell.on(WORK, listener);
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
