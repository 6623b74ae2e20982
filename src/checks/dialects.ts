/** Interfaces that the fake provider offers. */

/** Plain JSON, or the interface of Sumsub. */
export const DIALECTS = ['http', 'sumsub'] as const;
/** One of DIALECTS. */
export type Dialect = (typeof DIALECTS)[number];
