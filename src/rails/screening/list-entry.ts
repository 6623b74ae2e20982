/** Entries of screening lists, and a list as it was read from its files. */

/** Forms of lists that can be read. */
export const LIST_FORMS = ['ofac', 'un', 'ceis', 'cnep', 'pep', 'own'] as const;
/** One of LIST_FORMS; a list is named for its form. */
export type ListForm = (typeof LIST_FORMS)[number];

/** Lists of sanctions: money of a person or an address on them is frozen. A match on any other list asks for a review. */
export const SANCTION_FORMS: readonly ListForm[] = ['ofac', 'un'];

/** One person, organization or address of a list. */
export interface ListEntry {
  /** Identifier within the list, the same in every version. */
  readonly id: string;
  /** Name as the list shows it; for an address or a tax id of the own list, its value. */
  readonly name: string;
  /** Names to match, with aliases; empty where the entry is matched by its address or tax id only. */
  readonly names: readonly string[];
  /** CPF or CNPJ without punctuation. */
  readonly taxIds: readonly string[];
  /** The six middle digits of a masked CPF, `***.456.789-**`; undefined where the list shows none. */
  readonly cpfDigits?: string | undefined;
  /** Addresses as the list writes them. */
  readonly addresses: readonly string[];
  /** Years of birth; empty where the list has none. */
  readonly birthYears: readonly string[];
  /** Countries as ISO 3166-1 alpha-2 codes; empty where the list has none. */
  readonly countries: readonly string[];
}

/** A file that is not what its form says: truncated, of other columns, or without entries. The message names the file. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused';
}

/** @returns an entry of which only the given members are known. */
export function entryOf(known: Pick<ListEntry, 'id' | 'name'> & Partial<ListEntry>): ListEntry {
  return { names: [], taxIds: [], addresses: [], birthYears: [], countries: [], ...known };
}
