/**
 * Texts of which each character is a byte of UTF-8. Node writes such a text as it is; and one character that is not of Latin-1, put
 * together with others, makes all of them two bytes wide until they are encoded.
 */

const NOT_ASCII = /[^\0-\x7f]/;

/** @returns the bytes of a text, each as a character. */
export function utf8Text(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** @returns the text that these bytes are. */
export function textOfUtf8(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
