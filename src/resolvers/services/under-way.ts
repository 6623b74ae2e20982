/** What is under way in this process: whoever asks whether callers wait for too long waits for it too. */

/** Knows the work that has begun and not ended. */
export class UnderWay {
  readonly #begun = new Set<Promise<unknown>>();

  /** @returns a function that does the same, known while it is at it. */
  counting<Asked, Result>(work: (asked: Asked) => Promise<Result>): (asked: Asked) => Promise<Result> {
    return async (asked) => {
      const working = work(asked);
      const ended = working.catch(() => {});
      this.#begun.add(ended);
      try {
        return await working;
      } finally {
        this.#begun.delete(ended);
      }
    };
  }

  /** Waits for all that is under way now, however it ends. */
  async ended(): Promise<void> {
    await Promise.all(this.#begun);
  }
}
