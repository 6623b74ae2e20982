/** The HTTP API of a TRON node. */
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../../base/chain/address.ts';
import { callNode, NodeUnavailable, recordOf, SHOWN_MAX } from '../chain/node.ts';
import type { NodeAddress } from '../chain/settings.ts';

/** A TRON node. Paths such as `/wallet/…` and `/walletsolidity/…` are appended to its URL. */
export interface TronNode extends NodeAddress {
  /** Value of the header `TRON-PRO-API-KEY`. */
  readonly apiKey?: string | undefined;
}

/** Calls of a node. */
export interface TronApi {
  /** Name of the node. */
  readonly provider: string;
  /** @throws {NodeUnavailable} */
  readonly call: (path: string, body: object) => Promise<unknown>;
}

const HEX = /^(?:[0-9a-f]{2})*$/;
/** First byte of every address. */
const VERSION = '41';

/** @param timeLimitMs - time limit of one call. */
export function createApi({ name, url, apiKey }: TronNode, timeLimitMs: number): TronApi {
  const headers = apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey };
  return {
    provider: name,
    call: async (path, body) => {
      const answer = await callNode({ url: `${url}/${path}`, headers, body, what: path, timeLimitMs });
      // A node reports errors with status 200.
      const failure = Array.isArray(answer) ? undefined : recordOf(answer, path).Error;
      if (failure === undefined) return answer;
      throw new NodeUnavailable(`${path}: ${String(failure).slice(0, SHOWN_MAX)}`);
    },
  };
}

/** @returns the items of a list in an answer; empty if the member is missing. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new NodeUnavailable(`${what}: expected a list`);
}

/** @returns a non-negative integer; zero if the member is missing, since nodes omit zeros. */
export function amountOf(value: unknown, what: string): bigint {
  if (value === undefined) return 0n;
  if (typeof value === 'bigint' && value >= 0n) return value;
  throw new NodeUnavailable(`${what}: expected a whole number`);
}

/** @returns a height, a time in milliseconds or another count, as a safe integer. */
export function countOf(value: unknown, what: string): number {
  const count = Number(amountOf(value, what));
  if (Number.isSafeInteger(count)) return count;
  throw new NodeUnavailable(`${what}: expected a number below 2^53`);
}

/** @returns bytes in lower-case hexadecimal digits, with the given length if any. */
export function bytesOf(value: unknown, what: string, length?: number): string {
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (text !== undefined && HEX.test(text) && (length === undefined || text.length === 2 * length))
    return text;
  throw new NodeUnavailable(`${what}: expected bytes`);
}

/** @returns an address of a node's answer (0x41 and 20 bytes) in canonical form. */
export function addressOf(value: unknown, what: string): string {
  const bytes = bytesOf(value, what, 21);
  if (!bytes.startsWith(VERSION)) throw new NodeUnavailable(`${what}: expected an address`);
  return tronAddress(hex.decode(bytes.slice(VERSION.length)));
}

/** @returns an address in the notation of nodes. */
export function hexOf(address: string): string {
  return VERSION + hex.encode(addressBytes('TRX', address));
}
