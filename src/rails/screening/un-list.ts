/**
 * Reads the consolidated list of the United Nations Security Council: `INDIVIDUALS/INDIVIDUAL` and `ENTITIES/ENTITY` of
 * consolidated.xml.
 *
 * @see https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list
 */
import { entryOf, type ListEntry, ListRefused } from './list-entry.ts';
import { decodeText } from './read-csv.ts';
import { readXml, type XmlElement, XmlRefused } from './read-xml.ts';

const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

/** @returns the entries. @throws {ListRefused} */
export function readUnList(bytes: Uint8Array): readonly ListEntry[] {
  const root = parsed(bytes);
  const [people, groups] = ['INDIVIDUALS', 'ENTITIES'].map((name) => childrenOf(root, name)[0]);
  if (!people || !groups) throw new ListRefused('consolidated.xml has no INDIVIDUALS or no ENTITIES');
  return [
    ...childrenOf(people, 'INDIVIDUAL').map((each) => entryFrom(each, 'INDIVIDUAL')),
    ...childrenOf(groups, 'ENTITY').map((each) => entryFrom(each, 'ENTITY')),
  ];
}

function parsed(bytes: Uint8Array): XmlElement {
  try {
    return readXml(decodeText(bytes).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
    throw new ListRefused(`consolidated.xml is truncated or damaged: ${error.message}`);
  }
}

function entryFrom(element: XmlElement, kind: 'INDIVIDUAL' | 'ENTITY'): ListEntry {
  const id = textOf(element, 'DATAID');
  const name = NAME_PARTS.map((part) => textOf(element, part))
    .filter(Boolean)
    .join(' ');
  if (id === '' || name === '') throw new ListRefused('consolidated.xml has an entry without DATAID or name');
  const aliases = childrenOf(element, `${kind}_ALIAS`).map((alias) => textOf(alias, 'ALIAS_NAME'));
  const births = childrenOf(element, `${kind}_DATE_OF_BIRTH`);
  const years = births.map((birth) => textOf(birth, 'YEAR') || textOf(birth, 'DATE').slice(0, 4));
  return entryOf({
    id,
    name,
    names: [name, ...aliases.filter(Boolean)],
    birthYears: years.filter((year) => /^\d{4}$/.test(year)),
  });
}

function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

function textOf(element: XmlElement, name: string): string {
  return childrenOf(element, name)[0]?.text ?? '';
}
