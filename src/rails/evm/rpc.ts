/** JSON-RPC of an EVM node. */
import { callNode, NodeUnavailable, recordOf, SHOWN_MAX } from '../chain/node.ts';
import type { NodeAddress } from '../chain/settings.ts';

/** A refusal by the node, with the node's message. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls of a node. */
export interface Rpc {
  /** Name of the node, without the secret parts of its URL (path and query). */
  readonly provider: string;
  /** @throws {NodeError} {NodeUnavailable} */
  readonly call: (method: string, params: readonly unknown[]) => Promise<unknown>;
}

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** @param timeLimitMs - time limit of one call. */
export function createRpc({ name, url }: NodeAddress, timeLimitMs: number): Rpc {
  let last = 0;
  return {
    provider: name,
    call: async (method, params) => {
      last += 1;
      const body = { jsonrpc: '2.0', id: last, method, params };
      const isAnswer = (text: string) => text.includes('"error"');
      const answer = await callNode({ url, body, what: method, timeLimitMs, isAnswer });
      const { error, result } = recordOf(answer, method);
      if (error === undefined || error === null) return result;
      const { code, message } = recordOf(error, method);
      throw new NodeError(Number(code), String(message).slice(0, SHOWN_MAX));
    },
  };
}

/** @returns the items of a list in an answer. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NodeUnavailable(`${what}: expected a list`);
}

/** @returns a number written as `0x…`. */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value === 'string' && QUANTITY.test(value) && value.length <= 66) return BigInt(value);
  throw new NodeUnavailable(`${what}: expected a quantity`);
}

/** @returns a height, nonce or other count, as a safe integer. */
export function countOf(value: unknown, what: string): number {
  const count = Number(quantityOf(value, what));
  if (count < 2 ** 31) return count;
  throw new NodeUnavailable(`${what}: expected a count below 2^31`);
}

/** @returns bytes written as `0x…`, in lower case, with the given length if any. */
export function bytesOf(value: unknown, what: string, length?: number): string {
  const isBytes = typeof value === 'string' && HEX.test(value);
  if (isBytes && (length === undefined || value.length === 2 + 2 * length)) return value.toLowerCase();
  throw new NodeUnavailable(`${what}: expected bytes`);
}

/** @returns the number in the notation of nodes. */
export function hexOf(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
