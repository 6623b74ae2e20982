/**
 * Scans of a queue in the database. PostgreSQL keeps old versions of deleted and changed rows as long as any older
 * database transaction is open, and a scan from the oldest entry passes all of them again. Most scans therefore cover
 * only the time since the previous scan. One scan per second covers all waiting entries: it finds released entries, and
 * those of slow commits.
 */

/** Overlap with the previous scan, because commits take time. Unit: ms. */
export const OVERLAP_MS = 10_000;
/** Interval of scans of all waiting entries. Unit: ms. */
export const WHOLE_EVERY_MS = 1_000;

/** Scans one queue, one scan after the other. */
export class PollSchedule<Now> {
  readonly #earlier: (now: Now, byMs: number) => Now;
  #before: Now | undefined;
  /** Times on the monotonic clock: the start of the last full scan, and of the current scan. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  #beganAt = 0;
  #isWhole = false;

  /** @param earlier - returns an earlier time of the queue's clock, by some milliseconds. */
  constructor(earlier: (now: Now, byMs: number) => Now) {
    this.#earlier = earlier;
  }

  /** Begins a scan. @returns the earliest due time to scan from; undefined for a full scan. */
  begin(): Now | undefined {
    this.#beganAt = performance.now();
    this.#isWhole = this.#before === undefined || this.#beganAt - this.#wholeAt >= WHOLE_EVERY_MS;
    return this.#isWhole || this.#before === undefined ? undefined : this.#earlier(this.#before, OVERLAP_MS);
  }

  /**
   * Ends a successful scan.
   * @param now - the scan's time on the clock of the queue.
   * @param isMore - whether further entries may wait that were due before the overlap; then the next scan is a full
   * one.
   */
  end(now: Now, isMore: boolean): void {
    this.#before = isMore ? undefined : now;
    if (this.#isWhole && !isMore) this.#wholeAt = this.#beganAt;
  }
}
