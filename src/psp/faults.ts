/** Faults on demand: by kind of request and by rate, the same at every run with the same seed. */
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

/** Possible faults of a request, and of a callback. */
export const FAULTS = {
  /** Processes the request, and answers nothing: the connection is broken after `ms`. */
  timeout: 'request',
  /** Does nothing: 503. */
  unavailable: 'request',
  /** Does nothing: 401, as if the token had ended. */
  unauthorized: 'request',
  /** Does nothing: 404, as if the requested thing did not exist (yet). */
  missing: 'request',
  /** Processes the request, and answers after `ms`. */
  slow: 'request',
  /** Is never sent. */
  lost: 'callback',
  /** Is sent twice. */
  doubled: 'callback',
  /** Is sent `ms` later. */
  late: 'callback',
  /** Sent at a random time within the next `ms`, so that later ones overtake it. */
  reordered: 'callback',
  /** Sent by a caller without the PSP's certificate first. */
  stranger: 'callback',
  /** Is sent first with the certificate of another client of the same authority, about a PIX that there is not. */
  foreign: 'callback',
  /** Is sent first with the PSP's certificate about a PIX that there is not. */
  forged: 'callback',
  /** Is sent first with another amount. */
  altered: 'callback',
  /** First sent as paid to another holder's key. */
  misaddressed: 'callback',
} as const;
/** A member of FAULTS. */
export type FaultName = keyof typeof FAULTS;

/** A fault that happens to a share of what it is about. */
export interface FaultRule {
  readonly on: FaultTarget | 'any';
  readonly fault: FaultName;
  /** Share, 0 to 1. */
  readonly rate: number;
  /** See FAULTS. */
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

/** Says what goes wrong next. */
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

  /** Takes the place of the plan before; its dice begin anew. */
  set(plan: FaultPlan): void {
    this.#store.set(SETTING, JSON.stringify(plan));
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
    if (found) this.#store.run(COUNT, target, found.fault);
    return found;
  }

  /** @returns the number of times each fault has happened since the file was made. */
  counts(): readonly { readonly on: FaultTarget; readonly fault: FaultName; readonly times: number }[] {
    return this.#store.all('select target as "on", fault, times from fault order by target, fault');
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
