/** Work under way in this process: a check whether callers wait too long also waits for it. */
import { isLockTimeout, isOutOfReach } from '../../store/connection/database-error.ts';

/** Knows the work that has begun and not ended. */
export class RunningWork {
  readonly #begun = new Set<Promise<unknown>>();

  /** @returns a function that does the same, known while it is at it. */
  counting<Request, Result>(
    work: (requested: Request) => Promise<Result>,
  ): (requested: Request) => Promise<Result> {
    return async (requested) => {
      const working = work(requested);
      this.#begun.add(working);
      try {
        return await working;
      } finally {
        this.#begun.delete(working);
      }
    };
  }

  /**
   * Waits for all work that is under way now. @throws the error of work that failed because the database was unreachable; a
   * locked account is no such error.
   */
  async ended(): Promise<void> {
    for (const end of await Promise.allSettled(this.#begun))
      if (end.status === 'rejected' && isOutOfReach(end.reason) && !isLockTimeout(end.reason))
        throw end.reason;
  }
}
