/**
 * Lines of a CNAB 240 file (FEBRABAN): the kind of each record, and the members needed for statements. Positions count
 * from 1.
 */
import { parseDay } from '../../base/time/instant.ts';
import { BankFileError } from './bank-row.ts';

/** Length of each line without its line break. */
export const LINE_LENGTH = 240;
/** Headers and trailers of a file and of its parts, by the digit at position 8. */
export const RECORDS = {
  '0': 'file header',
  '1': 'batch header',
  '3': 'segment',
  '5': 'batch trailer',
  '9': 'file trailer',
} as const;
/** A key of RECORDS. */
export type RecordKind = keyof typeof RECORDS;

/** A balance in cents, negative for a debit balance. */
export interface CnabBalance {
  readonly day: string;
  readonly minor: bigint;
}

const BEGINNING = /^\d{3}00000.{232}\r?\n?/;
const CENTS = /^\d{18}$/;
const COUNT = /^\d{6}$/;
const DAY = /^(\d\d)(\d\d)(\d{4})$/;

/** @returns whether a file that begins with this text is CNAB 240: its first line is a file header of 240 characters. */
export function isCnab240(head: string): boolean {
  return BEGINNING.test(head) && [LINE_LENGTH, -1].includes(head.search(/[\r\n]/));
}

/** A line of a file. */
export class CnabRecord {
  readonly position: string;
  readonly #line: string;

  /** @throws {BankFileError} unless the line has LINE_LENGTH characters. */
  constructor(line: string, position: string) {
    if (line.length !== LINE_LENGTH)
      throw new BankFileError(
        `${position}: a line must have ${LINE_LENGTH} characters, and has ${line.length}`,
      );
    this.#line = line;
    this.position = position;
  }

  /** @throws {BankFileError} for a kind of record that statements do not contain. */
  get kind(): RecordKind {
    const input = this.text(8, 8);
    if (Object.hasOwn(RECORDS, input)) return input as RecordKind;
    throw this.wrong(`position 8 must be ${Object.keys(RECORDS).join(', ')}, and is ${input || 'blank'}`);
  }

  /** Whether the batch header begins a statement for reconciliation. */
  get isStatement(): boolean {
    return this.text(9, 9) === 'E';
  }

  /** Bank, branch and account with its digit: `001/1234/12345-6`. */
  get account(): string {
    const stripped = (text: string) => text.replace(/^0+(?=.)/, '');
    const digit = this.text(71, 71);
    const number = stripped(this.text(59, 70));
    return [this.text(1, 3), stripped(this.text(53, 57)), digit === '' ? number : `${number}-${digit}`].join(
      '/',
    );
  }

  /** @returns the trimmed text from one position to another, both included. */
  text(from: number, to: number): string {
    return this.#line.slice(from - 1, to).trim();
  }

  /** @returns cents; 0 for a blank. @throws {BankFileError} for other text. */
  cents(from: number, to: number, name: string): bigint {
    const input = this.text(from, to);
    if (input === '') return 0n;
    if (!CENTS.test(input)) throw this.wrong(`the ${name} at ${from} must be 18 digits`);
    return BigInt(input);
  }

  /** @returns null for a blank. @throws {BankFileError} for other text. */
  count(from: number, to: number, name: string): number | null {
    const input = this.text(from, to);
    if (input === '') return null;
    if (!COUNT.test(input)) throw this.wrong(`the ${name} at ${from} must be 6 digits`);
    return Number(input);
  }

  /** @returns the date as the bank writes it, Brasília time. @throws {BankFileError} if there is no valid date. */
  day(from: number, name: string): string {
    const [, day, month, year] = DAY.exec(this.text(from, from + 7)) ?? [];
    const parsed = parseDay(`${year}-${month}-${day}`);
    if (parsed === undefined) throw this.wrong(`the ${name} at ${from} must be a day such as 31012026`);
    return parsed;
  }

  /** @returns day, amount and side of positions 143 to 169. @throws {BankFileError} */
  amount(name: string): CnabBalance {
    const side = this.text(169, 169);
    const size = this.cents(151, 168, name);
    if (side !== 'D' && side !== 'C' && !(side === '' && size === 0n))
      throw this.wrong(`the side of the ${name} at 169 must be D or C`);
    return { day: this.day(143, name), minor: side === 'D' ? -size : size };
  }

  /** @returns an error that names this line. */
  wrong(words: string): BankFileError {
    return new BankFileError(`${this.position}: ${words}`);
  }
}
