/**
 * Tells those who wait inside this process that something moved. What they then see, they read for themselves: a
 * notification that is lost costs time, never truth.
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

/** Notifies after commits. */
export class Notifier {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** Tells of transactions that moved by a commit of this process. */
  notifyMoved(moved: readonly TransactionKey[]): void {
    if (moved.length === 0) return;
    for (const key of moved) this.#emitter.emit(nameOf(key));
    const accountIds = [...new Set(moved.map(({ accountId }) => accountId))];
    this.#emitter.emit(HERE, accountIds);
    this.notify(accountIds);
  }

  /**
   * Tells of accounts that moved, by this process or by another one.
   *
   * @param isWorkedOn - that process has workers of its own, which do what is to be done next.
   */
  notify(accountIds: readonly bigint[], { isWorkedOn = false } = {}): void {
    this.#emitter.emit(ANY, accountIds);
    if (!isWorkedOn) this.#emitter.emit(WORK, accountIds);
  }

  /** Calls the listener at every notification: for those who follow accounts. */
  onAny(listener: AccountListener): void {
    this.#emitter.on(ANY, listener);
  }

  /**
   * Calls the listener when there is something to do here: for workers. If all workers woke at every notification, those of
   * two processes would stand in each other's way on an account that is busy.
   */
  onWork(listener: AccountListener): void {
    this.#emitter.on(WORK, listener);
  }

  /** Calls the listener for what this process moved: to tell other processes. */
  onHere(listener: AccountListener): void {
    this.#emitter.on(HERE, listener);
  }

  /** Waits until the transaction moves, at most so many milliseconds: what other processes do is not told here. */
  async wait(key: TransactionKey, timeoutMs: number): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs);
    await once(this.#emitter, nameOf(key), { signal: timeout }).catch(() => {});
  }
}

function nameOf({ accountId, transactionId }: TransactionKey): string {
  return `${accountId}/${transactionId}`;
}
