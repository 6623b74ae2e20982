/**
 * The token of a link to an export: `crex_<account>.<key id>.<end, seconds since 1970>.<signature>`. The signature is
 * an HMAC of the token and of the address under the stored hash of its API key, like that of a stream token (decision
 * 0089). Therefore nothing is stored, any process can check it, it opens one address, and it expires with its key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Claims of a token, which must not be trusted before the signature was checked. */
export interface ExportLinkClaims {
  readonly accountId: bigint;
  readonly keyId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const FORM = /^crex_([1-9]\d{0,17})\.(key_[0-9A-Za-z]{1,40})\.(\d{1,12})\.([\w-]{43})$/;
const PARAMETER = /(^|&)access_token=[^&]*/;

/**
 * @param address - path and query without the token.
 * @param keyHash - stored hash of the key.
 * @returns the token.
 */
export function signExportLink(claims: ExportLinkClaims, address: string, keyHash: Uint8Array): string {
  return `${bodyOf(claims)}.${signatureOf(claims, address, keyHash).toString('base64url')}`;
}

/** @returns the claims of a token; undefined for a text of another form. */
export function readExportLink(token: string): ExportLinkClaims | undefined {
  const [, accountId, keyId = '', expiresAt] = FORM.exec(token) ?? [];
  return accountId === undefined
    ? undefined
    : { accountId: BigInt(accountId), keyId, expiresAt: Number(expiresAt) };
}

/** @returns whether the token was signed for this address under this key. */
export function isSignedExportLink(
  token: string,
  claims: ExportLinkClaims,
  address: string,
  keyHash: Uint8Array,
): boolean {
  const input = Buffer.from(FORM.exec(token)?.[4] ?? '', 'base64url');
  const expected = signatureOf(claims, address, keyHash);
  return input.length === expected.length && timingSafeEqual(input, expected);
}

/** @returns path and query without the token, which are the signed text. @param search - without its question mark. */
export function exportAddress(path: string, search: string): string {
  const query = search.replace(PARAMETER, '').replace(/^&/, '');
  return query === '' ? path : `${path}?${query}`;
}

function signatureOf(claims: ExportLinkClaims, address: string, keyHash: Uint8Array): Buffer {
  return createHmac('sha256', keyHash)
    .update(`${bodyOf(claims)}\n${address}`)
    .digest();
}

function bodyOf({ accountId, keyId, expiresAt }: ExportLinkClaims): string {
  return `crex_${accountId}.${keyId}.${expiresAt}`;
}
