/** The list envelope (`service.md` 2.7). */

/** JSON text, whole or in consecutive pieces. */
export type JsonText = string | readonly string[];

/**
 * @param version - label of the family's lists (C-17).
 * @param results - single-record bodies, as JSON text.
 */
export function listEnvelope(
  version: string,
  total: bigint,
  page: { limit: number; offset: number },
  results: readonly string[],
): JsonText {
  const head = `{"version":"${version}","total":${total},"limit":${page.limit},"offset":${page.offset},"results":[`;
  return listPieces(head, results);
}

/**
 * @returns the list as pieces, one per record. JavaScript stores a string in the width of its widest character, so in
 *   one string a single record could double the memory of all others.
 */
export function listPieces(head: string, records: readonly string[]): JsonText {
  return [head, ...records.map((record, at) => (at === 0 ? record : `,${record}`)), ']}'];
}
