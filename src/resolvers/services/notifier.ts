/**
 * Notifies waiters inside this process of changes. They read the new state themselves: a lost notification costs
 * time, never correctness.
 */
import { EventEmitter } from 'node:events';
import type { ProcessRow } from '../../templates/facts.ts';

/** A transaction by its ids. */
export interface TransactionKey {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

/** A transaction as the engine committed it. */
export interface Move {
  readonly row: ProcessRow;
  /** Whether it continues by itself: its due jobs were stored with it. */
  readonly goesOn: boolean;
}

/** Receives the moves of one transaction, from the call of `follow` on. */
export interface Followed {
  /** @returns the newest move that was not returned yet, as soon as there is one; undefined after the given milliseconds. */
  readonly next: (timeoutMs: number) => Promise<Move | undefined>;
  readonly end: () => void;
}

/** Receives the accounts whose log or ledger moved. */
export type AccountListener = (accountIds: readonly bigint[]) => void;

/**
 * Receives the accounts with pending work. `mayBeDue`: also jobs that wait for a time, not only those that a commit added.
 */
export type WorkListener = (accountIds: readonly bigint[], options: { readonly mayBeDue: boolean }) => void;

const ANY = 'any';
const WORK = 'work';
const HERE = 'here';
const JOBS = 'jobs';

/** Notifies after commits. */
export class Notifier {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /**
   * Notifies of transactions that a commit of this process moved; without their rows, of those that became due when the clock
   * was set.
   *
   * @param options - `hasJobs`: there may be jobs to scan for. @default true
   */
  notifyMoved(moved: readonly (TransactionKey & Partial<Move>)[], { hasJobs = true } = {}): void {
    for (const { row, goesOn = true, ...key } of moved)
      if (row) this.#emitter.emit(nameOf(key), { row, goesOn } satisfies Move);
    const accountIds = [...new Set(moved.map(({ accountId }) => accountId))];
    if (accountIds.length > 0) {
      this.#emitter.emit(HERE, accountIds);
      this.#emitter.emit(ANY, accountIds);
      this.#emitter.emit(WORK, accountIds, { mayBeDue: moved.some(({ row }) => !row) });
    }
    if (hasJobs) this.#emitter.emit(JOBS, accountIds);
  }

  /**
   * Notifies of accounts that moved, by this process or by another one.
   *
   * @param isWorkedOn - the other process has workers of its own, which do the next work.
   */
  notify(accountIds: readonly bigint[], { isWorkedOn = false } = {}): void {
    this.#emitter.emit(ANY, accountIds);
    if (isWorkedOn) return;
    this.#emitter.emit(WORK, accountIds, { mayBeDue: true });
    this.#emitter.emit(JOBS, accountIds);
  }

  /** Calls the listener at every notification: for followers of accounts. */
  onAny(listener: AccountListener): void {
    this.#emitter.on(ANY, listener);
  }

  /**
   * Calls the listener when there are events to process here: for relays. If all of them woke at every notification, those of
   * two processes would contend for a busy account.
   */
  onWork(listener: WorkListener): void {
    this.#emitter.on(WORK, listener);
  }

  /** Calls the listener when there may be jobs to claim here: for workers. */
  onJobs(listener: () => void): void {
    this.#emitter.on(JOBS, listener);
  }

  /** Calls the listener for moves of this process, to notify other processes. */
  onHere(listener: AccountListener): void {
    this.#emitter.on(HERE, listener);
  }

  /** Follows a transaction, without the moves of other processes. */
  follow(key: TransactionKey): Followed {
    let newest: Move | undefined;
    let wake = () => {};
    const onMove = (move: Move) => {
      newest = move;
      wake();
    };
    this.#emitter.on(nameOf(key), onMove);
    return {
      next: async (timeoutMs) => {
        if (!newest)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, timeoutMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        const move = newest;
        newest = undefined;
        return move;
      },
      end: () => this.#emitter.off(nameOf(key), onMove),
    };
  }
}

function nameOf({ accountId, transactionId }: TransactionKey): string {
  return `${accountId}/${transactionId}`;
}
