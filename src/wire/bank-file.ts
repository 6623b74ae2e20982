/** Reads what banks export, OFX and CSV, as movements of an account: exact amounts, days, and the bank's own names for them. */
import { parse } from 'csv-parse/sync';
import { parseDay } from '../base/instant.ts';
import { toMinor } from '../base/money.ts';

/** A file that cannot be read; the message names the line or the transaction and the accepted form. */
export class BankFileError extends Error {
  override readonly name = 'BankFileError';
}

/** Money that moved. */
export interface BankMovement {
  /** As the bank has it, `YYYY-MM-DD`. */
  readonly day: string;
  /** Cents; below zero for what left. */
  readonly minor: bigint;
  /** The bank's name for it, unlike any other in the file. */
  readonly id: string;
  /** What the bank writes about it. */
  readonly text: string;
}

/** Names of the columns of a CSV file, by what stands in them; `id` and `text` may be left out. */
export type BankColumns = Readonly<Partial<Record<'date' | 'amount' | 'id' | 'text', string>>>;

/** Columns as they are called where nobody says otherwise. */
export const DEFAULT_COLUMNS: BankColumns = { date: 'date', amount: 'amount', id: 'id', text: 'text' };
const AMOUNTS = [
  // 1234.5 and 1234,56; 1.234,56; 1,234.56.
  { form: /^([+-]?)(\d{1,15})(?:[.,](\d{1,2}))?$/, dropped: '' },
  { form: /^([+-]?)(\d{1,3}(?:\.\d{3})+),(\d{2})$/, dropped: '.' },
  { form: /^([+-]?)(\d{1,3}(?:,\d{3})+)\.(\d{2})$/, dropped: ',' },
];

/** @returns the movements, those that the file has twice under one name once. @throws {BankFileError} */
export function readBankFile(bytes: Uint8Array, columns: BankColumns): readonly BankMovement[] {
  const text = textOf(bytes);
  const read = /<OFX>/i.test(text) ? readOfx(text) : readCsv(text, columns);
  const named = new Map<string, BankMovement>();
  for (const each of read) {
    const before = named.get(each.id);
    const isSame =
      before && before.day === each.day && before.minor === each.minor && before.text === each.text;
    if (isSame) continue;
    // Some banks give one name to several movements.
    named.set(before ? `${each.id}#${named.size}` : each.id, each);
  }
  return [...named].map(([id, each]) => ({ ...each, id }));
}

/** Banks write UTF-8, or what Windows had before. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** OFX 1 has no closing tags for values, and OFX 2 is XML: of both, only the transactions are read. */
function readOfx(text: string): readonly BankMovement[] {
  const parts = text.split(/<STMTTRN>/i).slice(1);
  return parts.map((part, index) => {
    const [own = ''] = part.split(/<\/STMTTRN>|<\/BANKTRANLIST>/i, 1);
    const value = (tag: string) => {
      const [, found = ''] = new RegExp(`<${tag}>([^<\\r\\n]*)`, 'i').exec(own) ?? [];
      return plain(found.trim());
    };
    const place = `transaction ${index + 1}`;
    const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)/.exec(value('DTPOSTED')) ?? [];
    const day = parseDay(`${year}-${month}-${date}`);
    if (!day) throw new BankFileError(`${place}: DTPOSTED must begin with a day such as 20260131`);
    const id = value('FITID');
    if (id === '') throw new BankFileError(`${place}: FITID must be there`);
    return {
      day,
      minor: minorOf(value('TRNAMT'), place),
      id,
      text: `${value('NAME')} ${value('MEMO')}`.trim(),
    };
  });
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function plain(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}

function readCsv(text: string, columns: BankColumns): readonly BankMovement[] {
  const [head = ''] = text.split('\n', 1);
  const delimiter = [';', '\t', ','].find((each) => head.includes(each)) ?? ',';
  const rows = rowsOf(text, delimiter);
  const { date: dateName = '', amount: amountName = '', id: idName = '', text: textName = '' } = columns;
  for (const name of [dateName, amountName])
    if (rows[0] && !Object.hasOwn(rows[0], name))
      throw new BankFileError(`there is no column ${name}; there are ${Object.keys(rows[0]).join(', ')}`);
  return rows.map((row, index) => {
    const place = `row ${index + 2}`;
    const day = dayOf(row[dateName] ?? '');
    if (!day) throw new BankFileError(`${place}: ${dateName} must be a day such as 2026-01-31 or 31/01/2026`);
    const id = row[idName]?.trim() || place;
    return { day, minor: minorOf(row[amountName] ?? '', place), id, text: row[textName]?.trim() ?? '' };
  });
}

function rowsOf(text: string, delimiter: string): readonly Readonly<Record<string, string>>[] {
  try {
    return parse(text, { bom: true, columns: true, delimiter, skip_empty_lines: true, trim: true });
  } catch (error) {
    throw new BankFileError(`it is neither OFX nor CSV: ${error instanceof Error ? error.message : ''}`);
  }
}

function dayOf(text: string): string | undefined {
  const [, date, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})/.exec(text.trim()) ?? [];
  return parseDay(year ? `${year}-${month}-${date}` : text.trim().slice(0, 10));
}

/** Exact: amounts never become floating-point numbers. */
function minorOf(text: string, place: string): bigint {
  const given = text.replace(/R\$|\s/g, '');
  for (const { form, dropped } of AMOUNTS) {
    const [, sign = '', whole, cents = '0'] = form.exec(given) ?? [];
    if (whole === undefined) continue;
    const minor = toMinor(`${dropped ? whole.replaceAll(dropped, '') : whole}.${cents}`, 2);
    return sign === '-' ? -minor : minor;
  }
  throw new BankFileError(`${place}: the amount must be such as 1234.56, 1.234,56 or -12,30`);
}
