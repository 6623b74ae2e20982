/**
 * Reads the list of the US Treasury (OFAC): SDN.CSV, ALT.CSV and ADD.CSV, joined by their first column. The files have
 * no headings; `-0-` means an empty field.
 * @see https://ofac.treasury.gov/specially-designated-nationals-list-data-formats-data-schemas
 */
import { entryOf, type ListEntry, ListRefused } from './list-entry.ts';
import { readRows } from './read-csv.ts';

const EMPTY = '-0-';
const SDN_COLUMNS = 12;
const ALT_COLUMNS = 5;
const ADD_COLUMNS = 6;
const WALLET = /Digital Currency Address - [A-Z0-9]+ ([A-Za-z0-9]+)/g;
const BIRTH_YEAR = /\bDOB (?:circa )?(?:\d{1,2} )?(?:[A-Z][a-z]{2} )?(\d{4})/g;
/** Entry types that cannot be customers; the owners of ships and aircraft have their own entries. */
const THINGS = ['vessel', 'aircraft'];

/** Contents of the three files. */
export interface OfacFiles {
  readonly sdn: Uint8Array;
  readonly alt: Uint8Array;
  readonly add: Uint8Array;
}

/** @returns the entries. @throws {ListRefused} */
export function readOfacList({ sdn, alt, add }: OfacFiles): readonly ListEntry[] {
  const aliases = byEntry(readRows('ALT.CSV', alt, { columns: ALT_COLUMNS, delimiter: ',' }), 3);
  // ADD.CSV is parsed only to detect a truncated download. Its countries are not used, because they are names and not codes.
  readRows('ADD.CSV', add, { columns: ADD_COLUMNS, delimiter: ',' });
  const rows = readRows('SDN.CSV', sdn, { columns: SDN_COLUMNS, delimiter: ',' });
  return rows.map((row) => {
    const [id = '', name = '', type = ''] = row.map(filled);
    if (!/^\d+$/.test(id) || name === '') throw new ListRefused('SDN.CSV has a row without number or name');
    const remarks = filled(row[SDN_COLUMNS - 1] ?? '');
    const isThing = THINGS.includes(type.toLowerCase());
    return entryOf({
      id,
      name,
      names: isThing ? [] : [name, ...(aliases.get(id) ?? [])],
      addresses: [...remarks.matchAll(WALLET)].map(([, address]) => address ?? ''),
      birthYears: [...remarks.matchAll(BIRTH_YEAR)].map(([, year]) => year ?? ''),
    });
  });
}

function byEntry(
  rows: readonly (readonly string[])[],
  column: number,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const [id = '', value = ''] = [row[0], row[column]].map((each) => filled(each ?? ''));
    if (value === '') continue;
    const own = found.get(id) ?? [];
    own.push(value);
    found.set(id, own);
  }
  return found;
}

function filled(field: string): string {
  const text = field.trim();
  return text === EMPTY ? '' : text;
}
