/**
 * The `Content-Security-Policy` of pages: no content from other origins, and only the kinds that the page declares.
 */

/** Permitted sources of a page, by kind. */
export interface PageSources {
  readonly script?: string;
  readonly worker?: string;
  readonly style?: string;
  readonly img?: string;
  readonly font?: string;
  readonly connect?: string;
}

/** Source that stands for the page's own origin. */
export const OWN = "'self'";

/**
 * @param sources - permitted sources; other kinds are forbidden.
 * @param frames - origins whose pages may show it in a frame; none by default.
 */
export function policyFrom(sources: PageSources, frames = "'none'"): string {
  const kinds = Object.entries(sources).map(([kind, from]) => `${kind}-src ${from}`);
  const rest = [`form-action ${OWN}`, "base-uri 'none'", `frame-ancestors ${frames}`];
  return ["default-src 'none'", ...kinds, ...rest].join('; ');
}
