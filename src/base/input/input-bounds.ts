/**
 * Bounds on the JSON of callers, checked before it is parsed: one megabyte of small values keeps a parser busy for half a
 * second, in which the process answers no other request.
 */
import { GatewayError } from '../errors/errors.ts';
import { endOfString } from '../text/exact-json.ts';

/** Bounded properties, each with a maximum far above that of any valid input. */
export const INPUT_BOUNDS = { members: 200, entries: 1_000, levels: 200, values: 10_000 } as const;

type Bound = keyof typeof INPUT_BOUNDS;

const FORMS: Readonly<Record<Bound, (max: string) => string>> = {
  members: (max) => `an object must have at most ${max} members`,
  entries: (max) => `a list must have at most ${max} entries`,
  levels: (max) => `lists and objects must nest at most ${max} deep`,
  values: (max) => `all lists and objects together must have at most ${max} values`,
};

/**
 * Reads a text in one pass, whatever it contains.
 * @param text - any text; the parser decides whether it is JSON.
 * @throws {GatewayError} `BAD_REQUEST` over a bound, at any depth.
 */
export function checkSize(text: string): void {
  const bound = exceededBound(text);
  if (!bound) return;
  throw new GatewayError('BAD_REQUEST', FORMS[bound](INPUT_BOUNDS[bound].toLocaleString('en')));
}

/** An object or a list that has begun. */
interface Open {
  readonly bound: 'members' | 'entries';
  count: number;
}

function exceededBound(text: string): Bound | undefined {
  const open: Open[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    const isBeginning = character === '{' || character === '[';
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '}' || character === ']') open.pop();
    else if (isBeginning) open.push({ bound: character === '{' ? 'members' : 'entries', count: 0 });
    // Each comma and each opening bracket counts as the start of a value, even before an empty one.
    if (!isBeginning && character !== ',') continue;
    const innermost = open.at(-1);
    if (!innermost) continue;
    innermost.count += 1;
    values += 1;
    if (innermost.count > INPUT_BOUNDS[innermost.bound]) return innermost.bound;
    if (open.length > INPUT_BOUNDS.levels) return 'levels';
    if (values > INPUT_BOUNDS.values) return 'values';
  }
  return undefined;
}
