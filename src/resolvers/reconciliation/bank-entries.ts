/** Entries of a bank file, and the summary of its contents: movements, sums, and skipped rows. */

import { BRL } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { pixIdIn } from '../../base/pix/end-to-end-id.ts';
import { TextSet } from '../../base/text/text-set.ts';
import { brasiliaMidnight } from '../../base/time/brasilia-day.ts';
import type { BankMovement, BankRow, SkipReason } from '../../wire/bank/bank-row.ts';
import { NO_RAIL_EVENT, type StatementEntry } from '../services/statement.ts';
import { BankBalances, type ComparedBalances } from './bank-balances.ts';

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

/** A row that is not a movement. */
export interface SkippedRow {
  readonly place: string;
  readonly why: SkipReason;
  readonly text: string;
}

/** Summary of a file, in the order of its rows. */
export interface BankFileSummary extends ComparedBalances {
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

/** Room for movements at first. */
const FIRST_ROOM = 1_024;

/**
 * Collects the rows of a file. A file may have hundreds of thousands: of each movement it stores name, amount, day and the id of its
 * PIX, some 50 bytes, and makes the entry when it is read.
 */
export class BankEntries {
  /** Of each movement its name, by its position among the movements. */
  readonly #names = new TextSet();
  /** Numbers of the movements that share a name in the file. */
  readonly #repeated = new Map<string, number>();
  readonly #noons = new Map<string, Date>();
  readonly #at: Date[] = [];
  #minors = new BigInt64Array(FIRST_ROOM);
  readonly #movements: Movements = {
    nameAt: (position) => this.#names.at(position),
    minorAt: (position) => this.#minorAt(position),
    timeAt: (position) => this.#at[position] as Date,
  };
  /** Ids of PIX, and the positions of the movements that contain them. */
  readonly #pixIds: string[] = [];
  readonly #ofPix: number[] = [];
  readonly #skippedRows: SkippedRow[] = [];
  readonly #balances = new BankBalances();
  #account: string | null = null;
  #skipped = 0;
  #incoming = 0n;
  #outgoing = 0n;
  #first: ShownMovement | null = null;
  #last: (() => ShownMovement) | null = null;

  /** Adds the next row of the file. */
  add({ position: line, account, movement, balance, text }: BankRow): void {
    this.#account ??= account;
    if (balance) this.#balances.add(line, balance);
    if (typeof movement === 'string') {
      this.#skipped += 1;
      if (this.#skippedRows.length < SKIPPED_MAX)
        this.#skippedRows.push({ place: line, why: movement, text: text.slice(0, TEXT_MAX) });
      return;
    }
    this.#balances.move(movement.day, movement.minor);
    const position = this.#at.length;
    const id = this.#nameOf(movement.id || line);
    const show = () => shownOf(line, { ...movement, id });
    this.#first ??= show();
    this.#last = show;
    if (movement.minor > 0n) this.#incoming += movement.minor;
    else this.#outgoing -= movement.minor;
    this.#at.push(this.#noonOf(movement.day));
    this.#setMinor(position, movement.minor);
    const pixId = pixIdIn(`${movement.id} ${movement.text}`);
    if (pixId === undefined) return;
    this.#ofPix.push(position);
    this.#pixIds.push(ownText(pixId));
  }

  /** Days that have a movement, unordered. */
  get days(): readonly string[] {
    return [...this.#noons.keys()];
  }

  /** Yields the entries of all movements, those of PIX first. */
  *entries(): Generator<StatementEntry> {
    yield* this.#pixEntries();
    const ofPix = new Set(this.#ofPix);
    for (const position of this.#at.keys()) if (!ofPix.has(position)) yield this.#unnamedEntry(position);
  }

  /** @returns the summary of the rows up to now. */
  summary(): BankFileSummary {
    return {
      account: this.#account,
      currency: BRL.code,
      movements: this.#at.length,
      incoming: fromMinor(this.#incoming, BRL.decimals),
      outgoing: fromMinor(this.#outgoing, BRL.decimals),
      first: this.#first,
      last: this.#last?.() ?? null,
      ...this.#balances.compared(),
      skipped: this.#skipped,
      skippedRows: this.#skippedRows,
    };
  }

  /** A file may give one name to several movements; each of them happened, because a bank lists a movement once. */
  #nameOf(account: string): string {
    if (this.#names.add(account)) return account;
    const count = (this.#repeated.get(account) ?? 1) + 1;
    this.#repeated.set(ownText(account), count);
    return this.#nameOf(`${account}#${count}`);
  }

  #setMinor(position: number, minor: bigint): void {
    if (position === this.#minors.length) {
      const minors = new BigInt64Array(2 * position);
      minors.set(this.#minors);
      this.#minors = minors;
    }
    this.#minors[position] = minor;
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
  *#pixEntries(): Generator<StatementEntry> {
    const named = new Set<string>();
    const sizeOf = (position: number) => absolute(this.#minorAt(position));
    const largestFirst = [...this.#ofPix.entries()].sort(([, one], [, other]) =>
      Number(sizeOf(other) - sizeOf(one)),
    );
    for (const [index, position] of largestFirst) {
      const pixId = this.#pixIds[index] ?? '';
      const [coming, going] = pixId.startsWith('D') ? (['payout_return', 'refund'] as const) : PLAIN;
      const kind = this.#minorAt(position) > 0n ? coming : going;
      const name = `${kind} ${pixId}`;
      const { id, amount, at, eventName, untold } = this.#unnamedEntry(position);
      if (named.has(name)) yield { id: `bank:${id}`, amount, at, eventName, untold, kind };
      else yield { kind, id: pixId, amount, at, untold: 'paid_by_hand' };
      named.add(name);
    }
  }

  #unnamedEntry(position: number): UnnamedEntry {
    return new UnnamedEntry(this.#movements, position);
  }

  #minorAt(position: number): bigint {
    return this.#minors[position] as bigint;
  }
}

/** Stored parts of movements by their positions. */
interface Movements {
  readonly nameAt: (position: number) => string;
  readonly minorAt: (position: number) => bigint;
  readonly timeAt: (position: number) => Date;
}

/** An entry that is found by its amount and day. Its members are made when they are read: a report keeps hundreds of thousands. */
class UnnamedEntry implements StatementEntry {
  readonly #movements: Movements;
  readonly #position: number;

  constructor(movements: Movements, position: number) {
    this.#movements = movements;
    this.#position = position;
  }

  get kind() {
    return this.#movements.minorAt(this.#position) > 0n ? 'payment' : 'payout';
  }

  get id() {
    return this.#movements.nameAt(this.#position);
  }

  get amount() {
    return amountText(this.#movements.minorAt(this.#position));
  }

  get at() {
    return this.#movements.timeAt(this.#position);
  }

  get eventName() {
    return NO_RAIL_EVENT;
  }

  get untold() {
    return 'any' as const;
  }
}

/** @returns a copy: a part of the text of a file would keep that text in memory. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}

function amountText(minor: bigint): string {
  return fromMinor(absolute(minor), BRL.decimals);
}

function shownOf(position: string, { day, minor, id, text }: BankMovement): ShownMovement {
  return { place: position, day, amount: fromMinor(minor, BRL.decimals), id, text: text.slice(0, TEXT_MAX) };
}

function absolute(minor: bigint): bigint {
  return minor < 0n ? -minor : minor;
}
