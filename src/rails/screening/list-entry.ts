/** Entries of screening lists. */

/** List formats that can be read. */
export const LIST_FORMS = ['ofac', 'un', 'ceis', 'cnep', 'pep', 'own'] as const;
/** One of LIST_FORMS; also the name of the list. */
export type ListForm = (typeof LIST_FORMS)[number];

/** Sanctions lists: money of a person or address on them is frozen. A match on any other list requests a review. */
export const SANCTION_FORMS: readonly ListForm[] = ['ofac', 'un'];

/** One person, organization or address of a list. */
export interface ListEntry {
  /** Identifier within the list, the same in every version. */
  readonly id: string;
  /** Name as the list shows it; the value itself for an address or a tax id of the own list. */
  readonly name: string;
  /** Names to match, including aliases; empty for an entry that is matched only by address or tax id. */
  readonly names: readonly string[];
  /** CPF or CNPJ without punctuation. */
  readonly taxIds: readonly string[];
  /** The six middle digits of a masked CPF, `***.456.789-**`; undefined if the list shows none. */
  readonly cpfDigits?: string | undefined;
  /** Addresses as the list writes them. */
  readonly addresses: readonly string[];
  /** Years of birth; empty if the list has none. */
  readonly birthYears: readonly string[];
  /** Countries as ISO 3166-1 alpha-2 codes; empty if the list has none. */
  readonly countries: readonly string[];
}

/**
 * A file that does not match its format: truncated, with other columns, or without entries. The message names the file.
 */
export class ListRefused extends Error {
  override readonly name = 'ListRefused';
}

/** @returns an entry with the given members; the others are empty. */
export function entryOf(known: Pick<ListEntry, 'id' | 'name'> & Partial<ListEntry>): ListEntry {
  return { names: [], taxIds: [], addresses: [], birthYears: [], countries: [], ...known };
}
