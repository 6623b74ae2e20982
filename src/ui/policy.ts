/** The `Content-Security-Policy` of pages: nothing from elsewhere; what a page has besides its text, it names. */

/** Where a page may take things from, by kind. */
export interface PageSources {
  readonly script?: string;
  readonly worker?: string;
  readonly style?: string;
  readonly img?: string;
  readonly font?: string;
  readonly connect?: string;
}

/** The place that a page itself comes from. */
export const OWN = "'self'";

/**
 * @param sources - what the page has; a kind that is not named, it has not.
 * @param frames - whose pages may show it in a frame; nobody's where not given.
 */
export function policyFrom(sources: PageSources, frames = "'none'"): string {
  const kinds = Object.entries(sources).map(([kind, from]) => `${kind}-src ${from}`);
  const rest = [`form-action ${OWN}`, "base-uri 'none'", `frame-ancestors ${frames}`];
  return ["default-src 'none'", ...kinds, ...rest].join('; ');
}
