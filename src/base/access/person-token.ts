/** The secrets that people hold: the token of a session and that of a link. Only their hashes are stored. */
import { createHmac, hash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 32;
const FORM = /^[\w-]{43}$/;

/** @returns a new token: 256 random bits as 43 characters of base64url. */
export function newPersonToken(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** @returns whether a text has the form of a token. */
export function isPersonToken(text: string): boolean {
  return FORM.test(text);
}

/** @returns the stored form of a token: its SHA-256. */
export function personTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * @returns the token of a session's forms, so that no other page can send them. The session's token cannot be derived
 *   from it.
 */
export function formToken(token: string): string {
  return createHmac('sha256', token).update('form').digest('base64url');
}
