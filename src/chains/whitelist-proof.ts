/**
 * Proof that a person, and not only the gateway, has chosen a destination: a signature of the statement below, by a passkey or
 * by a key of the account's own. The signer knows the public keys from its own policy.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

/** What a passkey answered; texts in base64url. Its challenge is `whitelistChallenge`. */
export interface PasskeyProof {
  readonly kind: 'passkey';
  /** Id of the passkey. */
  readonly id: string;
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

/** A signature of the statement's bytes in UTF-8: Ed25519, or ECDSA with SHA-256 in DER. */
export interface KeyProof {
  readonly kind: 'key';
  /** Name of the key in the signer's policy. */
  readonly id: string;
  /** In base64url. */
  readonly signature: string;
}

/** Either of them. */
export type WhitelistProof = PasskeyProof | KeyProof;

/** @returns what is signed for a destination; the address in its canonical form. */
export function whitelistStatement(network: string, address: string): string {
  return `crossramp withdrawals may go to\nnetwork ${network}\naddress ${address}\n`;
}

/** @returns the challenge that a passkey signs for a destination, in base64url. */
export function whitelistChallenge(network: string, address: string): string {
  return base64urlnopad.encode(sha256(new TextEncoder().encode(whitelistStatement(network, address))));
}
