/**
 * Reads lists of the Brazilian comptroller (CGU): CEIS and CNEP (sanctioned companies and people), and PEP (politically
 * exposed persons). A CPF shows only its six middle digits. Expired entries are left out.
 * @see https://portaldatransparencia.gov.br/download-de-dados
 */
import { plainTaxId } from '../../base/pix/tax-id.ts';
import { entryOf, type ListEntry } from './list-entry.ts';
import { type NamedRow, readNamedRows } from './read-csv.ts';

const MASKED_CPF = /^\*{3}\.?(\d{3})\.?(\d{3})-?\*{2}$/;
const DAY = /^(\d{2})\/(\d{2})\/(\d{4})$/;

/** Columns of a list. */
interface Columns {
  readonly taxId: string;
  readonly name: string;
  readonly until: string;
  /** Column with the id of an entry; in a list without ids, tax id and name identify it. */
  readonly id?: string;
}

const SANCTIONED: Columns = {
  taxId: 'CPF OU CNPJ DO SANCIONADO',
  name: 'NOME DO SANCIONADO',
  until: 'DATA FINAL SANÇÃO',
  id: 'CÓDIGO DA SANÇÃO',
};
const EXPOSED: Columns = { taxId: 'CPF', name: 'Nome_PEP', until: 'Data_Fim_Carência' };

/**
 * @param today - `YYYY-MM-DD`, Brasília time.
 * @returns the entries in force today.
 * @throws {ListRefused}
 */
export function readSanctionedList(file: string, bytes: Uint8Array, today: string): readonly ListEntry[] {
  return readList(file, bytes, SANCTIONED, today);
}

/** Reads politically exposed persons, as `readSanctionedList`; an entry combines all functions of a person. */
export function readExposedList(file: string, bytes: Uint8Array, today: string): readonly ListEntry[] {
  const entries = readList(file, bytes, EXPOSED, today);
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

function readList(file: string, bytes: Uint8Array, columns: Columns, today: string): readonly ListEntry[] {
  const { id, ...needed } = columns;
  const rows = readNamedRows(file, bytes, ';', Object.values(needed));
  return rows
    .filter((row) => !hasEnded(row(columns.until), today))
    .map((row) => entryFrom(row, columns))
    .filter(({ name }) => name !== '');
}

function entryFrom(row: NamedRow, columns: Columns): ListEntry {
  const [written, name] = [row(columns.taxId), row(columns.name)];
  const masked = MASKED_CPF.exec(written);
  const plain = plainTaxId(written).toUpperCase();
  const isWhole = /^\d{11}$|^[0-9A-Z]{12}\d{2}$/.test(plain);
  const own = columns.id === undefined ? '' : row(columns.id);
  return entryOf({
    id: own === '' ? `${written}:${name}` : own,
    name,
    names: [name],
    taxIds: isWhole ? [plain] : [],
    cpfDigits: masked ? `${masked[1]}${masked[2]}` : undefined,
  });
}

/** A text that is no date, such as "Sem informação", means that the entry has no end. */
function hasEnded(until: string, today: string): boolean {
  const [, day, month, year] = DAY.exec(until) ?? [];
  return year !== undefined && `${year}-${month}-${day}` < today;
}
