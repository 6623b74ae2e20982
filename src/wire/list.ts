/** The list envelope (`service.md` 2.7). */

/**
 * @param version - label of the family's lists (C-17).
 * @param results - single-record bodies, as JSON text.
 * @returns the JSON text.
 */
export function listEnvelope(
  version: string,
  total: bigint,
  page: { limit: number; offset: number },
  results: readonly string[],
): string {
  return `{"version":"${version}","total":${total},"limit":${page.limit},"offset":${page.offset},"results":[${results.join(',')}]}`;
}
