/** PIX keys in the notation of providers. */
import { parseTaxId } from '../../base/pix/tax-id.ts';
import type { WirePix } from './wire.ts';

/**
 * @returns whether a PIX was paid to the given key. A PIX without a key was paid to the account itself, and counts.
 */
export function isPaidTo({ key }: Pick<WirePix, 'key'>, own: string): boolean {
  return key === null || isSameKey(key, own);
}

/**
 * Compares keys in the directory's notation: letters in lower case, and tax ids without punctuation. Some providers use
 * another notation.
 */
export function isSameKey(left: string, right: string): boolean {
  return canonical(left) === canonical(right);
}

function canonical(key: string): string {
  const text = key.trim();
  return (parseTaxId(text)?.value ?? text).toLowerCase();
}
