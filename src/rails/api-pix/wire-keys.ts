/** PIX keys as providers write them. */
import { parseTaxId } from '../../base/pix/tax-id.ts';
import type { WirePix } from './wire.ts';

/** @returns whether a PIX was paid to a key of ours; a PIX without a key was paid to the account. */
export function isPaidTo({ key }: Pick<WirePix, 'key'>, own: string): boolean {
  return key === null || isSameKey(key, own);
}

/** The directory has letters in lower case, and tax ids bare; providers do not always. */
export function isSameKey(left: string, right: string): boolean {
  return canonical(left) === canonical(right);
}

function canonical(key: string): string {
  const text = key.trim();
  return (parseTaxId(text)?.value ?? text).toLowerCase();
}
