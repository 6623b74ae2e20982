/** Names as banks write them: in capitals, often without accents. */

const MARKS = /\p{M}+/gu;

/** @returns whether two names differ in nothing but case, accents and spaces; false without a second one. */
export function isSameName(name: string, other: string | null): boolean {
  return other !== null && plain(name) === plain(other);
}

function plain(name: string): string {
  return name.normalize('NFD').replace(MARKS, '').toUpperCase().replace(/\s+/g, ' ').trim();
}
