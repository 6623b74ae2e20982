/** Suggests the name that a misspelt one resembles most. */

/** Maximum length of a compared name, which no known name exceeds. */
const LENGTH_MAX = 80;

/** @returns the known name with the fewest changes, ignoring case, if they are few. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  return best && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** Levenshtein distance, one row at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      next[j] = Math.min(
        (next[j - 1] as number) + 1,
        (row[j] as number) + 1,
        (row[j - 1] as number) + change,
      );
    }
    row = next;
  }
  return row[right.length] as number;
}
