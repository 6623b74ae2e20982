/** The secrets of people: the token of a session and that of a link. Only their hashes are stored. */
import { createHmac, hash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 32;
const FORM = /^(?:[0-9a-z]{2})?[\w-]{43}$/;

/**
 * @param cell - code of the cell that issues it; empty for the first (`base/ids/cell.ts`).
 * @returns a new token: the code, and 256 random bits as 43 characters of base64url.
 */
export function newPersonToken(cell = ''): string {
  return cell + randomBytes(RANDOM_BYTES).toString('base64url');
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
