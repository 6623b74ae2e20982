/** Lines of a CNAB 240 file (FEBRABAN): which record each is, and the members that statements have. Positions count from 1. */
import { parseDay } from '../../base/time/instant.ts';
import { BankFileError } from './bank-row.ts';

/** Length of each line, without its end. */
export const LINE_LENGTH = 240;
/** Lines that are a file or a part of it, by position 8. */
export const RECORDS = {
  '0': 'file header',
  '1': 'batch header',
  '3': 'segment',
  '5': 'batch trailer',
  '9': 'file trailer',
} as const;
/** A key of RECORDS. */
export type RecordKind = keyof typeof RECORDS;

/** A balance, cents, below zero for a debt. */
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

  /** @throws {BankFileError} for a line of another length. */
  constructor(line: string, position: string) {
    if (line.length !== LINE_LENGTH)
      throw new BankFileError(
        `${position}: a line must have ${LINE_LENGTH} characters, and has ${line.length}`,
      );
    this.#line = line;
    this.position = position;
  }

  /** @throws {BankFileError} for a kind that a statement does not have. */
  get kind(): RecordKind {
    const input = this.text(8, 8);
    if (Object.hasOwn(RECORDS, input)) return input as RecordKind;
    throw this.wrong(`position 8 must be ${Object.keys(RECORDS).join(', ')}, and is ${input || 'blank'}`);
  }

  /** Whether a batch header begins a statement for reconciliation. */
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

  /** Text of positions, without blanks at its ends. */
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

  /** @returns a day as banks have it, Brasília time. @throws {BankFileError} where there is none. */
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

  /** @returns the error of this line. */
  wrong(words: string): BankFileError {
    return new BankFileError(`${this.position}: ${words}`);
  }
}
