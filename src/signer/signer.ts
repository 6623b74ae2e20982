/**
 * Signs transactions that the policy allows. The signer reads the transaction itself, counts it, and only then uses a
 * key.
 */
import { createHash } from 'node:crypto';
import { evmDigest, signedEvmTransaction } from '../chains/evm-transaction.ts';
import type { Signed, SignerFacts, SignRequest } from '../chains/sign-request.ts';
import { signDigest } from '../chains/signature.ts';
import { signedTronTransaction, tronDigest } from '../chains/tron-transaction.ts';
import { countedEntry, transferKindOf } from './evaluate-request.ts';
import { NO_PASSKEYS, type Passkeys } from './passkeys.ts';
import { describeLimits, type Policy } from './policy.ts';
import { checkProof } from './proof.ts';
import { readTransfer } from './read-transfer.ts';
import type { SignedRecord } from './record.ts';
import { Refusal } from './signer-error.ts';
import { SIGNED_NETWORKS, type Wallet } from './wallet.ts';

/** The signer without its server. */
export interface SignerService {
  readonly describe: () => SignerFacts & { readonly refusals: Readonly<Record<string, number>> };
  /** @throws {Refusal} */
  readonly sign: (request: SignRequest) => Promise<Signed>;
}

/** @returns a service that signs with the keys of the wallet, within the policy, passkeys and record. */
export function createSignerService(
  wallet: Wallet,
  policy: Policy,
  record: SignedRecord,
  passkeys: Pick<Passkeys, 'find'> = NO_PASSKEYS,
): SignerService {
  const { hot, xpub } = wallet;
  const page = policy.page?.origin ?? null;
  return {
    describe: () => ({ hot, xpub, page, limits: describeLimits(policy), refusals: record.refusals() }),
    sign: async (request) => {
      const { id, network, key, unsigned, proof } = request;
      if (!SIGNED_NETWORKS.includes(network))
        throw new Refusal('network', `expected one of ${SIGNED_NETWORKS.join(', ')}`);
      const body = hashOf(request);
      if (isKnown(record, id, body)) return signed(wallet, request);
      const sender = wallet.addressOf(network, key);
      const transfer = readTransfer(network, sender, unsigned);
      const kind = transferKindOf(wallet, request, transfer, () =>
        checkProof({ policy, record, passkeys }, proof, network, transfer.to),
      );
      record.alone(() => {
        const nowMs = record.nowMs();
        record.add(countedEntry(policy, record, transfer, { id, body, sender, kind, nowMs }), nowMs);
      });
      return signed(wallet, request);
    },
  };
}

/**
 * @returns whether this request was counted before.
 * @throws {Refusal} `id_reused` if another request was counted under its id.
 */
function isKnown(record: SignedRecord, id: string, body: string): boolean {
  const known = record.bodyOf(id);
  if (known !== undefined && known !== body)
    throw new Refusal('id_reused', `the id ${id} is another transaction's`);
  return known !== undefined;
}

/** Hashes a request without its proof, because the same person may prove the same destination again. */
function hashOf({ network, key, unsigned, intent }: SignRequest): string {
  const keyName = key.purpose === 'hot' ? 'hot' : key.index;
  return createHash('sha256')
    .update(JSON.stringify([network, keyName, unsigned, intent]))
    .digest('hex');
}

/** Signing is deterministic, so the signature of a repeated request is computed again and not stored. */
function signed(wallet: Wallet, { network, key, unsigned }: SignRequest): Signed {
  const privateKey = wallet.privateKey(network, key);
  return network === 'TRX'
    ? signedTronTransaction(unsigned, signDigest(tronDigest(unsigned), privateKey))
    : signedEvmTransaction(unsigned, signDigest(evmDigest(unsigned), privateKey));
}
