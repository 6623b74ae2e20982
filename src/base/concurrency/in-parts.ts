/** Queries a provider about many items, a few at a time. */

/** Number of parallel queries. */
const PARALLEL_MAX = 8;

/** @returns the answers, in the order of the items. @throws the first error. */
export async function inParts<Each, Answer>(
  all: readonly Each[],
  query: (each: Each) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < all.length; start += PARALLEL_MAX)
    answers.push(...(await Promise.all(all.slice(start, start + PARALLEL_MAX).map(query))));
  return answers;
}
