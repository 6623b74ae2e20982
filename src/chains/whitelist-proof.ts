/**
 * Proof that a person, and not only the gateway, has chosen a destination. People make it outside of the gateway: on
 * the page of the signer by a passkey that the signer knows, or by a key of the account. The signer checks it
 * (docs/signer.md).
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

/** A destination for withdrawals of an account until the proof expires. */
export interface ProvenDestination {
  /** Id of the account at the gateway. */
  readonly account: string;
  readonly network: string;
  /** In its canonical form. */
  readonly address: string;
  /** In whole seconds, `2027-11-28T00:00:00Z`. */
  readonly expiresAt: string;
}

/** A proof that was made on the page of the signer, which stores it. */
export interface PageProof {
  readonly kind: 'passkey';
  /** Id under which the signer stores it. */
  readonly id: string;
  readonly account: string;
  readonly expiresAt: string;
}

/** A signature of `destinationStatement` in UTF-8: Ed25519, or ECDSA with SHA-256 in DER. */
export interface KeyProof {
  readonly kind: 'key';
  /** Name of the key in the policy of the signer. */
  readonly id: string;
  readonly account: string;
  readonly expiresAt: string;
  /** In base64url. */
  readonly signature: string;
}

/** Either of them. */
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

/** @returns the time in whole seconds, as proofs have it. */
export function expiryText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function statement(title: string, { account, network, address, expiresAt }: ProvenDestination): string {
  return `${title}\naccount ${account}\nnetwork ${network}\naddress ${address}\nexpires ${expiresAt}\n`;
}
