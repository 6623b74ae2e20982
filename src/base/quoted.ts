/** Texts as JSON. */

/** None of these: control characters, quotes, backslashes, and halves of pairs. */
const SPECIAL = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** @returns a text as JSON, as `JSON.stringify` writes it; of texts that need no escapes in half the time. */
export function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}
