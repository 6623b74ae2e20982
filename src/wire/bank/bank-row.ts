/** Rows of bank files: movements, and other rows with the reason why they are skipped. */

import { toMinor } from '../../base/money/money.ts';
import { pixIdIn } from '../../base/pix/end-to-end-id.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { parseDay, parseInstant } from '../../base/time/instant.ts';
import type { BankFormName } from './bank-forms.ts';

/** Error of an unreadable file; the message names the row or the transaction and the accepted form. */
export class BankFileError extends Error {
  override readonly name = 'BankFileError';
}

/** A movement of money. */
export interface BankMovement {
  /** `YYYY-MM-DD`, Brasília time. */
  readonly day: string;
  /** Cents; negative for outgoing money. */
  readonly minor: bigint;
  /** The bank's id of the movement; empty if the file has none. */
  readonly id: string;
  /** Description by the bank. */
  readonly text: string;
}

/** Balance of an account. */
export interface BankBalance {
  /** `YYYY-MM-DD`; null if its row has no day: then it is of the beginning or the end of the file. */
  readonly day: string | null;
  /** Cents. */
  readonly minor: bigint;
  /** Whether it is the balance before the movements of its day, and not the one after them. */
  readonly isOpening: boolean;
}

/** A row with its movement, or with the reason why it is none. */
export interface BankRow {
  /** `row 12`, where each line of the file counts, or `transaction 3`. */
  readonly position: string;
  /** Account named by the file; null if it names none. */
  readonly account: string | null;
  /** Currency as the file writes it; null if it names none. */
  readonly currency: string | null;
  readonly movement: BankMovement | SkipReason;
  /** Of a row that is a balance, if its amount can be read; a file is not refused for one that cannot. */
  readonly balance?: BankBalance | undefined;
  /** Text of the row. */
  readonly text: string;
}

/** Reasons to skip a row. */
export const SKIP_REASONS = {
  heading: 'is before the heading, or repeats it',
  balance: 'is a balance or a total',
  segment: 'is a record of another kind than segment E',
  word: 'begins with a word of --skip',
  no_amount: 'has no amount',
  no_day: 'has no day',
  no_id: 'has no id',
  zero: 'has the amount zero',
} as const;
/** A member of SKIP_REASONS. */
export type SkipReason = keyof typeof SKIP_REASONS;

/** Order of the numbers in a date. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const;
/** Source of an amount's sign: the amount, compared with the type (`checked`); the type alone; or the amount alone. */
export const SIGN_RULES = ['checked', 'type', 'amount'] as const;

/** Members of a row that a column can hold. */
export const COLUMN_MEMBERS = [
  'date',
  'amount',
  'credit',
  'debit',
  'direction',
  'balance',
  'id',
  'text',
  'currency',
  'account',
] as const;
/** A member of COLUMN_MEMBERS. */
export type ColumnMember = (typeof COLUMN_MEMBERS)[number];

/** Properties of a file that cannot be recognised from the file itself. */
export interface BankForm {
  /** Bank that wrote the CSV file; absent for any bank. */
  readonly bank?: BankFormName;
  /**
   * Headings of a CSV file by member, or `#1`, `#2`, … for a file without a heading. Usual headings are recognised
   * without an entry here.
   */
  readonly columns: Readonly<Partial<Record<ColumnMember, string>>>;
  /** Account whose rows are read; null if the file has only one account. */
  readonly account: string | null;
  /** Null recognises the mark of each amount, and refuses an ambiguous amount. */
  readonly decimalMark: ',' | '.' | null;
  readonly dates: (typeof DATE_ORDERS)[number];
  readonly signs: (typeof SIGN_RULES)[number];
  /** Rows whose text begins with one of these words are skipped. */
  readonly skip: readonly string[];
}

/** The form of most files. */
export const DEFAULT_FORM: BankForm = {
  columns: {},
  account: null,
  decimalMark: null,
  dates: 'dmy',
  signs: 'checked',
  skip: [],
};

/** An amount of a file: its size in cents, and its written sign. */
export interface BankAmount {
  readonly size: bigint;
  /** 0 if no sign is written. */
  readonly sign: -1 | 0 | 1;
}

