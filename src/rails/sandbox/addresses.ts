/**
 * Addresses of the sandbox. All keys are public, so never send real money to these addresses. Derived addresses come
 * from the mnemonic `test test test test test test test test test test test junk` (domain.md 4.1), those of Solana from
 * the SHA-256 of the texts `crossramp sandbox SOL 0` to `crossramp sandbox SOL 4`.
 */

import { EVM_CHAIN_IDS } from '../../base/chain/token-contract.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Currency } from '../../base/money/currency.ts';
import type { Database } from '../../store/connection/database.ts';
import { nextDepositIndex } from '../../store/engine/deposits.ts';

/** Networks that share keys: all EVM networks have the same addresses. */
type Family = 'EVM' | 'TRX' | 'BTC' | 'SOL';

/** Accounts m/44'/60'/0', m/44'/195'/0' and m/84'/0'/0'. */
const ACCOUNT_KEYS: Readonly<Record<Exclude<Family, 'SOL'>, string>> = {
  EVM: 'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
  TRX: 'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr',
  BTC: 'xpub6C4SXHaqSMPK8MGL7bWjvS8WQnhoadsaXv2mnBcjAv142P2TivoC7s7ukNRYxETJZGc3JNzDKHQAGH5N3oQhQgkpwk6WrMtJB4eG2fpRAsV',
};
/**
 * Ed25519 addresses cannot be derived from a public key, so Solana has a fixed pool, and only the exact amount
 * distinguishes sessions.
 */
const SOLANA_POOL = [
  '4SQPTUiH6fpo5CG6qWaAVeb7h25Q15CF3ZhnKduTZ1TW',
  'AjpAc974fMwdGNJpo9Z13qiwDK2mWtrMxJebZCvTQa5T',
  '9nae29Di9dQZg5836athGirntuxzWoEaXbBjk7VC22cP',
  '83wV6dbtyzEhFFPf838XPzjWrZP6RJZaejUQVdE69hpN',
];
/**
 * Payers' addresses, which are never issued for deposits: the first address of the second account of each key, and the
 * fifth of Solana.
 */
const PAYERS: Readonly<Record<Family, string>> = {
  EVM: '0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650',
  TRX: 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ',
  BTC: 'bc1q7m8rzp3mpxhvnnsg7t80de7hf3gdf794ufm4tz',
  SOL: 'AXMQ6khEovet5P7qksF88SC5d5PMBXWqK1KYpXucigHv',
};

/** @returns a deposit address: a new one, on Solana the next one of a pool of four. */
export async function nextDepositAddress(database: Database, { network }: Currency): Promise<string> {
  const family = familyOf(network);
  const index = await nextDepositIndex(database, family);
  if (family === 'SOL') return SOLANA_POOL[index % SOLANA_POOL.length] as string;
  // Loaded on demand, because loading the curves takes 40 ms of CPU and most commands make no address.
  const { deriveDepositAddress } = await import('../../base/chain/deposit-address.ts');
  return deriveDepositAddress(network, ACCOUNT_KEYS[family], index);
}

/** @returns the sender address of sandbox deposits on a network. */
export function payerAddress({ network }: Currency): string {
  return PAYERS[familyOf(network)];
}

/** @throws {Error} for a network outside of the catalogue. */
function familyOf(network: string): Family {
  if (EVM_CHAIN_IDS.has(network)) return 'EVM';
  assert(network === 'TRX' || network === 'BTC' || network === 'SOL', 'a network of the catalogue');
  return network;
}
