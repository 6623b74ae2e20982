/** JSON of other programs, changed so that PostgreSQL can store every text. */

/** An escape: a pair of surrogates, a character that PostgreSQL texts cannot have, or any other. */
const ESCAPES =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2})|\\./g;
const UNSTORABLE = /^\\u.{4}$/;

/**
 * @returns the JSON with U+FFFD in place of each NUL and each half of a surrogate pair, so that one bad character does
 * not lose the rest.
 */
export function storableJson(text: string): string {
  if (!text.includes('\\u')) return text;
  return text.replace(ESCAPES, (each) => (UNSTORABLE.test(each) ? '\\ufffd' : each));
}
