/**
 * The form of a stream token: `crst_<account>.<key id>.<end, seconds since 1970>.<signature>`. The signature is an HMAC
 * under the stored hash of the API key that issued it. Therefore nothing more is stored, any process can check the
 * token, and the token expires with its key (docs/decisions/0019).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Claims of a token, which must not be trusted before the signature was checked. */
export interface StreamTokenClaims {
  readonly accountId: bigint;
  readonly keyId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const FORM = /^crst_([1-9]\d{0,17})\.(key_[0-9A-Za-z]{1,40})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * @param keyHash - stored hash of the key.
 * @returns the token.
 */
export function signStreamToken(claims: StreamTokenClaims, keyHash: Uint8Array): string {
  return `${bodyOf(claims)}.${signatureOf(claims, keyHash).toString('base64url')}`;
}

/** @returns whether a text has the form of a token. */
export function isStreamToken(text: string): boolean {
  return FORM.test(text);
}

/** @returns the claims of a token; undefined for a text of another form. */
export function readStreamToken(token: string): StreamTokenClaims | undefined {
  const [, accountId, keyId = '', expiresAt] = FORM.exec(token) ?? [];
  return accountId === undefined
    ? undefined
    : { accountId: BigInt(accountId), keyId, expiresAt: Number(expiresAt) };
}

/** @param token - token of the right form. @returns whether it was signed under this key. */
export function isSignedStreamToken(token: string, claims: StreamTokenClaims, keyHash: Uint8Array): boolean {
  const signature = Buffer.from(FORM.exec(token)?.[4] ?? '', 'base64url');
  const expected = signatureOf(claims, keyHash);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

function signatureOf(claims: StreamTokenClaims, keyHash: Uint8Array): Buffer {
  return createHmac('sha256', keyHash).update(bodyOf(claims)).digest();
}

function bodyOf({ accountId, keyId, expiresAt }: StreamTokenClaims): string {
  return `crst_${accountId}.${keyId}.${expiresAt}`;
}
