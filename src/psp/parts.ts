/** Shared parts of the PSP. */
import { isDecimal, toMinor } from '../base/money/money.ts';
import type { Callbacks } from './callbacks.ts';
import type { PspClock } from './clock.ts';
import type { Faults } from './faults.ts';
import { problem, type Refused, type Violation } from './problem.ts';
import type { PspProfile } from './profiles.ts';
import type { PspStore } from './store.ts';

/** The caller's account at the PSP. */
export interface Holder {
  /** PIX keys of the account, for charges and payouts. */
  readonly keys: readonly string[];
  readonly cnpj: string;
  /** Name shown in codes. */
  readonly name: string;
  readonly city: string;
  readonly ispb: string;
}

/** Shared state and settings of the PSP. */
export interface PspParts {
  readonly store: PspStore;
  readonly clock: PspClock;
  readonly faults: Faults;
  readonly callbacks: Callbacks;
  readonly holder: Holder;
  readonly profile: PspProfile;
  /** Host of the locations in codes, without scheme. */
  readonly locationHost: string;
  /** Whether the amount of a payout determines its outcome, as in Efí's test environment. */
  readonly playsAmounts: boolean;
  /** Time until a payout, a refund or a return settles. Unit: ms. */
  readonly settleMs: number;
  /** Called when new work may be due. */
  readonly wake: () => void;
}

const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** @returns whether a value is a positive amount in the notation of API Pix. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value) && isDecimal(value) && toMinor(value, 2) > 0n;
}

/** @returns the sum of amounts. Unit: cents. */
export function cents(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => total + toMinor(amount, 2), 0n);
}

/** A JSON object of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** Collects violations of a body. */
export class Check {
  readonly #violations: Violation[] = [];

  /** @param isRight - if false, the property is listed as a violation. */
  holds(isRight: boolean, propriedade: string, razao: string): this {
    if (!isRight) this.#violations.push({ propriedade, razao });
    return this;
  }

  /** @throws {Refused} naming every invalid property, if there are any. */
  refuseAs(name: string, detail: string): void {
    if (this.#violations.length > 0) throw this.refusal(name, detail);
  }

  refusal(name: string, detail: string): Refused {
    return problem(400, name, detail, this.#violations);
  }
}

/** @returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
}

/** @returns the value if it is a text, otherwise null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
