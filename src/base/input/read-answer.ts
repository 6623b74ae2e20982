/** Reads answers to calls of `fetch`, up to a size. */

/** @param tooLong - returns the error of an answer above that size. @returns the text of an answer. */
export async function readAnswer(
  { body }: Pick<Response, 'body'>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
