/** Reads CSV lists strictly, so that a truncated file or one with other columns is refused. */
import { parse } from 'csv-parse/sync';
import { ListRefused } from './list-entry.ts';

/** End-of-file character of DOS, which ends OFAC's files. */
const END_OF_FILE = '\x1a';

/** @param bytes - UTF-8; if invalid as such, Windows-1252. @returns the text without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/**
 * @returns the rows of a file without a heading.
 * @throws {ListRefused} for a row whose number of fields is not `columns`.
 */
export function readRows(
  name: string,
  bytes: Uint8Array,
  { columns, delimiter }: { readonly columns?: number; readonly delimiter: ',' | ';' },
): readonly (readonly string[])[] {
  const decoded = decodeText(bytes);
  const text = decoded.trimEnd().endsWith(END_OF_FILE)
    ? decoded.slice(0, decoded.lastIndexOf(END_OF_FILE))
    : decoded;
  if (text !== '' && !text.endsWith('\n'))
    throw new ListRefused(`${name} is truncated: its last line does not end`);
  let rows: string[][];
  try {
    rows = parse(text, { delimiter, skip_empty_lines: true, relax_column_count: false });
  } catch (error) {
    throw new ListRefused(`${name} is truncated or damaged: ${(error as Error).message}`);
  }
  if (columns !== undefined && rows[0] && rows[0].length !== columns)
    throw new ListRefused(`${name} has ${rows[0].length} columns, ${columns} expected`);
  return rows;
}

/** A row of a file with a heading: returns the field of a column. */
export type NamedRow = (column: string) => string;

/**
 * @param columns - names that the heading must contain, compared without accents, case and characters other than
 *   letters.
 * @returns the rows after the heading.
 * @throws {ListRefused}
 */
export function readNamedRows(
  name: string,
  bytes: Uint8Array,
  delimiter: ',' | ';',
  columns: readonly string[],
): readonly NamedRow[] {
  const [heading = [], ...rows] = readRows(name, bytes, { delimiter });
  const indexes = new Map(heading.map((column, index) => [plain(column), index]));
  const missing = columns.find((column) => !indexes.has(plain(column)));
  if (missing !== undefined) throw new ListRefused(`${name} has no column "${missing}"`);
  return rows.map((row) => (column) => row[indexes.get(plain(column)) ?? -1]?.trim() ?? '');
}

function plain(column: string): string {
  return column
    .normalize('NFD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase();
}
