/** Faults on demand: by kind of request and by rate, the same at every run with the same seed. */

/** Kinds of requests and callbacks. */
export const FAULT_TARGETS = ['start', 'read', 'link', 'callback'] as const;
/** One of FAULT_TARGETS. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** Faults of requests and of callbacks. */
export const FAULTS = {
  /** Does nothing: 500. */
  failing: 'request',
  /** Does nothing: 429. */
  limited: 'request',
  /** Processes the request, and breaks the connection after `ms` without an answer. */
  timeout: 'request',
  /** Processes the request, and answers after `ms`. */
  slow: 'request',
  /** Is never sent. */
  lost: 'callback',
  /** Is sent twice. */
  doubled: 'callback',
  /** Is sent `ms` later. */
  late: 'callback',
  /** Is sent at a random time of the next `ms`, so that later ones pass it. */
  reordered: 'callback',
  /** Is sent first with a signature by another secret, and says the opposite. */
  forged: 'callback',
} as const;
/** One of FAULTS. */
export type FaultName = keyof typeof FAULTS;

/** A fault that happens to a share of its target. */
export interface FaultRule {
  readonly on: FaultTarget | 'any';
  readonly fault: FaultName;
  /** Share, 0 to 1. */
  readonly rate: number;
  /** See FAULTS. Unit: ms. */
  readonly ms: number;
}

/** All rules, and the seed of their dice. */
export interface FaultPlan {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

/** Decides which fault happens next. */
export class Faults {
  #plan: FaultPlan = { seed: 1, rules: [] };
  #roll = diceOf(1);
  readonly #counts = new Map<string, number>();

  get plan(): FaultPlan {
    return this.#plan;
  }

  /** Replaces the plan; its dice begin anew. */
  set(plan: FaultPlan): void {
    this.#plan = plan;
    this.#roll = diceOf(plan.seed);
  }

  /** @returns the fault that happens now, if any: the first whose die falls so. */
  next(target: FaultTarget): FaultRule | undefined {
    const found = this.#plan.rules.find(
      ({ on, fault, rate }) =>
        (on === target || on === 'any') &&
        (FAULTS[fault] === 'callback') === (target === 'callback') &&
        this.#roll() < rate,
    );
    if (found) {
      const key = `${target} ${found.fault}`;
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
    return found;
  }

  /** @returns the number of times each fault has happened, by target and name. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** @returns a number from 0 to below 1. */
  roll(): number {
    return this.#roll();
  }
}

/** Dice of 32 bits (mulberry32): enough for faults, and the same everywhere. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
