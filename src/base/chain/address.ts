/**
 * Addresses of the networks: validity, canonical form, and destinations that would lose the money. Parsing trims and repairs
 * nothing: any deviation from the network's form is refused.
 */
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, bech32, bech32m, createBase58check, hex } from '@scure/base';
import { assert } from '../errors/assert.ts';
import { EVM_CHAIN_IDS, tokenOfContract } from './token-contract.ts';

/** The parts of an address. */
interface Reading {
  readonly canonical: string;
  /** Key hash, script hash, witness program or public key of the address. */
  readonly payload: Uint8Array;
  /** Set for Bitcoin segregated witness only. */
  readonly witnessVersion?: number;
}

interface Form {
  readonly sentence: string;
  readonly read: (text: string) => Reading | undefined;
}

const HASH_BYTES = 20;
const SOLANA_KEY_BYTES = 32;
const TRON_VERSION = 0x41;
const P2PKH_VERSION = 0x00;
const P2SH_VERSION = 0x05;
const BITCOIN_PREFIX = 'bc';
/** Sizes of witness programs (BIP-141): version 0 is a key hash or a script hash, version 1 taproot. */
const PROGRAM_BYTES = { min: 2, max: 40, keyHash: 20, scriptHash: 32, taproot: 32 } as const;
const WITNESS_VERSION_MAX = 16;
/** The longest possible address (BIP-173). The time to decode base58 grows with the square of the length. */
const TEXT_MAX = 90;
const EVM_TEXT = /^0x[0-9a-fA-F]{40}$/;
const base58check = createBase58check(sha256);

const EVM_FORM: Form = {
  sentence: '0x and 40 hexadecimal digits, in one case or with the EIP-55 checksum',
  read: readEvm,
};
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['TRX', { sentence: 'T and 33 characters of base58 with a valid checksum', read: readTron }],
  ...[...EVM_CHAIN_IDS.keys()].map((network) => [network, EVM_FORM] as const),
  ['SOL', { sentence: '32 to 44 characters of base58 that stand for 32 bytes', read: readSolana }],
  ['BTC', { sentence: 'bc1…, 1… or 3… of Bitcoin mainnet with a valid checksum', read: readBitcoin }],
]);

/** Well-known addresses from which nothing returns, and programs that own no balance. */
const DEAD_ENDS: ReadonlyMap<string, string> = new Map([
  ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'a burn address'],
  ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'a placeholder for the coin of the chain'],
  ['0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF', 'a burn address'],
  ['0xdEAD000000000000000042069420694206942069', 'a burn address'],
  ['1BitcoinEaterAddressDontSendf59kuE', 'a burn address'],
  ['1CounterpartyXXXXXXXXXXXXXXXUWLpVr', 'a burn address'],
  ['11111111111111111111111111111111', 'the Solana system program'],
  ['1nc1nerator11111111111111111111111111111111', 'a burn address'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'a Solana token program'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'a Solana token program'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'a Solana token program'],
  ['So11111111111111111111111111111111111111112', 'the contract of wrapped SOL'],
]);
/**
 * Number of leading zeros of an address that was chosen instead of hashed: zero itself, 0x…dEaD, precompiles, system
 * contracts.
 */
const RESERVED_ZEROS = 18;

/**
 * Reads an address.
 * @param network - network of the catalogue: TRX, ETH, POLYGON, BASE, BSC, SOL, BTC.
 * @param text - as typed or pasted, of any length.
 * @returns the one form in which the address is stored and compared: EVM with the EIP-55 checksum, bech32 in lower
 * case, base58 unchanged; undefined if the text is not an address of the network or the network is unknown.
 */
export function parseAddress(network: string, text: string): string | undefined {
  return readingOf(network, text)?.canonical;
}

/** @returns the networks of the catalogue to which the address belongs: one, all EVM networks, or none. */
export function addressNetworks(text: string): readonly string[] {
  return [...FORMS.keys()].filter((network) => parseAddress(network, text) !== undefined);
}

/**
 * Returns the accepted form as text, for use after "expected".
 * @throws {Error} when the network is not one of the catalogue.
 */
export function addressForm(network: string): string {
  const form = FORMS.get(network);
  assert(form, 'a network of the catalogue');
  return form.sentence;
}

/**
 * Returns the reason why nothing may be sent to a valid address. The contract of a token is refused on every network
 * that shares its form: elsewhere no one owns the same address.
 * @param canonical - result of parseAddress for the network.
 * @returns the reason, for use after "the address is"; undefined if it may be a destination.
 * @throws {Error} when the address is not canonical.
 */
export function isRefusedDestination(network: string, canonical: string): string | undefined {
  const reading = readingOf(network, canonical);
  assert(reading?.canonical === canonical, 'a canonical address of the network');
  const token = tokenOfContract(canonical);
  if (token) return `the contract of ${token}`;
  return DEAD_ENDS.get(canonical) ?? refusedPayload(reading);
}

