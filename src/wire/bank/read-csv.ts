/**
 * Reads CSV files of banks, with or without a heading, with other lines before the heading and after the movements, and
 * with amounts in one column or two.
 */
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { wholeCells } from './apply-bank-form.ts';
import { balanceOf } from './bank-balance.ts';
import {
  amountOf,
  type BankAmount,
  type BankBalance,
  BankFileError,
  type BankForm,
  type BankRow,
  type ColumnMember,
  dayOf,
  folded,
  isSameAccount,
  skipReason,
} from './bank-row.ts';
import { type CsvColumns, columnsOf, missingNames, numberedColumns } from './csv-columns.ts';

/** Number of lines within which the heading must be. */
const HEAD_LINES = 30;
/** Maximum text that is read to recognise the separator. Unit: characters. */
const HEAD_MAX = 64_000;
const SEPARATORS = [';', '\t', ',', '|'];
const OPTIONS = {
  bom: true,
  // Quotes are text in a cell that does not begin with one.
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
  max_record_size: HEAD_MAX,
} as const;
const PREAMBLE_ACCOUNT = /\bconta\b[^0-9]{0,12}(\d[\d.-]*\d)/i;
const ZERO_DAY = /^[0/.-]+$/;
const OUTGOING = ['d', 'debito', 'debit', 'saida', 'out', '-'];
const INCOMING = ['c', 'credito', 'credit', 'entrada', 'in', '+'];

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * @param text - the file in parts, split anywhere.
 * @param see - called with each account of the file, before its rows.
 * @throws {BankFileError}
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  form: BankForm,
  see: (account: string) => void,
): AsyncGenerator<BankRow> {
  const { head, rest } = await headOf(text);
  const delimiter = separatorOf(head, form);
  const parser = Readable.from(joined(head, rest)).compose(parse({ ...OPTIONS, delimiter, info: true }));
  const reader = new CsvReader(form, see);
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      const row = reader.row(record, `row ${info.lines}`);
      if (row) yield row;
    }
  } catch (error) {
    if (error instanceof BankFileError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new BankFileError(`it is neither OFX nor CSV: ${error.message}`);
  }
}

class CsvReader {
  readonly #form: BankForm;
  readonly #see: (account: string) => void;
  #columns: CsvColumns | undefined;
  #heading: readonly string[] | undefined;
  #account: string | null = null;

  constructor(form: BankForm, see: (account: string) => void) {
    this.#form = form;
    this.#see = see;
    this.#columns = numberedColumns(form);
  }

