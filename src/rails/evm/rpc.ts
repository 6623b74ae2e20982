/** JSON-RPC of an EVM node over HTTP: one call at a time, with a time limit, and answers that are checked before they are believed. */

/** A node says no, in its own words. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A node cannot be asked, or answers something that is no answer. */
export class NodeAway extends Error {
  override readonly name = 'NodeAway';
}

/** Asks a node. */
export interface Rpc {
  /** Host and port of the node: what is secret in its URL (path, query) is not told. */
  readonly host: string;
  /** @throws {NodeError} or {NodeAway}. */
  readonly call: (method: string, params: readonly unknown[]) => Promise<unknown>;
}

const ANSWER_MAX_BYTES = 64 * 2 ** 20;
const SHOWN_MAX = 200;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** @param timeLimitMs - of one call. */
export function createRpc(url: string, timeLimitMs: number): Rpc {
  const { host } = new URL(url);
  let last = 0;
  return {
    host,
    call: async (method, params) => {
      last += 1;
      const body = JSON.stringify({ jsonrpc: '2.0', id: last, method, params });
      const answer = await post(url, body, timeLimitMs).catch((error: unknown) => {
        throw new NodeAway(`${method}: ${reasonOf(error)}`);
      });
      const { error, result } = recordOf(answer, method);
      if (error === undefined || error === null) return result;
      const { code, message } = recordOf(error, method);
      throw new NodeError(Number(code), String(message).slice(0, SHOWN_MAX));
    },
  };
}

async function post(url: string, body: string, timeLimitMs: number): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeLimitMs),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // A node may say why in the body of a refusal.
  if (!response.ok && !text.includes('"error"')) throw new Error(`HTTP ${response.status}`);
  return JSON.parse(text);
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'no answer in time';
  return cause instanceof Error ? cause.message : message;
}

/** @returns the members of an object of an answer. @throws {NodeAway} for anything else. */
export function recordOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new NodeAway(`${what}: expected an object`);
}

/** @returns the items of a list of an answer. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NodeAway(`${what}: expected a list`);
}

/** @returns a number that is written as `0x…`. */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value === 'string' && QUANTITY.test(value) && value.length <= 66) return BigInt(value);
  throw new NodeAway(`${what}: expected a quantity`);
}

/** @returns such a number that counts something: a height, a nonce. */
export function countOf(value: unknown, what: string): number {
  const count = Number(quantityOf(value, what));
  if (count < 2 ** 31) return count;
  throw new NodeAway(`${what}: expected a count below 2^31`);
}

/** @returns bytes that are written as `0x…`, in lower case; so many of them, where that is known. */
export function bytesOf(value: unknown, what: string, length?: number): string {
  const isBytes = typeof value === 'string' && HEX.test(value);
  if (isBytes && (length === undefined || value.length === 2 + 2 * length)) return value.toLowerCase();
  throw new NodeAway(`${what}: expected bytes`);
}

/** @returns the number as a node takes it. */
export function hexOf(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
