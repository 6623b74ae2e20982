/** JSON in which numbers keep every digit: they are read as tokens, never as doubles. */

/** A number as it stands in the text. */
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

/** @returns whether the value is an object (not an array, not a number). */
export function isExactObject(value: ExactJson | undefined): value is { readonly [name: string]: ExactJson } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberToken)
  );
}

/** @returns the value as JSON without spaces: numbers as they stood in the text, members in their order. */
export function printExactJson(value: ExactJson): string {
  if (value instanceof NumberToken) return value.text;
  if (Array.isArray(value)) return `[${value.map(printExactJson).join(',')}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${printExactJson(member)}`,
  );
  return `{${members.join(',')}}`;
}
