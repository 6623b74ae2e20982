/** Readable forms of a seed: BIP-39 words, or hexadecimal digits. */
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { SignerError } from './signer-error.ts';

/** Entropy of 24 words. */
const ENTROPY_BITS = 256;
/** A seed of 16 to 64 bytes (BIP-32) in hexadecimal digits. */
const SEED = /^(?:[0-9a-fA-F]{2}){16,64}$/;

/** @returns 24 new words. */
export function newWords(): string {
  return generateMnemonic(wordlist, ENTROPY_BITS);
}

/**
 * @param text - BIP-39 words, or a seed in hexadecimal digits.
 * @throws {SignerError} for any other text; the message does not repeat it.
 */
export async function seedOf(text: string): Promise<Uint8Array> {
  const word = text.trim();
  if (SEED.test(word)) return Buffer.from(word, 'hex');
  const words = word.toLowerCase().split(/\s+/).join(' ');
  if (validateMnemonic(words, wordlist)) return mnemonicToSeed(words);
  throw new SignerError(
    'expected 12 to 24 words of BIP-39 in English, or a seed of 16 to 64 bytes in hexadecimal',
  );
}
