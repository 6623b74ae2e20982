/** What is under way in this process: whoever asks whether callers wait for too long waits for it too. */

/** Knows the work that has begun and not ended. */
export class UnderWay {
  readonly #begun = new Set<Promise<unknown>>();

  /** Adds work that has begun; it is forgotten when it ends. */
  add(work: Promise<unknown>): void {
    const forget = () => void this.#begun.delete(ended);
    const ended: Promise<void> = work.then(forget, forget);
    this.#begun.add(ended);
  }

  /** Waits for all that is under way now, however it ends. */
  async ended(): Promise<void> {
    await Promise.all(this.#begun);
  }
}
