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
  const head = `{"version":"${version}","total":${total},"limit":${page.limit},"offset":${page.offset},"results":[`;
  return `${commaSeparated(head, results)}]}`;
}

/** @returns the text with the parts behind it. A join would copy them all; so they are copied once, when the answer is sent. */
export function commaSeparated(text: string, parts: readonly string[]): string {
  let whole = text;
  for (let at = 0; at < parts.length; at++) whole += at === 0 ? parts[at] : `,${parts[at]}`;
  return whole;
}
