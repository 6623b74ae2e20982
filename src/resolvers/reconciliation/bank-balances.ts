/** Compares the balances of a bank file with the sums of its movements, in whichever order the file has them. */
import { BRL } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import type { BankBalance } from '../../wire/bank/bank-row.ts';

/** A balance that is not the one before it and the movements between them. */
export interface BalanceDifference {
  readonly place: string;
  /** Null if the file does not give it. */
  readonly day: string | null;
  /** Balance of the file, decimal text. */
  readonly balance: string;
  /** The balance before it and the movements between them, decimal text. */
  readonly calculated: string;
}

/** Result of the comparison. */
export interface ComparedBalances {
  /** Number of balances that another balance of the file precedes. */
  readonly comparedBalances: number;
  readonly balanceDifferences: readonly BalanceDifference[];
}

/** Balances that are compared at most: one for each day of a file has room. Later ones are not compared. */
const BALANCES_MAX = 1_000;

interface LocatedBalance extends BankBalance {
  readonly position: string;
}

/** Collects the movements and balances of a file. */
export class BankBalances {
  readonly #moved = new Map<string, bigint>();
  readonly #balances: LocatedBalance[] = [];

  /** Adds a movement. */
  move(day: string, minor: bigint): void {
    this.#moved.set(day, (this.#moved.get(day) ?? 0n) + minor);
  }

  /** Adds a balance. */
  add(position: string, balance: BankBalance): void {
    if (this.#balances.length < BALANCES_MAX) this.#balances.push({ ...balance, position });
  }

  /** @returns each balance compared with the one before it; after a difference the balance of the file counts. */
  compared(): ComparedBalances {
    const days = [...this.#moved].toSorted(([one], [other]) => compared(one, other));
    const balances = this.#balances.toSorted((one, other) => compared(keyOf(one), keyOf(other)));
    const differences: BalanceDifference[] = [];
    let calculated: bigint | undefined;
    let next = 0;
    for (const each of balances) {
      for (; next < days.length && isBefore(days[next]?.[0] ?? '', each); next += 1)
        if (calculated !== undefined) calculated += days[next]?.[1] ?? 0n;
      if (calculated !== undefined && calculated !== each.minor)
        differences.push({
          place: each.position,
          day: each.day,
          balance: fromMinor(each.minor, BRL.decimals),
          calculated: fromMinor(calculated, BRL.decimals),
        });
      calculated = each.minor;
    }
    return { comparedBalances: Math.max(0, balances.length - 1), balanceDifferences: differences };
  }
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Sorts balances by day, the opening one of a day first. */
function keyOf({ day, isOpening }: BankBalance): string {
  return `${day ?? (isOpening ? '0' : '9')} ${isOpening ? 0 : 1}`;
}

/** @returns whether the movements of a day come before a balance. */
function isBefore(moved: string, { day, isOpening }: BankBalance): boolean {
  if (day === null) return !isOpening;
  return isOpening ? moved < day : moved <= day;
}
