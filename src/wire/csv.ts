/** CSV (RFC 4180) for spreadsheets, in English and Brazilian form, with a guard against cells that a spreadsheet would execute. */

/** How a language writes CSV. */
export interface CsvForm {
  readonly separator: string;
  readonly decimalMark: string;
  /** Written before everything else: without it, Excel takes UTF-8 for another encoding. */
  readonly mark: string;
}

/** The forms by language. */
export const CSV_FORMS = {
  en: { separator: ',', decimalMark: '.', mark: '' },
  pt: { separator: ';', decimalMark: ',', mark: '\uFEFF' },
} as const satisfies Readonly<Record<string, CsvForm>>;
/** A language that has a form. */
export type CsvLanguage = keyof typeof CSV_FORMS;

/** A cell: text, or an amount as decimal text. */
export type Cell = string | null | { readonly amount: string | null };

/** What spreadsheets take for the beginning of a formula: of a text, and behind the separator of another language's form. */
const FORMULA = /^(?=[=+\-@\t\r\n])|(?<=[,;\t]\s*"*)(?=[=+\-@])/g;

/** @returns a line with its end. What begins like a formula in a text gets an apostrophe before it; amounts stay numbers. */
export function csvLine(form: CsvForm, cells: readonly Cell[]): string {
  return `${cells.map((cell) => written(form, cell)).join(form.separator)}\r\n`;
}

function written({ separator, decimalMark }: CsvForm, cell: Cell): string {
  if (cell === null) return '';
  const text =
    typeof cell === 'string' ? cell.replace(FORMULA, "'") : (cell.amount ?? '').replace('.', decimalMark);
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(separator);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
