/**
 * Deposit addresses by watch-only derivation (BIP-32, BIP-44, BIP-84): from the public key of an account to the address of
 * its n-th deposit. The private keys are never in the gateway; their holder derives every address again at `<account
 * path>/0/<index>`.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { evmAddress, p2wpkhAddress, tronAddress } from './address.ts';
import { EVM_CHAIN_IDS } from './token-contract.ts';

/** Length of the path `m / purpose' / coin' / account'`. */
const ACCOUNT_DEPTH = 3;
/** The branch of the path for issued addresses; branch 1 is for change. */
const RECEIVE = 0;
/** Versions of the serialized key: BIP-32; `zpub`, as which wallets export BIP-84 accounts (SLIP-132). */
const XPUB = { private: 0x0488ade4, public: 0x0488b21e };
const ZPUB = { private: 0x04b2430c, public: 0x04b24746 };
const PRIVATE_KEY = /^\s*[a-z]prv/i;
const HASH_BYTES = 20;

/**
 * The address of one deposit. EVM networks share their addresses: issue an index only once among all of them.
 * @param network - TRX (m/44'/195'/0'), an EVM network (m/44'/60'/0') or BTC (m/84'/0'/0', P2WPKH).
 * @param xpub - extended public key of the account, `xpub…`; for BTC also `zpub…`. The key does not show whether its
 * coin type is that of the network; the person who configures it has to check.
 * @param index - 0 to 2^31 - 1.
 * @returns the address in canonical form.
 * @throws {RangeError} when the network has no public derivation (SOL: ed25519 derives hardened only, SLIP-10); when
 * the key is private, unreadable or not one of an account; or when the index is out of range. The message never repeats
 * the key.
 */
export function deriveDepositAddress(network: string, xpub: string, index: number): string {
  const encode = encoderOf(network);
  const account = readAccount(network, xpub);
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET) {
    throw new RangeError(`expected a deposit index from 0 to ${HARDENED_OFFSET - 1}, got ${index}`);
  }
  const { publicKey } = account.deriveChild(RECEIVE).deriveChild(index);
  if (!publicKey) throw new RangeError('the extended public key does not derive');
  return encode(publicKey);
}

function encoderOf(network: string): (publicKey: Uint8Array) => string {
  if (network === 'BTC') return p2wpkhAddress;
  if (network === 'TRX') return (publicKey) => tronAddress(keccakHash(publicKey));
  if (EVM_CHAIN_IDS.has(network)) return (publicKey) => evmAddress(keccakHash(publicKey));
  throw new RangeError(`${network} has no derivation of addresses from a public key`);
}

function readAccount(network: string, xpub: string): HDKey {
  if (PRIVATE_KEY.test(xpub)) {
    throw new RangeError('expected an extended public key, got a private one: treat that key as exposed');
  }
  const account = decodeKey(xpub, network === 'BTC' && xpub.startsWith('zpub') ? ZPUB : XPUB);
  if (account?.depth !== ACCOUNT_DEPTH || account.index < HARDENED_OFFSET) {
    const accepted = network === 'BTC' ? 'xpub or zpub' : 'xpub';
    throw new RangeError(`expected the extended public key of an account (mainnet ${accepted}, depth 3)`);
  }
  return account;
}

function decodeKey(text: string, versions: typeof XPUB): HDKey | undefined {
  try {
    return HDKey.fromExtendedKey(text, versions);
  } catch {
    return undefined;
  }
}

/** Last 20 bytes of Keccak-256 of the public key without its prefix (Ethereum yellow paper, appendix F). */
function keccakHash(publicKey: Uint8Array): Uint8Array {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return keccak_256(uncompressed.subarray(1)).subarray(-HASH_BYTES);
}
