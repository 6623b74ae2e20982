/** Header fields with which clients name what they accept: `Accept`, `Accept-Encoding`, `Accept-Language` (RFC 9110, 12.5). */

/** A range of such a field, in lower case. */
export interface AcceptedRange {
  readonly range: string;
  /** From 1, preferred, to 0, refused; NaN if it is not a number. */
  readonly quality: number;
}

/** @returns the ranges of a field, in their order. */
export function acceptedRanges(field: string | undefined = ''): AcceptedRange[] {
  return field.split(',').map((each) => {
    const [range = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, quality: Number(quality ?? 1) };
  });
}

/** @returns the quality of a range that the field has itself, not by `*`; 0 if it has none. */
export function qualityOf(range: string, field: string | undefined): number {
  return acceptedRanges(field).find((each) => each.range === range)?.quality || 0;
}
