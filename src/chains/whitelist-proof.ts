/**
 * Proof that a person, not only the gateway, has chosen a destination. People make the proof outside of the gateway: on
 * the page of the signer with an enrolled passkey, or with a key of the account. The signer checks the proof
 * (docs/signer.md).
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

/** A destination for withdrawals of an account until the proof expires. */
export interface ProvenDestination {
  /** Id of the account at the gateway. */
  readonly account: string;
  readonly network: string;
  /** Address in its canonical form. */
  readonly address: string;
  /** Expiry in whole seconds, such as `2027-11-28T00:00:00Z`. */
  readonly expiresAt: string;
}

/** A proof made on the page of the signer, which stores it. */
export interface PageProof {
  readonly kind: 'passkey';
  /** Id of the proof at the signer. */
  readonly id: string;
  readonly account: string;
  readonly expiresAt: string;
}

/** A signature of `destinationStatement` in UTF-8: Ed25519, or ECDSA with SHA-256 in DER. */
export interface KeyProof {
  readonly kind: 'key';
  /** Name of the key in the signer's policy. */
  readonly id: string;
  readonly account: string;
  readonly expiresAt: string;
  /** In base64url. */
  readonly signature: string;
}

/** A proof of either kind. */
export type WhitelistProof = PageProof | KeyProof;

/** @returns the text that a key signs for a destination. */
export function destinationStatement(destination: ProvenDestination): string {
  return statement('crossramp withdrawals may go to', destination);
}

/**
 * The challenge of the signer's page. Its first line differs from that of every other signed text, and its nonce comes from
 * the signer, so neither a signature of a key nor an answer to any other challenge is valid here.
 *
 * @returns the challenge that a passkey answers, in base64url.
 */
export function pageChallenge(destination: ProvenDestination, nonce: string): string {
  const text = `${statement('crossramp signer page: withdrawals may go to', destination)}nonce ${nonce}\n`;
  return base64urlnopad.encode(sha256(new TextEncoder().encode(text)));
}

/** @returns the time in whole seconds, the form of expiries in proofs. */
export function expiryText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function statement(title: string, { account, network, address, expiresAt }: ProvenDestination): string {
  return `${title}\naccount ${account}\nnetwork ${network}\naddress ${address}\nexpires ${expiresAt}\n`;
}
