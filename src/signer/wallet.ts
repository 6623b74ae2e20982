/**
 * The keys of a seed (BIP-32, BIP-44). Deposit addresses are `m/44'/coin'/0'/0/index`; the gateway derives them from
 * the extended public key of account 0. The hot wallet is `m/44'/coin'/1'/0/0`, in an account whose extended public key
 * is never disclosed.
 */
import { HDKey } from '@scure/bip32';
import { deriveDepositAddress } from '../base/chain/deposit-address.ts';
import { EVM_CHAIN_IDS } from '../base/chain/token-contract.ts';
import type { SigningKey } from '../chains/sign-request.ts';

/** Networks whose transactions the signer signs. */
export const SIGNED_NETWORKS: readonly string[] = [...EVM_CHAIN_IDS.keys(), 'TRX'];

/** Keys of a seed. */
export interface Wallet {
  /** Extended public keys of the deposit addresses by network; all EVM networks share one. */
  readonly xpub: Readonly<Record<string, string>>;
  /** Addresses of the hot wallet by network. */
  readonly hot: Readonly<Record<string, string>>;
  readonly addressOf: (network: string, key: SigningKey) => string;
  readonly privateKey: (network: string, key: SigningKey) => Uint8Array;
}

const EVM_COIN = 60;
const TRON_COIN = 195;
const ACCOUNTS = { deposit: 0, hot: 1 } as const;
const HOT_INDEX = 0;

/** @param seed - 16 to 64 bytes, such as the seed of BIP-39 words. */
export function openWallet(seed: Uint8Array): Wallet {
  const root = HDKey.fromMasterSeed(seed);
  const account = (network: string, { purpose }: SigningKey) =>
    root.derive(`m/44'/${coinOf(network)}'/${ACCOUNTS[purpose]}'`);
  const xpubs = new Map<string, string>();
  const xpubOf = (network: string, key: SigningKey) => {
    const name = `${coinOf(network)}/${key.purpose}`;
    const known = xpubs.get(name) ?? account(network, key).publicExtendedKey;
    xpubs.set(name, known);
    return known;
  };
  const addressOf = (network: string, key: SigningKey) =>
    deriveDepositAddress(network, xpubOf(network, key), indexOf(key));
  return {
    xpub: byNetwork((network) => xpubOf(network, { purpose: 'deposit', index: 0 })),
    hot: byNetwork((network) => addressOf(network, { purpose: 'hot' })),
    addressOf,
    privateKey: (network, key) => {
      const { privateKey } = account(network, key).deriveChild(0).deriveChild(indexOf(key));
      if (!privateKey) throw new RangeError('the key cannot be derived');
      return privateKey;
    },
  };
}

const coinOf = (network: string) => (network === 'TRX' ? TRON_COIN : EVM_COIN);
const indexOf = (key: SigningKey) => (key.purpose === 'hot' ? HOT_INDEX : key.index);

function byNetwork(value: (network: string) => string): Record<string, string> {
  return Object.fromEntries(SIGNED_NETWORKS.map((network) => [network, value(network)]));
}
