/**
 * Scans of a queue in the database. PostgreSQL keeps deleted and changed rows for as long as any older database transaction
 * is open, and a scan from the oldest entry passes all of them again. So most scans cover only the time since the scan
 * before. One scan per second covers all waiting entries: it finds released entries, and those of slow commits.
 */

/** A scan reaches this much further back than the scan before: commits take time. Unit: ms. */
export const OVERLAP_MS = 10_000;
/** Interval of scans of all waiting entries. Unit: ms. */
export const WHOLE_EVERY_MS = 1_000;

/** Scans one queue, one scan after the other. */
export class PollSchedule<Now> {
  readonly #earlier: (now: Now, byMs: number) => Now;
  #before: Now | undefined;
  /** Of the monotonic clock: when the last scan of everything began, and the scan that is under way. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  #beganAt = 0;
  #isWhole = false;

  /** @param earlier - returns a time of the queue's clock that is earlier by some milliseconds. */
  constructor(earlier: (now: Now, byMs: number) => Now) {
    this.#earlier = earlier;
  }

  /** Begins a look. @returns the earliest due time to scan from; undefined for a scan of everything. */
  begin(): Now | undefined {
    this.#beganAt = performance.now();
    this.#isWhole = this.#before === undefined || this.#beganAt - this.#wholeAt >= WHOLE_EVERY_MS;
    return this.#isWhole || this.#before === undefined ? undefined : this.#earlier(this.#before, OVERLAP_MS);
  }

  /**
   * Ends a successful scan.
   *
   * @param now - the scan's time on the clock of the queue.
   * @param isMore - whether more may wait than it found, which was due before the overlap: then the next one is for all
   * again.
   */
  end(now: Now, isMore: boolean): void {
    this.#before = isMore ? undefined : now;
    if (this.#isWhole && !isMore) this.#wholeAt = this.#beganAt;
  }
}
