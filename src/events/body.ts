/**
 * The body of an event as it is stored: its form (labels, names of members, values of which there are few, and those that are
 * empty), which many events share and the database holds once, and its other values. Both have a line break at each gap, which JSON
 * text without white space never has.
 */

/** Placeholder of a value in a form, and separator of values. */
export const GAP = '\n';

/** A body as it is stored. */
export interface StoredBody {
  /** Null for a body that is stored whole. */
  readonly form: string | null;
  /** The values as JSON, in the order of the gaps; or the whole body. */
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
