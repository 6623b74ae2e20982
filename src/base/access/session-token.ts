/** The token of a payment session: it opens the public side of one transaction, and is all that a payer holds. */
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 18;
const FORM = /^[\w-]{24}$/;

/** @returns a new token: 144 random bits as 24 characters of base64url. */
export function newSessionToken(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** @returns whether a text has the form of a token. */
export function isSessionToken(text: string): boolean {
  return FORM.test(text);
}
