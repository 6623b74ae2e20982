/**
 * Transactions of TRON: a transfer of TRX, or a call of a contract (protocol.Transaction of java-tron). Other transactions,
 * and those with fields that are not listed here, are refused.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../base/chain/address.ts';
import { decodeMessage, encodeMessage, type ProtoField, type ProtoValue } from './protobuf.ts';
import type { Signature } from './signature.ts';

/** A transfer of TRX. The amount is in sun; 1 TRX is 1,000,000 sun. */
export interface TrxTransfer {
  readonly kind: 'transfer';
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** A call of a contract that sends no TRX or tokens with it. */
export interface ContractCall {
  readonly kind: 'call';
  readonly from: string;
  readonly contract: string;
  readonly data: Uint8Array;
  /** Maximum cost of energy. Unit: sun. */
  readonly feeLimit: bigint;
}

/** Content of a transaction. */
export interface TronTransaction {
  /** Bytes 6 and 7 of the height of a recent block. */
  readonly refBlockBytes: Uint8Array;
  /** Bytes 8 to 15 of the id of that block. */
  readonly refBlockHash: Uint8Array;
  /** Time from which the network refuses the transaction. Unit: ms since 1970. */
  readonly expiration: bigint;
  /** Creation time, ms since 1970; distinguishes two otherwise equal transfers. */
  readonly timestamp: bigint;
  readonly order: TrxTransfer | ContractCall;
}

const TYPES = { transfer: 1n, call: 31n } as const;
const TYPE_URLS = {
  transfer: 'type.googleapis.com/protocol.TransferContract',
  call: 'type.googleapis.com/protocol.TriggerSmartContract',
} as const;
/** Field numbers of `Transaction.raw`, and of the messages in it. */
const RAW = {
  refBlockBytes: 1,
  refBlockHash: 4,
  expiration: 8,
  contract: 11,
  timestamp: 14,
  feeLimit: 18,
} as const;
const CONTRACT = { type: 1, parameter: 2 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;
const TRANSFER = { owner: 1, to: 2, amount: 3 } as const;
const CALL = { owner: 1, contract: 2, data: 4 } as const;
const SIGNED = { raw: 1, signature: 2 } as const;
/** Offset of the recovery bit. */
const RECOVERY_BASE = 27;
/** First byte of every address of the main network. */
const ADDRESS_VERSION = 0x41;
const ADDRESS_BYTES = 21;

/** @returns `raw_data` in hexadecimal digits. */
export function encodeTronTransaction({ order, ...at }: TronTransaction): string {
  const parameter: ProtoField[] = [
    [ANY.typeUrl, Buffer.from(TYPE_URLS[order.kind])],
    [ANY.value, encodeMessage(fieldsOf(order))],
  ];
  const contract: ProtoField[] = [
    [CONTRACT.type, TYPES[order.kind]],
    [CONTRACT.parameter, encodeMessage(parameter)],
  ];
  const raw = encodeMessage([
    [RAW.refBlockBytes, at.refBlockBytes],
    [RAW.refBlockHash, at.refBlockHash],
    [RAW.expiration, at.expiration],
    [RAW.contract, encodeMessage(contract)],
    [RAW.timestamp, at.timestamp],
    [RAW.feeLimit, order.kind === 'call' ? order.feeLimit : 0n],
  ]);
  return hex.encode(raw);
}

/**
 * @param unsigned - `raw_data` in hexadecimal digits.
 * @throws {RangeError} for anything that `encodeTronTransaction` would write differently: other or several contracts,
 *   memos, permissions, and calls that send TRX or tokens.
 */
export function readTronTransaction(unsigned: string): TronTransaction {
  const raw = messageOf(bytesOf(unsigned));
  const contract = messageOf(raw.bytes(RAW.contract));
  const parameter = messageOf(contract.bytes(CONTRACT.parameter));
  const feeLimit = raw.integer(RAW.feeLimit);
  const transaction = {
    refBlockBytes: raw.bytes(RAW.refBlockBytes),
    refBlockHash: raw.bytes(RAW.refBlockHash),
    expiration: raw.integer(RAW.expiration),
    timestamp: raw.integer(RAW.timestamp),
    order: orderOf(contract.integer(CONTRACT.type), messageOf(parameter.bytes(ANY.value)), feeLimit),
  };
  // Encoding again and comparing refuses all fields, orders and forms that the reader above skips.
  if (encodeTronTransaction(transaction) !== unsigned)
    throw new RangeError('expected a transfer or a call of a contract, and nothing else');
  return transaction;
}

/** @returns the id of the transaction, which is also the digest to be signed. */
export function tronDigest(unsigned: string): Uint8Array {
  return sha256(bytesOf(unsigned));
}

/** @returns the signed transaction in the form for `wallet/broadcasthex`, and its id. */
export function signedTronTransaction(
  unsigned: string,
  { r, s, recovery }: Signature,
): { readonly raw: string; readonly hash: string } {
  const words = [r, s].map((word) => word.toString(16).padStart(64, '0')).join('');
  const signature = hex.decode(words + (RECOVERY_BASE + recovery).toString(16));
  const raw = encodeMessage([
    [SIGNED.raw, bytesOf(unsigned)],
    [SIGNED.signature, signature],
  ]);
  return { raw: hex.encode(raw), hash: hex.encode(tronDigest(unsigned)) };
}

function fieldsOf(order: TrxTransfer | ContractCall): ProtoField[] {
  if (order.kind === 'transfer')
    return [
      [TRANSFER.owner, bytesOfAddress(order.from)],
      [TRANSFER.to, bytesOfAddress(order.to)],
      [TRANSFER.amount, order.amount],
    ];
  return [
    [CALL.owner, bytesOfAddress(order.from)],
    [CALL.contract, bytesOfAddress(order.contract)],
    [CALL.data, order.data],
  ];
}

function orderOf(type: bigint, message: Message, feeLimit: bigint): TrxTransfer | ContractCall {
  if (type === TYPES.transfer) {
    const from = addressOf(message.bytes(TRANSFER.owner));
    const to = addressOf(message.bytes(TRANSFER.to));
    return { kind: 'transfer', from, to, amount: message.integer(TRANSFER.amount) };
  }
  if (type !== TYPES.call) throw new RangeError('expected a transfer of TRX or a call of a contract');
  const from = addressOf(message.bytes(CALL.owner));
  const contract = addressOf(message.bytes(CALL.contract));
  return { kind: 'call', from, contract, data: message.bytes(CALL.data), feeLimit };
}

/** Fields of a message by number; a missing one is zero or empty. */
interface Message {
  readonly bytes: (number: number) => Uint8Array;
  readonly integer: (number: number) => bigint;
}

function messageOf(bytes: Uint8Array): Message {
  const fields = new Map<number, ProtoValue>(decodeMessage(bytes));
  return {
    bytes: (number) => {
      const value = fields.get(number) ?? new Uint8Array();
      if (typeof value === 'bigint') throw new RangeError(`expected bytes in field ${number}`);
      return value;
    },
    integer: (number) => {
      const value = fields.get(number) ?? 0n;
      if (typeof value !== 'bigint') throw new RangeError(`expected an integer in field ${number}`);
      return value;
    },
  };
}

const bytesOfAddress = (address: string) => Uint8Array.of(ADDRESS_VERSION, ...addressBytes('TRX', address));

function addressOf(bytes: Uint8Array): string {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError('expected an address of TRON: 0x41 and 20 bytes');
  return tronAddress(bytes.subarray(1));
}

function bytesOf(unsigned: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})+$/.test(unsigned))
    throw new RangeError('expected raw_data in lower-case hexadecimal digits');
  return hex.decode(unsigned);
}
