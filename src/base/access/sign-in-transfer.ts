/**
 * Transfer of a sign-in from one cell of an operator to another (docs/decisions/0095): data about the person from the
 * first cell, signed with a key that both have. It is valid for a minute, for one browser and one cell.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Content of a transfer. */
export interface SignInTransfer {
  /** Id by which the second cell accepts it only once. */
  readonly id: string;
  /** Names of the cells. */
  readonly from: string;
  readonly to: string;
  /** Identities of the person at sign-in providers. */
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[];
  /** Times of the person's sign-in, and of the transfer. Unit: ms since 1970. */
  readonly signedInAt: number;
  readonly madeAt: number;
  /** Hash of the browser's secret. */
  readonly browser: string;
}

/** Validity of a transfer in both directions, because the clocks of two servers differ. Unit: ms. */
export const TRANSFER_MS = 60_000;
const PURPOSE = 'crossramp sign-in transfer 1';
/** Content, and a signature of 32 bytes as 43 characters. */
const FORM = /^([\w-]{1,4000})\.([\w-]{43})$/;
const SECRET_BYTES = 32;

/** @returns a secret for the browser, and the text that the browser takes to the other cell. */
export function makeTransfer(
  key: Buffer,
  content: Omit<SignInTransfer, 'id' | 'browser'>,
): { readonly secret: string; readonly text: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = randomBytes(SECRET_BYTES).toString('base64url');
  const body = Buffer.from(JSON.stringify({ ...content, id, browser: hashOf(secret) })).toString('base64url');
  return { secret, text: `${body}.${signatureOf(key, body).toString('base64url')}` };
}

/**
 * @param secret - secret of the browser that brings the transfer. @returns the content of a transfer that is now valid
 * for this cell.
 */
export function readTransfer(
  key: Buffer,
  text: string,
  { secret, to, nowMs }: { readonly secret: string; readonly to: string; readonly nowMs: number },
): SignInTransfer | undefined {
  const [, body = '', signature] = FORM.exec(text) ?? [];
  if (signature === undefined) return undefined;
  if (!timingSafeEqual(signatureOf(key, body), Buffer.from(signature, 'base64url'))) return undefined;
  const found = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SignInTransfer;
  const holds = Math.abs(nowMs - found.madeAt) <= TRANSFER_MS;
  return holds && found.to === to && found.browser === hashOf(secret) ? found : undefined;
}

function signatureOf(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(`${PURPOSE}\n${body}`).digest();
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
