/** Finds a value in the answer of a provider by a path such as `$.result.matches[0]` (names and places of RFC 9535). */

/** Steps into objects by name and into lists by place. */
export type JsonPath = readonly (string | number)[];

const FORM = /^\$(?:\.[A-Za-z_][\w-]*|\[\d{1,4}\])*$/;
const STEP = /\.([A-Za-z_][\w-]*)|\[(\d{1,4})\]/g;

/** Accepted form, for messages. */
export const PATH_FORM = 'a path such as "$.result.decision" or "$.matches[0].id"';

/** @returns the steps of a path; undefined where it has another form. */
export function parsePath(text: string): JsonPath | undefined {
  if (!FORM.test(text)) return undefined;
  return [...text.matchAll(STEP)].map(([, name, index]) => name ?? Number(index));
}

/** @returns the value at a path; undefined where there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}
