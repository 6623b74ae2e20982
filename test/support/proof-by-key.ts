/** Proofs of destinations by a key of the tests, which the policy of a signer knows as `loja`. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { destinationStatement, expiryText, type KeyProof } from '../../src/chains/whitelist-proof.ts';

/** The key as the policy has it, and the proofs that it makes. */
export interface ProvingKey {
  readonly approver: { readonly kind: 'key'; readonly id: string; readonly publicKey: string };
  /** @param over - what differs: account `1`, a month from the time of the test. */
  readonly proofOf: (
    network: string,
    address: string,
    over?: Partial<Pick<KeyProof, 'account' | 'expiresAt'>>,
  ) => KeyProof;
}

const DAY_MS = 86_400_000;

/** @param nowMs - the signer's time. */
export function provingKey(nowMs: () => number = Date.now): ProvingKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return {
    approver: { kind: 'key', id: 'loja', publicKey: pem },
    proofOf: (network, address, over = {}) => {
      const claim = { account: '1', expiresAt: expiryText(nowMs() + 30 * DAY_MS), ...over };
      const statement = Buffer.from(destinationStatement({ ...claim, network, address }));
      const signature = sign(null, statement, privateKey).toString('base64url');
      return { kind: 'key', id: 'loja', ...claim, signature };
    },
  };
}
