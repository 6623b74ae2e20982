/** Faults on demand, by kind of request and by rate. Runs with the same seed have the same faults. */

/** Kinds of requests and callbacks. */
export const FAULT_TARGETS = ['start', 'read', 'link', 'screen', 'callback'] as const;
/** One of FAULT_TARGETS. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** Faults of requests and of callbacks. */
export const FAULTS = {
  /** Answers 500 without processing the request. */
  failing: 'request',
  /** Answers 429 without processing the request. */
  limited: 'request',
  /** Processes the request, and closes the connection after `ms` without an answer. */
  timeout: 'request',
  /** Processes the request, and answers after `ms`. */
  slow: 'request',
  /** Processes the request, and answers 200 with text that is not JSON. */
  garbled: 'request',
  /** Is never sent. */
  lost: 'callback',
  /** Is sent twice. */
  doubled: 'callback',
  /** Is sent `ms` later. */
  late: 'callback',
  /** Is sent at a random time within the next `ms`, so that later callbacks overtake it. */
  reordered: 'callback',
  /** Is preceded by a callback with a wrong signature and the opposite decision. */
  forged: 'callback',
} as const;
/** One of FAULTS. */
export type FaultName = keyof typeof FAULTS;

/** A fault of a share of the requests or callbacks of one kind. */
export interface FaultRule {
  readonly on: FaultTarget | 'any';
  readonly fault: FaultName;
  /** Share, 0 to 1. */
  readonly rate: number;
  /** See FAULTS. Unit: ms. */
  readonly ms: number;
}

/** All rules, and the seed of their random numbers. */
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

  /** Replaces the plan, and restarts its random numbers. */
  set(plan: FaultPlan): void {
    this.#plan = plan;
    this.#roll = diceOf(plan.seed);
  }

  /** @returns the first fault whose random number is below its rate, if any. */
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

  /** @returns a random number from 0 to below 1. */
  roll(): number {
    return this.#roll();
  }
}

/** Random numbers of 32 bits (mulberry32): good enough for faults, and the same on every platform. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
