/** Planned decisions, made one after the other. */

/** A decision that is made without a request. */
export interface Planned<Decision extends string> {
  readonly decision: Decision;
  /** Delay after the previous decision, or after the start for the first one. Unit: ms. */
  readonly afterMs: number;
  readonly reasons?: readonly string[];
}

/** Runs plans until it is closed. */
export class Timeline {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Makes each planned decision at its time. */
  follow<Decision extends string>(
    [next, ...rest]: readonly Planned<Decision>[],
    decide: (planned: Planned<Decision>) => void,
  ): void {
    if (!next) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      decide(next);
      this.follow(rest, decide);
    }, next.afterMs);
    this.#timers.add(timer);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
