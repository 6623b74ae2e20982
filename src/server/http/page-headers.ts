/**
 * The headers of pages, the same for everything that browsers show: documents, GraphiQL, the console, sign-in pages, payment
 * pages.
 */
import { DOOR_POLICY } from '../../pages/sign-in/frame.ts';

/** Properties of a page that determine its headers. */
export interface PageTraits {
  /** Its `Content-Security-Policy`. */
  readonly policy: string;
  /** Headers of the request to which the page is the answer. */
  readonly vary?: string;
  /** Whether search engines may index the page. */
  readonly isPublic?: boolean;
  /** Whether a person performs actions on the page; then it is isolated from the window that opened it. */
  readonly isOfPerson?: boolean;
}

const UNLISTED = { 'x-robots-tag': 'noindex, nofollow' };
const UNTOLD = { 'referrer-policy': 'no-referrer' };

/** Headers of a redirect. */
export const LEADING_HEADERS = { ...UNTOLD, ...UNLISTED };

/** @returns the headers of a page. */
export function pageHeaders({ policy, vary, isPublic, isOfPerson }: PageTraits): Record<string, string> {
  return {
    ...UNTOLD,
    ...(isPublic !== true && UNLISTED),
    'content-security-policy': policy,
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    // For browsers that do not know `frame-ancestors`.
    ...(policy.endsWith("'none'") && { 'x-frame-options': 'DENY' }),
    ...(isOfPerson === true && { 'cross-origin-opener-policy': 'same-origin' }),
    ...(vary !== undefined && { vary }),
  };
}

/** Headers of the pages at which people sign in and present passkeys. */
export const DOOR_HEADERS = pageHeaders({
  policy: DOOR_POLICY,
  vary: 'accept-language, cookie',
  isOfPerson: true,
});