const SIGNED = /^(\()?([+-])?([\d.,]+)([+-])?\)?(CR?|D[BR]?)?$/i;
const AMOUNTS = {
  // Amounts such as 1234.5 and 1234,56; 1.234,56; 1,234.56.
  either: [
    { form: /^(\d{1,15})(?:[.,](\d{1,2}))?$/, dropped: '' },
    { form: /^(\d{1,3}(?:\.\d{3})+),(\d{2})$/, dropped: '.' },
    { form: /^(\d{1,3}(?:,\d{3})+)\.(\d{2})$/, dropped: ',' },
  ],
  ',': [{ form: /^(\d{1,15}|\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/, dropped: '.' }],
  '.': [{ form: /^(\d{1,15}|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/, dropped: ',' }],
} as const;
/** Written for an amount where there is none, as in rows of balances. */
const NO_AMOUNT = /^[.-]*$/;
const BALANCE =
  /^(?:saldos?\b|s a l d o\b|(?:sub)?tota(?:l|is)(?:$|:| (?:d[aeo]s?|geral|disponivel)\b)|count$)/;

/** @returns null for text that is no amount, such as `.`. @throws {BankFileError} Amounts are exact. */
export function amountOf(text: string, position: string, mark: BankForm['decimalMark']): BankAmount | null {
  const cleaned = text.replace(/R\$|\s/g, '').replaceAll('\u2212', '-');
  if (NO_AMOUNT.test(cleaned)) return null;
  const [, open, before, digits = '', after, side] = SIGNED.exec(cleaned) ?? [];
  const signs = new Set([open && '-', before, after, side && (/^d/i.test(side) ? '-' : '+')].filter(Boolean));
  for (const { form, dropped } of signs.size > 1 ? [] : AMOUNTS[mark ?? 'either']) {
    const [, whole, cents = '0'] = form.exec(digits) ?? [];
    if (whole === undefined) continue;
    const size = toMinor(`${dropped === '' ? whole : whole.replaceAll(dropped, '')}.${cents}`, 2);
    return { size, sign: signs.has('-') ? -1 : signs.size === 0 ? 0 : 1 };
  }
  throw new BankFileError(`${position}: the amount must be such as 1234.56, 1.234,56 or -12,30`);
}

/** A time with a zone; some banks write less than RFC 3339, such as no seconds or no colon in the zone. */
const ZONED = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** @returns a CSV day as the bank has it, `YYYY-MM-DD`, Brasília time; undefined if it is none. */
export function dayOf(text: string, order: BankForm['dates']): string | undefined {
  const iso = /^(\d{4})-?(\d\d)-?(\d\d)(?:$|[ Tt])/.exec(text);
  if (iso) {
    // A time with a zone is an instant, and may lie on another day in Brasília.
    const instantMs = ZONED.test(text) ? (parseInstant(text)?.getTime() ?? Date.parse(text)) : Number.NaN;
    return Number.isNaN(instantMs) ? parseDay(`${iso[1]}-${iso[2]}-${iso[3]}`) : brasiliaDay(instantMs);
  }
  const [, one, two, year] = /^(\d\d?)[/.-](\d\d?)[/.-](\d{4}|\d\d)(?!\d)/.exec(text) ?? [];
  if (!one || !two || !year) return undefined;
  const [day, month] = order === 'dmy' ? [one, two] : [two, one];
  return parseDay(`${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}

/** @returns text without accents, case and repeated spaces, for comparisons. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** @returns the reason for which rows with one of these texts are no movement; undefined if they may be one. A row that names a PIX is a movement. */
export function skipReason(texts: readonly string[], { skip }: BankForm): SkipReason | undefined {
  if (pixIdIn(texts.join(' ')) !== undefined) return undefined;
  const all = texts.map(folded);
  if (all.some((text) => BALANCE.test(text))) return 'balance';
  const words = skip.map(folded);
  return all.some((text) => words.some((word) => text.startsWith(word))) ? 'word' : undefined;
}

/** @returns whether two texts name one account: punctuation and leading zeros do not count. */
export function isSameAccount(one: string, other: string): boolean {
  return plainAccount(one) === plainAccount(other);
}

function plainAccount(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/^0+/, '');
}
