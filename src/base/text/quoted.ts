/** Formats texts as JSON. */
import { utf8Text } from './utf8-text.ts';

/** Characters that need escaping: control characters, quotes, backslashes, and unpaired surrogates. */
const SPECIAL = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** @returns a text as JSON, like `JSON.stringify`; twice as fast for texts without escapes. */
export function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Characters that need escaping, and all characters outside of ASCII. */
const SPECIAL_OR_WIDE = /[^ !#-[\]-~]/;

/** @returns the JSON as bytes of UTF-8, each as a character. */
export function quotedUtf8(text: string): string {
  return SPECIAL_OR_WIDE.test(text) ? utf8Text(JSON.stringify(text)) : `"${text}"`;
}
