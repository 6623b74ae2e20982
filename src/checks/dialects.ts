/** Interfaces that the fake provider speaks. */

/** Plain JSON, or as Sumsub does. */
export const DIALECTS = ['http', 'sumsub'] as const;
/** One of DIALECTS. */
export type Dialect = (typeof DIALECTS)[number];
