/** Checks that somebody whom the policy knows has signed for a destination. */
import { verify } from 'node:crypto';
import { type WhitelistProof, whitelistChallenge, whitelistStatement } from '../chains/whitelist-proof.ts';
import type { KeyApprover, PasskeyApprover } from './approvers.ts';
import { destinationName, type Policy } from './policy.ts';
import { Refusal } from './signer-error.ts';

/**
 * @param proof - as it came from the gateway.
 * @param address - in its canonical form.
 * @throws {Refusal} `proof_wrong` unless an approver signed exactly this destination, and its proof was not withdrawn.
 */
export async function checkProof(
  { approvers, withdrawn }: Pick<Policy, 'approvers' | 'withdrawn'>,
  proof: unknown,
  network: string,
  address: string,
): Promise<void> {
  if (withdrawn.has(destinationName(network, address)))
    throw new Refusal('proof_wrong', 'the proof of this destination was withdrawn');
  const given = proof as Partial<WhitelistProof> | null;
  const approver = approvers.find(({ kind, id }) => kind === given?.kind && id === given.id);
  if (!approver) throw new Refusal('proof_wrong', 'the policy has no such approver');
  const isSigned =
    approver.kind === 'key'
      ? isSignedByKey(approver, given as WhitelistProof, network, address)
      : await isSignedByPasskey(approver, given as WhitelistProof, network, address);
  if (!isSigned) throw new Refusal('proof_wrong', 'the approver has not signed this destination');
}

function isSignedByKey(
  { publicKey }: KeyApprover,
  { signature }: WhitelistProof,
  network: string,
  address: string,
): boolean {
  if (typeof signature !== 'string') return false;
  const statement = Buffer.from(whitelistStatement(network, address));
  const digest = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    return verify(digest, statement, publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

async function isSignedByPasskey(
  approver: PasskeyApprover,
  proof: WhitelistProof,
  network: string,
  address: string,
): Promise<boolean> {
  if (proof.kind !== 'passkey') return false;
  const { id, authenticatorData, clientDataJSON, signature } = proof;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { authenticatorData, clientDataJSON, signature },
      },
      expectedChallenge: whitelistChallenge(network, address),
      expectedOrigin: approver.origin,
      expectedRPID: approver.rpId,
      // A proof is shown again with every withdrawal, so its counter says nothing.
      credential: { id, publicKey: Buffer.from(approver.publicKey, 'base64url'), counter: 0 },
      requireUserVerification: true,
    });
    return verified;
  } catch {
    return false;
  }
}
