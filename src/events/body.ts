/**
 * The stored body of an event, split in two. Its form (labels, member names, empty values, and values from a small set)
 * is shared by many events and stored once; the other values are stored with the event. Both have a line break at each
 * gap, which JSON text without white space never contains.
 */

/** Placeholder of a value in a form, and separator between values. */
export const GAP = '\n';

/** An event body in its stored form. */
export interface StoredBody {
  /** Null if the body is stored whole. */
  readonly form: string | null;
  /** The values as JSON, in the order of the gaps; the whole body if `form` is null. */
  readonly payload: string;
}

/** @returns the body as JSON text. */
export function bodyOf({ form, payload }: StoredBody): string {
  if (form === null) return payload;
  const values = payload.split(GAP);
  return form
    .split(GAP)
    .map((piece, at) => (at === 0 ? piece : values[at - 1] + piece))
    .join('');
}
