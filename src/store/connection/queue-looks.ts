/**
 * Looks at a queue in the database. PostgreSQL keeps rows that were deleted or changed for as long as any database transaction is
 * open that began before, and a look that begins at the oldest entry passes all of them again. So most looks are for what became due
 * since the look before. One in a second is for all that waits: it finds what was given back, and what a slow commit brought.
 */

/** A look goes back so much further than the look before it: commits take their time. Unit: ms. */
export const OVERLAP_MS = 10_000;
/** So long after a look at all that waits comes the next one. Unit: ms. */
export const WHOLE_EVERY_MS = 1_000;

/** Looks at one queue, one after the other. */
export class QueueLooks<Now> {
  readonly #earlier: (now: Now, byMs: number) => Now;
  #before: Now | undefined;
  /** Of the monotonic clock: when the last look at all began, and the look that is under way. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  #beganAt = 0;
  #isWhole = false;

  /** @param earlier - a time of the clock of the queue, so many milliseconds earlier. */
  constructor(earlier: (now: Now, byMs: number) => Now) {
    this.#earlier = earlier;
  }

  /** Begins a look. @returns the earliest due time to look from; undefined when it is to find all that waits. */
  begin(): Now | undefined {
    this.#beganAt = performance.now();
    this.#isWhole = this.#before === undefined || this.#beganAt - this.#wholeAt >= WHOLE_EVERY_MS;
    return this.#isWhole || this.#before === undefined ? undefined : this.#earlier(this.#before, OVERLAP_MS);
  }

  /**
   * Ends a look that succeeded.
   *
   * @param now - its time on the clock of the queue.
   * @param isMore - whether more may wait than it found, which was due before the overlap: then the next one is for all again.
   */
  end(now: Now, isMore: boolean): void {
    this.#before = isMore ? undefined : now;
    if (this.#isWhole && !isMore) this.#wholeAt = this.#beganAt;
  }
}
