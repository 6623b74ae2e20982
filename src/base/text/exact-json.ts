/** JSON whose numbers keep every digit: they are read as tokens, never as doubles. */

/** A number with the digits of the text. */
export class NumberToken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A parsed value. */
export type ExactJson =
  | null
  | boolean
  | string
  | NumberToken
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson };

/**
 * @param text - one JSON value.
 * @throws {SyntaxError} when it is not JSON.
 */
export function parseExactJson(text: string): ExactJson {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new NumberToken(context?.source ?? String(value)) : value,
  ) as ExactJson;
}

/**
 * If an object has a member twice, parsers use one of the two, and not all of them the same.
 * @param text - text of a JSON object.
 * @returns names of its own members that occur more than once, whatever their escapes; nested objects are not checked.
 */
export function repeatedMembers(text: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (isName) {
        const name = JSON.parse(text.slice(at, end)) as string;
        (seen.has(name) ? repeated : seen).add(name);
      }
      isName = false;
      at = end - 1;
    } else if (character === '{' || character === '[') {
      depth += 1;
      isName = depth === 1;
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') isName = depth === 1;
  }
  return repeated;
}

/**
 * @returns the position after a string that begins at `start`; the end of the text if the string does not end. A search
 * is faster than stepping, because strings make up most of a body.
 */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** @returns whether the value is an object (not an array, not a number). */
export function isExactObject(value: ExactJson | undefined): value is { readonly [name: string]: ExactJson } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberToken)
  );
}

/** @returns the value as JSON without spaces: numbers as in the original text, members in their order. */
export function printExactJson(value: ExactJson): string {
  if (value instanceof NumberToken) return value.text;
  if (Array.isArray(value)) return `[${value.map(printExactJson).join(',')}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${printExactJson(member)}`,
  );
  return `{${members.join(',')}}`;
}