  /** @returns undefined for a row without text. */
  row(input: readonly string[], position: string): BankRow | undefined {
    const record = wholeCells(input, this.#form, {
      width: this.#heading?.length ?? 0,
      amountAt: this.#columns?.amount[0],
    });
    const text = record.filter((cell) => cell !== '').join(' ');
    if (text === '') return undefined;
    const row = { position, account: this.#account, currency: null, text };
    if (!this.#columns) {
      this.#columns = columnsOf(record, this.#form);
      if (this.#columns) this.#heading = record;
      else this.#account = this.#preambleAccount(text) ?? this.#account;
      return { ...row, movement: 'heading' };
    }
    if (record.join() === this.#heading?.join()) return { ...row, movement: 'heading' };
    const cells = cellsOf(record, this.#columns);
    const account = cells('account') || this.#account;
    if (account !== null && account !== this.#account) this.#see(account);
    const parts = { record, cells, position };
    const movement = movementOf(parts, this.#form, this.#heading?.length);
    const balance = movement === 'balance' ? balanceIn(parts, this.#form) : undefined;
    return { ...row, account, currency: cells('currency') || null, movement, balance };
  }

  #preambleAccount(text: string): string | undefined {
    const [, account] = PREAMBLE_ACCOUNT.exec(text) ?? [];
    if (account !== undefined && !isSameAccount(account, this.#account ?? '')) this.#see(account);
    return account;
  }
}

type Cells = (member: ColumnMember) => string;

function cellsOf(record: readonly string[], columns: CsvColumns): Cells {
  return (member) => columns[member].flatMap((at) => record[at] || []).join(' ');
}

interface RowParts {
  readonly record: readonly string[];
  readonly cells: Cells;
  readonly position: string;
}

/** Texts by which a row is recognised. */
function namesOf({ record, cells }: RowParts): readonly string[] {
  return [cells('text'), record.find((cell) => cell !== '') ?? ''];
}

/** @returns the balance of a row, in the column of balances or in that of movements; undefined if it cannot be read. */
function balanceIn(parts: RowParts, form: BankForm): BankBalance | undefined {
  const { cells, position } = parts;
  const day = dayOf(cells('date'), form.dates) ?? null;
  try {
    const own = amountOf(cells('balance'), position, form.decimalMark);
    // Banks write zero in the column of movements for a balance that is elsewhere.
    const minor = own ? own.size * (own.sign === -1 ? -1n : 1n) : minorOf(parts, form) || null;
    return balanceOf(namesOf(parts), day, minor);
  } catch (error) {
    if (error instanceof BankFileError) return undefined;
    throw error;
  }
}

function movementOf(parts: RowParts, form: BankForm, width = Infinity): BankRow['movement'] {
  const { record, cells, position } = parts;
  const text = cells('text');
  const reason = skipReason(namesOf(parts), form);
  if (reason) return reason;
  const date = cells('date');
  const day = dayOf(date, form.dates);
  const isTitle = !/\d/.test(`${date}${cells('amount')}${cells('credit')}${cells('debit')}`);
  if (isTitle || (!day && date !== '' && ZERO_DAY.test(date))) return 'no_day';
  const minor = minorOf(parts, form);
  if (minor === null) return 'no_amount';
  if (minor === 0n) return 'zero';
  if (!day)
    throw new BankFileError(
      `${position}: the date must be a day such as 2026-01-31, 31/01/2026 or 31/01/26, and is ${date.slice(0, 40) || 'empty'}`,
    );
  if (record.slice(width).some((cell) => cell !== ''))
    throw new BankFileError(`${position}: there are more cells than headings`);
  return { day, minor, id: cells('id'), text };
}

function minorOf({ cells, position }: RowParts, { decimalMark, signs }: BankForm): bigint | null {
  const [amount, credit, debit] = (['amount', 'credit', 'debit'] as const).map((member) =>
    amountOf(cells(member), position, decimalMark),
  ) as [BankAmount | null, BankAmount | null, BankAmount | null];
  if (amount) return withDirection(amount, folded(cells('direction')), signs, position);
  if (!credit && !debit) return null;
  if (credit?.size && debit?.size)
    throw new BankFileError(`${position}: expected a credit or a debit, not both`);
  if (credit?.size && credit.sign === -1) throw new BankFileError(`${position}: the credit is below zero`);
  return (credit?.size ?? 0n) - (debit?.size ?? 0n);
}

/** @throws {BankFileError} if the direction column contradicts the sign. */
function withDirection(
  { size, sign }: BankAmount,
  direction: string,
  rule: BankForm['signs'],
  position: string,
): bigint {
  const written = sign === -1 ? -size : size;
  if (direction === '' || rule === 'amount') return written;
  const isOutgoing = OUTGOING.includes(direction);
  if (!isOutgoing && !INCOMING.includes(direction))
    throw new BankFileError(`${position}: the direction must be D or C`);
  if (sign !== 0 && isOutgoing !== (sign === -1))
    throw new BankFileError(`${position}: the amount must have the sign that belongs to its direction`);
  return isOutgoing ? -size : size;
}

/**
 * @returns the separator by which the head has a heading or, for a file without a heading, a day in the column that the
 *   form names.
 */
function separatorOf(head: string, form: BankForm): string {
  const lines = head.split(/\r\n|\r|\n/).slice(0, HEAD_LINES);
  const numbered = numberedColumns(form);
  let best: readonly string[] = [];
  const isBetter = (row: readonly string[]) => {
    if (row.some((cell) => dayOf(cell, form.dates) !== undefined)) return false;
    const [missing, before] = [missingNames(row, form).length, missingNames(best, form).length];
    return missing < before || (missing === before && row.length > best.length);
  };
  for (const delimiter of SEPARATORS)
    for (const row of lines.flatMap((line) => rowOf(line, delimiter))) {
      const isFound = numbered
        ? dayOf(cellsOf(row, numbered)('date'), form.dates) !== undefined
        : columnsOf(row, form) !== undefined;
      if (isFound) return delimiter;
      if (isBetter(row)) best = row;
    }
  if (numbered) throw new BankFileError(`there is no day in the column ${form.columns.date}`);
  const there = `there are ${best.join(', ').slice(0, 200) || 'none'}`;
  const [missing] = missingNames(best, form);
  if (missing !== undefined) throw new BankFileError(`there is no column ${missing}; ${there}`);
  throw new BankFileError(`no columns are known for day and amount: name them by --columns; ${there}`);
}

/** @returns an empty list if the line is no complete record. */
function rowOf(line: string, delimiter: string): readonly (readonly string[])[] {
  try {
    return parseWhole(line, { ...OPTIONS, delimiter }) as unknown as string[][];
  } catch {
    return [];
  }
}

async function headOf(
  text: AsyncIterable<string>,
): Promise<{ readonly head: string; readonly rest: AsyncIterator<string> }> {
  const rest = text[Symbol.asyncIterator]();
  let head = '';
  while (head.length < HEAD_MAX) {
    const part = await rest.next();
    if (part.done) break;
    head += part.value;
  }
  return { head, rest };
}

async function* joined(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let part = await rest.next(); !part.done; part = await rest.next()) yield part.value;
}
