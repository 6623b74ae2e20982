/**
 * CSV (RFC 4180) for spreadsheets, in English and Brazilian form. Cells that a spreadsheet would execute as formulas
 * are defused; in the Brazilian form, so are references that a spreadsheet would convert to numbers or dates.
 */
import { BRL } from '../base/money/currency.ts';
import { withDecimals } from '../base/money/money.ts';
import type { Instant } from '../base/time/instant.ts';
import { isoIn, wallTime, type Zone } from '../base/time/zone.ts';

/** CSV notation of one language. */
export interface CsvForm {
  readonly separator: string;
  readonly decimalMark: string;
  /** Byte order mark at the start of the file, without which Excel does not recognise UTF-8. */
  readonly mark: string;
  /** Whether the file is for a spreadsheet: times are in local notation, and references are text. */
  readonly isForSpreadsheet: boolean;
}

/** Notations by language. */
export const CSV_FORMS = {
  en: { separator: ',', decimalMark: '.', mark: '', isForSpreadsheet: false },
  pt: { separator: ';', decimalMark: ',', mark: '\uFEFF', isForSpreadsheet: true },
} as const satisfies Readonly<Record<string, CsvForm>>;
/** A language that has a form. */
export type CsvLanguage = keyof typeof CSV_FORMS;

/**
 * A cell: text, an amount as decimal text, a day (`YYYY-MM-DD`), or a time in a zone. In the form for spreadsheets an
 * amount has at least the given number of decimals; in the other form it is unchanged.
 */
export type Cell =
  | string
  | null
  | { readonly amount: string | null; readonly decimals?: number }
  | { readonly day: string }
  | { readonly time: Instant | null; readonly zone: Zone };

/**
 * @returns the cell of an amount; amounts in BRL have two decimals in a spreadsheet.
 * @param code - of the currency.
 */
export function amountCell(amount: string | null, code: string | null): Cell {
  return code === BRL.code ? { amount, decimals: BRL.decimals } : { amount };
}

const ZONE_NAMES: Readonly<Record<Zone, string>> = { UTC: 'UTC', 'America/Sao_Paulo': 'Brasília' };

/** @returns a Portuguese heading with the time zone, because the cells below do not name it. */
export function inZone(heading: string, zone: Zone): string {
  return `${heading} (${ZONE_NAMES[zone]})`;
}

/**
 * The beginning of a formula as spreadsheets recognise it: at the start of a text, after blanks and marks that they
 * skip, or after the separator of another language's form. Full-width and other variants of the signs count as well.
 */
const FORMULA =
  /^(?=[\s\p{Cf}\0]*[=+\-@＝﹦＋﹢－﹣−＠﹫])|^(?=[\t\r\n])|(?<=[,;\t]\s*"*)(?=[=+\-@＝﹦＋﹢－﹣−＠﹫])/gu;

/**
 * @returns a line with its line break. Text that begins like a formula gets a leading apostrophe; amounts stay numbers.
 */
export function csvLine(form: CsvForm, cells: readonly Cell[]): string {
  return `${cells.map((cell) => written(form, cell)).join(form.separator)}\r\n`;
}

/** Texts that a spreadsheet does not convert: short numbers, and tax ids with punctuation. */
const LEFT = /^(?:0|[1-9]\d{0,10}|\d{3}\.\d{3}\.\d{3}-\d\d|\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d)$/;
const MONTH = '(?:jan|fev|feb|mar|abr|apr|mai|may|jun|jul|ago|aug|set|sep|out|oct|nov|dez|dec)[a-zç]*';
/** Texts that a spreadsheet converts: other numbers, exponents, dates and truth values. */
const CONVERTED = new RegExp(
  `^(?=.*\\d)[\\d\\s.,:/+%$()eE-]+$|^\\d{1,4}[-/. ]*${MONTH}[-/. ]*\\d{0,4}$|^${MONTH}[-/. ]*\\d{1,4}$|^(?:true|false|verdadeiro|falso)$`,
  'i',
);

function written(form: CsvForm, cell: Cell): string {
  const text = textOf(form, cell);
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(form.separator);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

function textOf({ decimalMark, isForSpreadsheet }: CsvForm, cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') {
    // Every spreadsheet leaves a text unchanged only when it is written as a formula.
    if (isForSpreadsheet && !LEFT.test(cell) && CONVERTED.test(cell)) return `="${cell}"`;
    return cell.replace(FORMULA, "'");
  }
  if ('amount' in cell) {
    const { amount, decimals = 0 } = cell;
    if (amount === null) return '';
    return (isForSpreadsheet ? withDecimals(amount, decimals) : amount).replace('.', decimalMark);
  }
  if ('day' in cell) return isForSpreadsheet ? brazilian(cell.day) : cell.day;
  if (cell.time === null) return '';
  if (!isForSpreadsheet) return isoIn(cell.zone, cell.time);
  const { day, time } = wallTime(cell.zone, cell.time);
  return `${brazilian(day)} ${time}`;
}

function brazilian(day: string): string {
  return day.split('-').toReversed().join('/');
}
