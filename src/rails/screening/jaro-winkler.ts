/** Similarity of two words by Jaro, increased for a common beginning by Winkler (1990). */

/** Maximum length of a common beginning that counts. */
export const PREFIX_MAX = 4;
const PREFIX_WEIGHT = 0.1;
/** Maximum length of a compared word; only the beginning of a longer word is compared. */
export const WORD_MAX = 32;

const matchedOfOne = new Uint8Array(WORD_MAX);
const matchedOfOther = new Uint8Array(WORD_MAX);

/** @returns 0 for words without common letters, up to 1 for equal words. */
export function jaroWinkler(one: string, other: string): number {
  if (one === other) return 1;
  const jaro = jaroOf(one, other);
  return jaro + prefixOf(one, other) * PREFIX_WEIGHT * (1 - jaro);
}

/**
 * @param matches - upper bound of the number of common letters.
 * @param prefix - length of the common beginning.
 * @returns an upper bound of the similarity.
 */
export function similarityBound(
  oneLength: number,
  otherLength: number,
  matches: number,
  prefix: number,
): number {
  if (matches <= 0) return 0;
  const jaro = (matches / oneLength + matches / otherLength + 1) / 3;
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro);
}

function jaroOf(one: string, other: string): number {
  const [a, b] = [Math.min(one.length, WORD_MAX), Math.min(other.length, WORD_MAX)];
  const reach = Math.max(0, Math.floor(Math.max(a, b) / 2) - 1);
  matchedOfOne.fill(0, 0, a);
  matchedOfOther.fill(0, 0, b);
  let matches = 0;
  for (let i = 0; i < a; i++) {
    const until = Math.min(b - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= until; j++) {
      if (matchedOfOther[j] === 1 || one.charCodeAt(i) !== other.charCodeAt(j)) continue;
      matchedOfOne[i] = 1;
      matchedOfOther[j] = 1;
      matches++;
      break;
    }
  }
  if (matches === 0) return 0;
  let transposed = 0;
  for (let i = 0, j = 0; i < a; i++) {
    if (matchedOfOne[i] === 0) continue;
    while (matchedOfOther[j] === 0) j++;
    if (one.charCodeAt(i) !== other.charCodeAt(j)) transposed++;
    j++;
  }
  return (matches / a + matches / b + (matches - transposed / 2) / matches) / 3;
}

/** @returns the length of the common beginning, at most PREFIX_MAX. */
export function prefixOf(one: string, other: string): number {
  const most = Math.min(PREFIX_MAX, one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
