/** Shared parts of the PSP. */
import { isDecimal, toMinor } from '../base/money/money.ts';
import type { Callbacks } from './callbacks.ts';
import type { PspClock } from './clock.ts';
import type { Faults } from './faults.ts';
import { problem, type Refused, type Violation } from './problem.ts';
import type { PspProfile } from './profiles.ts';
import type { PspStore } from './store.ts';

/** The account of a caller at the PSP. */
export interface Holder {
  /** PIX keys of the account; charges and payouts are for these. */
  readonly keys: readonly string[];
  readonly cnpj: string;
  /** Written into codes. */
  readonly name: string;
  readonly city: string;
  readonly ispb: string;
}

/** Everything. */
export interface PspParts {
  readonly store: PspStore;
  readonly clock: PspClock;
  readonly faults: Faults;
  readonly callbacks: Callbacks;
  readonly holder: Holder;
  readonly profile: PspProfile;
  /** Host of the locations that codes name, without scheme. */
  readonly locationHost: string;
  /** Payouts end by their amounts, as in Efí's test environment. */
  readonly playsAmounts: boolean;
  /** Duration of a payout, a refund or a return. */
  readonly settleMs: number;
  /** Called when something new may be due. */
  readonly wake: () => void;
}

const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** @returns whether it is an amount as API Pix writes it, above zero. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value) && isDecimal(value) && toMinor(value, 2) > 0n;
}

/** @returns the sum of amounts, cents. */
export function cents(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => total + toMinor(amount, 2), 0n);
}

/** A body of JSON that is an object. */
export type Body = Readonly<Record<string, unknown>>;

/** Collects violations of a body. */
export class Check {
  readonly #violations: Violation[] = [];

  /** @param isRight - otherwise the property is named with its violation. */
  holds(isRight: boolean, propriedade: string, razao: string): this {
    if (!isRight) this.#violations.push({ propriedade, razao });
    return this;
  }

  /** @throws {Refused} naming every property that is wrong. */
  refuseAs(name: string, detail: string): void {
    if (this.#violations.length > 0) throw this.refusal(name, detail);
  }

  refusal(name: string, detail: string): Refused {
    return problem(400, name, detail, this.#violations);
  }
}

/** @returns the object, or an empty one where it is none. */
export function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
}

/** The text of a member that may be missing. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
