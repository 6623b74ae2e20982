/**
 * The form of an API key: `crx_<mode>_<cell><secret><checksum>`, base62 (C-40); keys of the first cell have no cell
 * (`base/ids/cell.ts`). The checksum lets scanners and the gateway distinguish a key from a typo without a database query.
 */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Test keys open sandbox accounts, live keys live ones. */
export type KeyMode = 'test' | 'live';

/**
 * Scopes of an account's keys: read; create transactions; move funds out; administer the account's own keys, webhooks
 * and rules.
 */
export const SCOPES = ['read', 'create', 'move', 'admin'] as const;
/**
 * Scopes of the gateway's operator, never of an account's key: fees, spreads and limits; holds, step-ups, suspense and
 * disputes; house accounts, manual journals and reconciliation; rails; figures of the house (read only).
 */
export const PLATFORM_SCOPES = [
  'platform:pricing',
  'platform:risk',
  'platform:books',
  'platform:rails',
  'platform:figures',
] as const;
/** A member of SCOPES or PLATFORM_SCOPES. */
export type Scope = (typeof SCOPES)[number] | (typeof PLATFORM_SCOPES)[number];

/** @returns the scopes that an account's keys can have; keys of the platform create and move nothing for themselves. */
export function grantableScopes({ isPlatform }: { readonly isPlatform: boolean }): readonly Scope[] {
  return isPlatform ? ['read', 'admin', ...PLATFORM_SCOPES] : SCOPES;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 characters of base62 are 178 bits. */
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^crx_(test|live)_(?:[0-9a-z]{2})?[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
/** Random characters of a key's id. */
const ID_LENGTH = 16;

/** @param cell - code of the cell that issues it; empty for the first. @returns a new key, unlike any other. */
export function newApiKey(mode: KeyMode, cell = ''): string {
  const body = `crx_${mode}_${cell}${randomBase62(SECRET_LENGTH)}`;
  return body + checksum(body);
}

/** @param cell - see `newApiKey`. @returns a new id of a key, which its stream tokens carry. */
export function newKeyId(cell = ''): string {
  return `key_${cell}${randomBase62(ID_LENGTH)}`;
}

/** @returns the given number of random base62 characters, from the system's random source. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('');
}

/** @returns a character of base62 for each byte: for names, not for secrets, as the bytes are not spread evenly. */
export function base62Of(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BASE62[byte % BASE62.length]).join('');
}

/** @returns whether the text has the form of a key and its checksum is right. */
export function isApiKey(text: string): boolean {
  return KEY.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** @returns the stored form of a key: its SHA-256. A key is random enough that no slow hash is needed. */
export function apiKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
