/** Volumes of subjects while a batch is judged: those of the database, with what the batch itself adds. */
import { BRL } from '../../base/currency.ts';
import { toMinor } from '../../base/money.ts';
import { STEP_UP_DAYS, type Volumes } from '../../store/engine/volumes.ts';
import type { Counted } from '../../templates/facts.ts';

/** Cents of a day, and of the 30 days that end with it: what is open, and what was paid. */
export interface Totals {
  readonly open: bigint;
  readonly paid: bigint;
  readonly openMonth: bigint;
  readonly paidMonth: bigint;
}

interface Added {
  readonly dayNumber: number;
  readonly cents: bigint;
  readonly isPaid: boolean;
}

const DAY_MS = 86_400_000;

/** What one batch has added so far. */
export class DayBook {
  readonly #added = new Map<string, Added[]>();

  /** Adds to an account's volumes, or takes away again: `sign` -1. */
  add(accountId: bigint, { subject, day, brl, isPaid }: Counted, sign: 1n | -1n): void {
    const key = `${accountId} ${subject}`;
    const added = { dayNumber: numberOf(day), cents: sign * centsOf(brl), isPaid };
    this.#added.set(key, [...(this.#added.get(key) ?? []), added]);
  }

  /** @returns the volumes of a subject for a day: those that the database has, and what was added. */
  totals(accountId: bigint, { subject, day }: Counted, stored: Volumes): Totals {
    const dayNumber = numberOf(day);
    const added = this.#added.get(`${accountId} ${subject}`) ?? [];
    const sum = (isPaid: boolean, days: number, from: string) =>
      added
        .filter((each) => each.isPaid === isPaid)
        .filter((each) => each.dayNumber <= dayNumber && each.dayNumber > dayNumber - days)
        .reduce((total, { cents }) => total + cents, centsOf(from));
    return {
      open: sum(false, 1, stored.open),
      paid: sum(true, 1, stored.paid),
      openMonth: sum(false, STEP_UP_DAYS, stored.openMonth),
      paidMonth: sum(true, STEP_UP_DAYS, stored.paidMonth),
    };
  }
}

/** @returns BRL in cents. */
export function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}

function numberOf(day: string): number {
  return Date.parse(day) / DAY_MS;
}
