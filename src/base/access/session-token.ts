/**
 * The token of a payment session, which opens the public side of one transaction and is the payer's only credential; and the
 * slug of a static link.
 */
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 18;
const SLUG_BYTES = 12;
const FORM = /^(?:[0-9a-z]{2})?[\w-]{24}$/;
const SLUG = /^(?:[0-9a-z]{2})?[\w-]{16}$/;

/**
 * @param cell - code of the cell that issues it; empty for the first (`base/ids/cell.ts`).
 * @returns a new token: the code, and 144 random bits as 24 characters of base64url.
 */
export function newSessionToken(cell = ''): string {
  return cell + randomBytes(RANDOM_BYTES).toString('base64url');
}

/** @returns whether a text has the form of a token. */
export function isSessionToken(text: string): boolean {
  return FORM.test(text);
}

/**
 * @param cell - see `newSessionToken`. @returns a new slug: the code, and 96 random bits as 16 characters of base64url.
 */
export function newSlug(cell = ''): string {
  return cell + randomBytes(SLUG_BYTES).toString('base64url');
}

/** @returns whether a text has the form of a slug. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}
