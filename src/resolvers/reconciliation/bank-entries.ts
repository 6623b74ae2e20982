/** Entries of a file of a bank, and the summary of what was read: movements, sums, and rows that were skipped. */

import { BRL } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { pixIdIn } from '../../base/pix/end-to-end-id.ts';
import { brasiliaMidnight } from '../../base/time/brasilia-day.ts';
import type { BankMovement, BankRow, SkipReason } from '../../wire/bank/bank-row.ts';
import { NO_NEWS, type StatementEntry } from '../services/statement.ts';

/** Skipped rows that are named at most; their number is exact. */
export const SKIPPED_MAX = 100;

/** A movement as a person compares it with the file. */
export interface ShownMovement {
  readonly place: string;
  readonly day: string;
  /** Decimal text, below zero for outgoing money. */
  readonly amount: string;
  readonly id: string;
  readonly text: string;
}

/** A row that is no movement. */
export interface SkippedRow {
  readonly place: string;
  readonly why: SkipReason;
  readonly text: string;
}

/** Summary of a file, in the order of its rows. */
export interface BankFileSummary {
  /** Null if the file does not name it. */
  readonly account: string | null;
  readonly currency: string;
  readonly movements: number;
  /** Sums of incoming and of outgoing movements, decimal text. */
  readonly incoming: string;
  readonly outgoing: string;
  readonly first: ShownMovement | null;
  readonly last: ShownMovement | null;
  readonly skipped: number;
  /** The first of them, `SKIPPED_MAX` at most. */
  readonly skippedRows: readonly SkippedRow[];
}

/** Movements have no time: entries are at noon. Unit: ms. */
const NOON_MS = 12 * 3_600_000;
/** Longest text of a row in a summary. Unit: characters. */
const TEXT_MAX = 200;
const PLAIN = ['payment', 'payout'] as const;

/** Collects the rows of a file. Their texts are not stored, and entries are made when they are read: a file may have hundreds of thousands. */
export class BankEntries {
  readonly #byName = new Map<string, number>();
  readonly #noons = new Map<string, Date>();
  /** Movements that contain no id of a PIX: their names, amounts and noons. */
  readonly #ids: string[] = [];
  readonly #minors: bigint[] = [];
  readonly #at: Date[] = [];
  readonly #ofPix: { readonly movement: BankMovement; readonly pixId: string }[] = [];
  readonly #skippedRows: SkippedRow[] = [];
  #account: string | null = null;
  #movements = 0;
  #skipped = 0;
  #incoming = 0n;
  #outgoing = 0n;
  #first: ShownMovement | null = null;
  #last: (() => ShownMovement) | null = null;

  /** Adds the next row of the file. */
  add({ place, account, movement, text }: BankRow): void {
    this.#account ??= account;
    if (typeof movement === 'string') {
      this.#skipped += 1;
      if (this.#skippedRows.length < SKIPPED_MAX)
        this.#skippedRows.push({ place, why: movement, text: text.slice(0, TEXT_MAX) });
      return;
    }
    const id = this.#nameOf(movement.id || place);
    const at = this.#noonOf(movement.day);
    const show = () => shownOf(place, { ...movement, id });
    this.#first ??= show();
    this.#last = show;
    this.#movements += 1;
    if (movement.minor > 0n) this.#incoming += movement.minor;
    else this.#outgoing -= movement.minor;
    const pixId = pixIdIn(`${movement.id} ${movement.text}`);
    if (pixId !== undefined) {
      this.#ofPix.push({ movement: { ...movement, id }, pixId });
      return;
    }
    this.#ids.push(id);
    this.#minors.push(movement.minor);
    this.#at.push(at);
  }

  /** Days that have a movement, in no order. */
  get days(): readonly string[] {
    return [...this.#noons.keys()];
  }

  /** Yields the entries of all movements. */
  *entries(): Generator<StatementEntry> {
    yield* this.#pixEntries();
    for (const [index, id] of this.#ids.entries()) {
      const [minor, at] = [this.#minors[index], this.#at[index]];
      if (minor !== undefined && at) yield unnamedEntry(id, minor, at);
    }
  }

  /** @returns the summary of the rows up to now. */
  summary(): BankFileSummary {
    return {
      account: this.#account,
      currency: BRL.code,
      movements: this.#movements,
      incoming: fromMinor(this.#incoming, BRL.decimals),
      outgoing: fromMinor(this.#outgoing, BRL.decimals),
      first: this.#first,
      last: this.#last?.() ?? null,
      skipped: this.#skipped,
      skippedRows: this.#skippedRows,
    };
  }

  /** A file may give one name to several movements; each of them moved, because a bank lists a movement once. */
  #nameOf(given: string): string {
    // A part of the text of a file would keep that text in memory.
    const name = Buffer.from(given).toString();
    const count = (this.#byName.get(name) ?? 0) + 1;
    this.#byName.set(name, count);
    return count === 1 ? name : this.#nameOf(`${name}#${count}`);
  }

  #noonOf(day: string): Date {
    const noon = this.#noons.get(day) ?? new Date(brasiliaMidnight(day) + NOON_MS);
    this.#noons.set(day, noon);
    return noon;
  }

  /**
   * A movement that contains the id of a PIX is that PIX, or was paid by hand. Of several that contain one id, such as a payout and its
   * fee, the largest is the PIX.
   */
  #pixEntries(): readonly StatementEntry[] {
    const named = new Set<string>();
    return this.#ofPix
      .toSorted(({ movement: one }, { movement: other }) => Number(sizeOf(other) - sizeOf(one)))
      .map(({ movement, pixId }) => {
        const [coming, going] = pixId.startsWith('D') ? (['payout_return', 'refund'] as const) : PLAIN;
        const kind = movement.minor > 0n ? coming : going;
        const at = this.#noonOf(movement.day);
        const name = `${kind} ${pixId}`;
        if (named.has(name)) return { ...unnamedEntry(`bank:${movement.id}`, movement.minor, at), kind };
        named.add(name);
        return { kind, id: pixId, amount: amountText(movement.minor), at, untold: 'paid_by_hand' };
      });
  }
}

/** Found by its amount and day. */
function unnamedEntry(id: string, minor: bigint, at: Date): StatementEntry {
  const kind = minor > 0n ? 'payment' : 'payout';
  return { kind, id, amount: amountText(minor), at, news: NO_NEWS, untold: 'any' };
}

function amountText(minor: bigint): string {
  return fromMinor(minor < 0n ? -minor : minor, BRL.decimals);
}

function shownOf(place: string, { day, minor, id, text }: BankMovement): ShownMovement {
  return { place, day, amount: fromMinor(minor, BRL.decimals), id, text: text.slice(0, TEXT_MAX) };
}

function sizeOf({ minor }: BankMovement): bigint {
  return minor < 0n ? -minor : minor;
}
