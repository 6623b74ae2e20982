/** Reads the operator's own list: CSV with the columns `type`, `value`, `reason` and `until`. */
import { parseTaxId } from '../../base/pix/tax-id.ts';
import { entryOf, type ListEntry, ListRefused } from './list-entry.ts';
import { readNamedRows } from './read-csv.ts';

const FORM = 'type is address, tax_id or name; until is YYYY-MM-DD or empty';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * @param today - `YYYY-MM-DD`, Brasília time.
 * @returns the entries in force today.
 * @throws {ListRefused} naming the line.
 */
export function readOwnList(file: string, bytes: Uint8Array, today: string): readonly ListEntry[] {
  const rows = readNamedRows(file, bytes, ',', ['type', 'value', 'reason', 'until']);
  return rows.flatMap((row, index) => {
    const [type, value, until] = [row('type'), row('value'), row('until')];
    const refuse = (why: string): never => {
      throw new ListRefused(`${file}, line ${index + 2}: ${why}`);
    };
    if (value === '') refuse('value is empty');
    if (until !== '' && !DAY.test(until)) refuse(`unexpected until; ${FORM}`);
    if (until !== '' && until < today) return [];
    const common = { id: `${type}:${value}`, name: value };
    switch (type) {
      case 'address':
        return [entryOf({ ...common, addresses: [value] })];
      case 'name':
        return [entryOf({ ...common, names: [value] })];
      case 'tax_id': {
        const taxId = parseTaxId(value)?.value ?? refuse('value is not a CPF or CNPJ');
        return [entryOf({ ...common, taxIds: [taxId] })];
      }
      default:
        return refuse(`unexpected type; ${FORM}`);
    }
  });
}
