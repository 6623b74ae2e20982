/**
 * Texts in which each character stands for a byte of UTF-8. Node writes such a text without encoding it; one character
 * outside of Latin-1 would make all characters two bytes wide until the text is encoded.
 */

const NOT_ASCII = /[^\0-\x7f]/;

/** @returns the bytes of a text, each as a character. */
export function utf8Text(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** @returns the text of these bytes. */
export function textOfUtf8(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
