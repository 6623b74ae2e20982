/** The HTTP API of a TRON node: one call at a time, with a time limit, and answers that are checked before they are believed. */
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../../base/address.ts';

/** A node cannot be asked, or answers something that is no answer. */
export class NodeAway extends Error {
  override readonly name = 'NodeAway';
}

/** Where a node is asked. */
export interface TronPlace {
  /** Without a slash at its end; `/wallet/…` and `/walletsolidity/…` follow. */
  readonly url: string;
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: string | undefined;
}

/** Members of an object of an answer; whole numbers are bigints. */
export type Answer = Readonly<Record<string, unknown>>;

/** Asks a node. */
export interface TronApi {
  /** Host and port of the node. */
  readonly host: string;
  /** @throws {NodeAway} */
  readonly call: (path: string, body: object) => Promise<unknown>;
}

const ANSWER_MAX_BYTES = 64 * 2 ** 20;
const SHOWN_MAX = 200;
const WHOLE = /^-?\d{1,38}$/;
const HEX = /^(?:[0-9a-f]{2})*$/;
/** First byte of every address. */
const VERSION = '41';

/** @param timeLimitMs - of one call. */
export function createApi({ url, apiKey }: TronPlace, timeLimitMs: number): TronApi {
  const headers = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { 'TRON-PRO-API-KEY': apiKey }),
  };
  return {
    host: new URL(url).host,
    call: async (path, body) => {
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await post(`${url}/${path}`, request, timeLimitMs).catch((error: unknown) => {
        throw new NodeAway(`${path}: ${reasonOf(error)}`);
      });
      // A node that fails says so with 200.
      if (isAnswer(answer) && answer.Error !== undefined)
        throw new NodeAway(`${path}: ${String(answer.Error).slice(0, SHOWN_MAX)}`);
      return answer;
    },
  };
}

async function post(url: string, request: RequestInit, timeLimitMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const response = await fetch(url, { ...request, redirect: 'error', signal });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'), exact);
}

/** Amounts of TRX may have more digits than a double keeps. */
function exact(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && WHOLE.test(context?.source ?? '')
    ? BigInt(context?.source ?? 0)
    : value;
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'no answer in time';
  return cause instanceof Error ? cause.message : message;
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns the members of an object of an answer. @throws {NodeAway} for anything else. */
export function recordOf(value: unknown, what: string): Answer {
  if (isAnswer(value)) return value;
  throw new NodeAway(`${what}: expected an object`);
}

/** @returns the items of a list of an answer; none where there is no such member. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new NodeAway(`${what}: expected a list`);
}

/** @returns a whole number that is not negative; zero where there is no such member, as nodes leave it out. */
export function amountOf(value: unknown, what: string): bigint {
  if (value === undefined) return 0n;
  if (typeof value === 'bigint' && value >= 0n) return value;
  throw new NodeAway(`${what}: expected a whole number`);
}

/** @returns such a number that counts something: a height, a time in milliseconds. */
export function countOf(value: unknown, what: string): number {
  const count = Number(amountOf(value, what));
  if (Number.isSafeInteger(count)) return count;
  throw new NodeAway(`${what}: expected a number below 2^53`);
}

/** @returns bytes in hexadecimal digits of lower case; so many of them, where that is known. */
export function bytesOf(value: unknown, what: string, length?: number): string {
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (text !== undefined && HEX.test(text) && (length === undefined || text.length === 2 * length))
    return text;
  throw new NodeAway(`${what}: expected bytes`);
}

/** @returns an address as nodes have it, 0x41 and 20 bytes, in canonical form. */
export function addressOf(value: unknown, what: string): string {
  const bytes = bytesOf(value, what, 21);
  if (!bytes.startsWith(VERSION)) throw new NodeAway(`${what}: expected an address`);
  return tronAddress(hex.decode(bytes.slice(VERSION.length)));
}

/** @returns the address as nodes take it. */
export function hexOf(address: string): string {
  return VERSION + hex.encode(addressBytes('TRX', address));
}
