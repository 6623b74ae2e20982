/**
 * Finds a value in JSON by a path such as `$.result.USDTBRL.c[0]` (the plain part of RFC 9535: names and positions, one
 * value).
 */
import { type ExactJson, isExactObject } from './exact-json.ts';

/** A step into an object by name, or into a list by position. */
export type PathStep = string | number;

const FORM = /^\$(?:\.[A-Za-z_][\w-]*|\[\d{1,4}\]|\['[^'\\]{1,100}'\])*$/;
const STEP = /\.([A-Za-z_][\w-]*)|\[(\d{1,4})\]|\['([^'\\]{1,100})'\]/g;

/** Accepted form, for messages. */
export const PATH_FORM = `a path such as "$.result.c[0]" or "$['USDT-BRL'].last"`;

/** @returns the steps of a path; undefined for another form. */
export function parsePath(text: string): readonly PathStep[] | undefined {
  if (!FORM.test(text)) return undefined;
  return [...text.matchAll(STEP)].map(([, name, index, quoted]) => name ?? quoted ?? Number(index));
}

/** @returns the value at a path, of exact or of plain JSON; undefined if there is none. */
export function valueAt<Json>(
  json: Json,
  path: readonly PathStep[],
): (Json extends ExactJson ? ExactJson : unknown) | undefined {
  let value = json as ExactJson | undefined;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isExactObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** @returns an object with the value of each member at its path of names. */
export function objectOf<Member>(
  members: readonly (readonly [path: readonly string[], member: Member])[],
  read: (member: Member) => unknown,
): object {
  const made: Record<string, unknown> = {};
  for (const [path, member] of members) {
    let target = made;
    for (const name of path.slice(0, -1)) {
      target[name] ??= {};
      target = target[name] as Record<string, unknown>;
    }
    target[path.at(-1) as string] = read(member);
  }
  return made;
}
