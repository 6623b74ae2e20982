/** The list envelope (`service.md` 2.7). */

/** JSON text, whole or in pieces that follow each other. */
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
 * A record is a piece: put together, all of them would be as wide as the one with the widest character.
 *
 * @returns a list of these records behind this head, and the end of both.
 */
export function listPieces(head: string, records: readonly string[]): JsonText {
  return [head, ...records.map((record, at) => (at === 0 ? record : `,${record}`)), ']}'];
}
