/** Maximum lengths and counts of inputs: the numbers of the checks, and their wording in descriptions. */

/** Characters of the name of a person or business. */
export const NAME_LENGTH_MAX = 140;
/** Maximum length of a caller's free text: a reference, a label, a reason. */
export const REFERENCE_LENGTH_MAX = 200;
/** Characters of the notes of a withdrawal. */
export const NOTES_LENGTH_MAX = 500;
/** Characters of an answer to a MED case. */
export const ANSWER_LENGTH_MAX = 2_000;
/** Characters of a URL. */
export const URL_LENGTH_MAX = 2_048;
/** Characters of an amount: far beyond any limit, and short enough for every column. */
export const AMOUNT_LENGTH_MAX = 40;
/** Maximum number of entries in a filter's list, each of which can be one of a few values. */
export const LISTED_MAX = 100;

/** @returns a number as descriptions write it: `2,048`. */
export function inProse(number: number): string {
  return number.toLocaleString('en');
}

/** @returns the description of a member, with its maximum: `A name. At most 140 characters.` */
export function bounded(description: string, max: number, what = 'characters'): string {
  return `${description} At most ${inProse(max)} ${what}.`;
}
