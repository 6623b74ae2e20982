/** Checks that a person known to the signer has proven a destination, without relying on the gateway. */
import { verify } from 'node:crypto';
import {
  destinationStatement,
  expiryText,
  type KeyProof,
  type ProvenDestination,
  type WhitelistProof,
} from '../chains/whitelist-proof.ts';
import type { KeyApprover } from './approvers.ts';
import type { Passkeys } from './passkeys.ts';
import { destinationName, type Policy } from './policy.ts';
import type { SignedRecord } from './record.ts';
import { Refusal } from './signer-error.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Known keys, passkeys and proofs. */
export interface ProofSources {
  readonly policy: Pick<Policy, 'approvers' | 'withdrawn' | 'proofDays'>;
  readonly record: Pick<SignedRecord, 'proofOf' | 'nowMs'>;
  readonly passkeys: Pick<Passkeys, 'find'>;
}

/** @returns the latest expiry of a proof made now. Unit: ms since 1970. */
export function lastExpiryMs({ proofDays }: Pick<Policy, 'proofDays'>, nowMs: number): number {
  return nowMs + proofDays * DAY_MS;
}

/**
 * @param proof - as received from the gateway.
 * @param address - in its canonical form.
 * @throws {Refusal} `proof_wrong` unless a known person proved this destination, and the proof is neither expired nor
 *   withdrawn.
 */
export function checkProof(
  { policy, record, passkeys }: ProofSources,
  proof: unknown,
  network: string,
  address: string,
): void {
  if (policy.withdrawn.has(destinationName(network, address)))
    throw wrong('the proof of this destination was withdrawn');
  const members = (proof ?? {}) as Partial<WhitelistProof>;
  if (typeof members.account !== 'string') throw wrong('the proof names no account');
  const destination = { account: members.account, network, address };
  const expiresMs =
    members.kind === 'passkey'
      ? expiryOfPageProof(record, passkeys, members, destination)
      : expiryOfKeyProof(policy.approvers, members as Partial<KeyProof>, destination);
  const nowMs = record.nowMs();
  if (expiresMs <= nowMs) throw wrong('the proof has expired');
  if (expiresMs > lastExpiryMs(policy, nowMs))
    throw wrong(`the proof expires later than ${policy.proofDays} days from now`);
}

/** The page checked the proof when it was made; only the passkey may have been removed since. */
function expiryOfPageProof(
  record: ProofSources['record'],
  passkeys: ProofSources['passkeys'],
  { id }: Partial<WhitelistProof>,
  destination: Omit<ProvenDestination, 'expiresAt'>,
): number {
  const made = typeof id === 'string' ? record.proofOf(id) : undefined;
  if (!made) throw wrong('no such proof was made on the page of the signer');
  if (
    made.account !== destination.account ||
    made.network !== destination.network ||
    made.address !== destination.address
  )
    throw wrong('the proof is of another destination or account');
  if (passkeys.find(made.passkey)?.account !== made.account)
    throw wrong('the passkey of the proof is not enrolled any more');
  return made.expiresMs;
}

function expiryOfKeyProof(
  approvers: readonly KeyApprover[],
  { kind, id, expiresAt, signature }: Partial<KeyProof>,
  destination: Omit<ProvenDestination, 'expiresAt'>,
): number {
  const approver = kind === 'key' ? approvers.find((each) => each.id === id) : undefined;
  if (!approver) throw wrong('the policy has no such approver');
  if (approver.account !== null && approver.account !== destination.account)
    throw wrong('the approver proves destinations of another account');
  const expiresMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  if (Number.isNaN(expiresMs) || expiryText(expiresMs) !== expiresAt)
    throw wrong('the proof has no expiry in whole seconds');
  if (!isSigned(approver, signature, destinationStatement({ ...destination, expiresAt })))
    throw wrong('the approver has not signed this destination');
  return expiresMs;
}

function isSigned({ publicKey }: KeyApprover, signature: unknown, statement: string): boolean {
  if (typeof signature !== 'string') return false;
  const digest = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    return verify(digest, Buffer.from(statement), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

const wrong = (detail: string) => new Refusal('proof_wrong', detail);
