/** Signatures of a digest by a key of secp256k1; EVM networks and TRON encode them in different forms. */
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A signature with its recovery bit, from which the public key can be computed. */
export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  /** 0 or 1: which of the two possible public keys belongs to the signature. */
  readonly recovery: number;
}

/** @param digest - 32 bytes. @returns the deterministic signature (RFC 6979), with the smaller s. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Signature {
  const bytes = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered');
  if (recovery !== 0 && recovery !== 1)
    throw new RangeError('the signature has no valid form on these networks');
  return { r, s, recovery };
}