/**
 * @param canonical - result of parseAddress for the network.
 * @returns the bytes of the address: 20 on TRON and EVM networks, without version and checksum.
 * @throws {RangeError} when the text is not an address of the network.
 */
export function addressBytes(network: string, canonical: string): Uint8Array {
  const reading = readingOf(network, canonical);
  if (!reading) throw new RangeError(`expected ${addressForm(network)}`);
  return reading.payload;
}

/** @returns the TRON address of a 20-byte hash: base58check, version 0x41 (TRON developer hub, "Account"). */
export function tronAddress(hash: Uint8Array): string {
  return base58check.encode(Uint8Array.of(TRON_VERSION, ...hash));
}

/** @returns the EVM address of 20 bytes, with the checksum of EIP-55. */
export function evmAddress(bytes: Uint8Array): string {
  const digits = hex.encode(bytes);
  const checksum = hex.encode(keccak_256(new TextEncoder().encode(digits)));
  const cased = [...digits].map((digit, i) => (checksum.charAt(i) < '8' ? digit : digit.toUpperCase()));
  return `0x${cased.join('')}`;
}

/** @returns the Bitcoin address of a compressed public key: P2WPKH, witness version 0 (BIP-141, BIP-173). */
export function p2wpkhAddress(publicKey: Uint8Array): string {
  return bech32.encode(BITCOIN_PREFIX, [0, ...bech32.toWords(ripemd160(sha256(publicKey)))]);
}

function readingOf(network: string, text: string): Reading | undefined {
  return text.length <= TEXT_MAX ? FORMS.get(network)?.read(text) : undefined;
}

function readTron(text: string): Reading | undefined {
  const payload = versioned(text, TRON_VERSION);
  return payload && { canonical: text, payload };
}

/** EIP-55: mixed case must match the checksum; a text of one case carries no checksum. */
function readEvm(text: string): Reading | undefined {
  if (!EVM_TEXT.test(text)) return undefined;
  const digits = text.slice(2);
  const payload = hex.decode(digits);
  const canonical = evmAddress(payload);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || text === canonical ? { canonical, payload } : undefined;
}

/** A Solana address is the bare public key, without a checksum (Solana documentation, "Accounts"). */
function readSolana(text: string): Reading | undefined {
  const payload = attempt(() => base58.decode(text));
  return payload?.length === SOLANA_KEY_BYTES ? { canonical: text, payload } : undefined;
}

function readBitcoin(text: string): Reading | undefined {
  if (/^bc1/i.test(text)) return readWitness(text);
  const payload = versioned(text, P2PKH_VERSION) ?? versioned(text, P2SH_VERSION);
  return payload && { canonical: text, payload };
}

/** BIP-173 with BIP-350: version 0 is bech32 of 20 or 32 bytes, later ones bech32m of 2 to 40 bytes. */
function readWitness(text: string): Reading | undefined {
  for (const code of [bech32, bech32m]) {
    const decoded = code.decodeUnsafe(text);
    const [version, ...words] = decoded?.words ?? [];
    if (decoded?.prefix !== BITCOIN_PREFIX || version === undefined) continue;
    const payload = code.fromWordsUnsafe(words);
    if (!payload || (version === 0) !== (code === bech32) || !isProgram(version, payload.length)) continue;
    return { canonical: text.toLowerCase(), payload, witnessVersion: version };
  }
  return undefined;
}

function isProgram(version: number, bytes: number): boolean {
  if (version === 0) return bytes === PROGRAM_BYTES.keyHash || bytes === PROGRAM_BYTES.scriptHash;
  return version <= WITNESS_VERSION_MAX && bytes >= PROGRAM_BYTES.min && bytes <= PROGRAM_BYTES.max;
}

/** The hash of a base58check text with this version byte. */
function versioned(text: string, version: number): Uint8Array | undefined {
  const bytes = attempt(() => base58check.decode(text));
  return bytes?.length === 1 + HASH_BYTES && bytes[0] === version ? bytes.subarray(1) : undefined;
}

function refusedPayload({ payload, witnessVersion }: Reading): string | undefined {
  if (isUnguarded(witnessVersion, payload)) return 'one that anyone can spend';
  return payload.subarray(0, RESERVED_ZEROS).every((byte) => byte === 0)
    ? 'a burn or system address'
    : undefined;
}

/** Consensus checks no witness programs beyond taproot (BIP-341): any miner may take their coins. */
function isUnguarded(version = 0, payload: Uint8Array): boolean {
  return version > 1 || (version === 1 && payload.length !== PROGRAM_BYTES.taproot);
}

/** The coders throw at malformed input, which this function turns into a result. */
function attempt(decode: () => Uint8Array): Uint8Array | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
