/** JSON with amounts digit for digit. */
import { INTEGERS } from './generated/facts.ts';

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @returns the value of a JSON text of `/v2`: counts are numbers, amounts are decimal text, since a double would round them. */
export function parseExact(text: string): unknown {
  // A mark tells a number in quotes from a text; the gateway has no text with a NUL.
  const quoted = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `"\\u0000${token}"`,
  );
  return JSON.parse(quoted, (name, value) => {
    if (typeof value !== 'string' || !value.startsWith('\0')) return value;
    return INTEGERS.test(name) ? Number(value.slice(1)) : value.slice(1);
  });
}
