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

/** Most members of an object and entries of a list of what callers send: far more than anything has that they mean. */
export const INPUT_BOUNDS = { members: 200, entries: 1_000 } as const;

/**
 * Looks at a text before it is parsed, so that what is too large costs no more than to read it once.
 *
 * @param text - of any kind; whether it is JSON at all, the parser says.
 * @returns whether no object and no list has more than `INPUT_BOUNDS`, at any depth.
 */
export function isWithinBounds(text: string): boolean {
  const { members, entries } = INPUT_BOUNDS;
  /** Commas that each object and list that is open may still have. */
  const left: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{') left.push(members - 1);
    else if (character === '[') left.push(entries - 1);
    else if (character === '}' || character === ']') left.pop();
    else if (character === ',' && left.length > 0) {
      const rest = (left.pop() as number) - 1;
      if (rest < 0) return false;
      left.push(rest);
    }
  }
  return true;
}

/**
 * A parser keeps one of the members that an object gives twice, and another parser another one.
 *
 * @param text - of a JSON object.
 * @returns names of its own members that it gives more than once, however they are escaped; objects inside are not looked at.
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

/** The place behind a string that begins there; that behind the text where it does not end. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
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
