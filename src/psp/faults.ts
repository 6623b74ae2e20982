/** Faults on demand, by kind of request and by rate. Runs with the same seed have the same faults. */
import type { PspStore } from './store.ts';

/** Kinds of requests and callbacks that faults distinguish. */
export const FAULT_TARGETS = [
  'token',
  'charge',
  'read',
  'refund',
  'payout',
  'defence',
  'webhook',
  'callback',
] as const;
/** A member of FAULT_TARGETS. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** Faults of requests, and of callbacks. */
export const FAULTS = {
  /** Processes the request, and closes the connection after `ms` without an answer. */
  timeout: 'request',
  /** Answers 503 without processing the request. */
  unavailable: 'request',
  /** Answers 401 without processing the request, as if the token had expired. */
  unauthorized: 'request',
  /** Answers 404 without processing the request, as if the object did not exist (yet). */
  missing: 'request',
  /** Processes the request, and answers after `ms`. */
  slow: 'request',
  /** Is never sent. */
  lost: 'callback',
  /** Is sent twice. */
  doubled: 'callback',
  /** Is sent `ms` later. */
  late: 'callback',
  /** Is sent at a random time within the next `ms`, so that later callbacks overtake it. */
  reordered: 'callback',
  /** Is preceded by the same callback without the PSP's certificate. */
  stranger: 'callback',
  /**
   * Is preceded by a callback about a nonexistent PIX, with the certificate of another client of the same authority.
   */
  foreign: 'callback',
  /** Is preceded by a callback about a nonexistent PIX, with the PSP's certificate. */
  forged: 'callback',
  /** Is preceded by the same callback with another amount. */
  altered: 'callback',
  /** Is preceded by the same callback for another holder's key. */
  misaddressed: 'callback',
} as const;
/** A member of FAULTS. */
export type FaultName = keyof typeof FAULTS;

/** A fault of a share of the requests or callbacks of one kind. */
export interface FaultRule {
  readonly on: FaultTarget | 'any';
  readonly fault: FaultName;
  /** Share, 0 to 1. */
  readonly rate: number;
  /** Time parameter of the fault; see FAULTS. Unit: ms. */
  readonly ms: number;
}

/** All rules, and the state of their random generators. */
export interface FaultPlan {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

const NOTHING: FaultPlan = { seed: 1, rules: [] };
const SETTING = 'faults';
const COUNT = 'insert into fault values (?, ?, 1) on conflict do update set times = times + 1';

/** Determines the next fault. */
export class Faults {
  readonly #store: PspStore;
  #plan: FaultPlan;
  #roll: () => number;

  constructor(store: PspStore) {
    this.#store = store;
    this.#plan = JSON.parse(store.setting(SETTING, () => JSON.stringify(NOTHING)));
    this.#roll = diceOf(this.#plan.seed);
  }

  get plan(): FaultPlan {
    return this.#plan;
  }

  /** Replaces the plan, and restarts its random numbers. */
  set(plan: FaultPlan): void {
    this.#store.set(SETTING, JSON.stringify(plan));
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
    if (found) this.#store.run(COUNT, target, found.fault);
    return found;
  }

  /** @returns the number of occurrences of each fault since the file was created. */
  counts(): readonly { readonly on: FaultTarget; readonly fault: FaultName; readonly times: number }[] {
    return this.#store.all('select target as "on", fault, times from fault order by target, fault');
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
