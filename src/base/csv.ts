
/** What a thing is. */
export const X = 1;
