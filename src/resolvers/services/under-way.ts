/** What is under way in this process, and since when: whoever asks how long callers wait is told here. */

/** Counts work that has begun and not ended. */
export class UnderWay {
  /** Kept in the order in which they began. */
  readonly #begun = new Set<{ readonly atMs: number }>();

  /** @returns a function that does the same, counted while it is at it. */
  counting<Asked, Result>(work: (asked: Asked) => Promise<Result>): (asked: Asked) => Promise<Result> {
    return async (asked) => {
      const one = { atMs: performance.now() };
      this.#begun.add(one);
      try {
        return await work(asked);
      } finally {
        this.#begun.delete(one);
      }
    };
  }

  /** @returns for how long the oldest of it is under way, milliseconds; 0 when nothing is. */
  oldestMs(): number {
    const [oldest] = this.#begun;
    return oldest ? performance.now() - oldest.atMs : 0;
  }
}
