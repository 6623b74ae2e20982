/** Transactions of EVM networks: type 2 (EIP-1559) without an access list, the only type that the gateway sends. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { addressBytes, evmAddress } from '../base/chain/address.ts';
import { bytesOfInteger, decodeRlp, encodeRlp, integerOfBytes, joined, type RlpItem } from './rlp.ts';
import type { Signature } from './signature.ts';

/** Content of a transaction. Fees are in wei of the network's coin. */
export interface EvmTransaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** With the checksum of EIP-55. */
  readonly to: string;
  /** Wei of the coin. */
  readonly value: bigint;
  /** Call data; empty for a transfer of the coin. */
  readonly data: Uint8Array;
}

const TYPE = 0x02;
const UNSIGNED_FIELDS = 9;
const ADDRESS_BYTES = 20;

/** @returns the unsigned transaction, `0x02…`. */
export function encodeEvmTransaction(transaction: EvmTransaction): string {
  return textOf(typed(fieldsOf(transaction)));
}

/**
 * @param unsigned - `0x02…`, without a signature.
 * @throws {RangeError} unless the text is one type-2 transaction to an address, without an access list, in canonical
 *   form.
 */
export function readEvmTransaction(unsigned: string): EvmTransaction {
  const items = itemsOf(unsigned);
  const [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, accessList] = items;
  if (items.length !== UNSIGNED_FIELDS || accessList instanceof Uint8Array || accessList?.length !== 0)
    throw new RangeError('expected an unsigned transaction without an access list');
  if (!(data instanceof Uint8Array)) throw new RangeError('expected call data as bytes');
  return {
    chainId: countOf(chainId),
    nonce: countOf(nonce),
    maxPriorityFeePerGas: integerOf(maxPriorityFeePerGas),
    maxFeePerGas: integerOf(maxFeePerGas),
    gasLimit: integerOf(gasLimit),
    to: addressOf(to),
    value: integerOf(value),
    data,
  };
}

/** @returns the digest to be signed: 32 bytes. */
export function evmDigest(unsigned: string): Uint8Array {
  return keccak_256(bytesOf(unsigned));
}

/** @returns the signed transaction and its hash, both `0x…`. */
export function signedEvmTransaction(
  unsigned: string,
  { r, s, recovery }: Signature,
): { readonly raw: string; readonly hash: string } {
  const signature = [BigInt(recovery), r, s].map(bytesOfInteger);
  const raw = typed([...itemsOf(unsigned), ...signature]);
  return { raw: textOf(raw), hash: textOf(keccak_256(raw)) };
}

function fieldsOf(transaction: EvmTransaction): RlpItem[] {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data } = transaction;
  const numbers = [BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gasLimit];
  return [...numbers.map(bytesOfInteger), addressBytes('ETH', to), bytesOfInteger(value), data, []];
}

const typed = (fields: readonly RlpItem[]) => joined([Uint8Array.of(TYPE), encodeRlp(fields)]);
const textOf = (bytes: Uint8Array) => `0x${hex.encode(bytes)}`;

function bytesOf(text: string): Uint8Array {
  if (!/^0x02(?:[0-9a-f]{2})+$/.test(text))
    throw new RangeError('expected a transaction of type 2 as 0x02 and hexadecimal digits in lower case');
  return hex.decode(text.slice(2));
}

function itemsOf(unsigned: string): readonly RlpItem[] {
  const item = decodeRlp(bytesOf(unsigned).subarray(1));
  if (item instanceof Uint8Array) throw new RangeError('expected the fields of a transaction as a list');
  return item;
}

function integerOf(item: RlpItem | undefined): bigint {
  if (!(item instanceof Uint8Array) || item.length > 32)
    throw new RangeError('expected an integer of 256 bits');
  return integerOfBytes(item);
}

function countOf(item: RlpItem | undefined): number {
  const count = Number(integerOf(item));
  if (!Number.isSafeInteger(count)) throw new RangeError('expected an integer below 2^53');
  return count;
}

function addressOf(item: RlpItem | undefined): string {
  if (!(item instanceof Uint8Array) || item.length !== ADDRESS_BYTES)
    throw new RangeError('expected an address: the gateway creates no contracts');
  return evmAddress(item);
}
