/** Queries a node over HTTP, with a time limit and a check of every answer. */

import { readAnswer } from '../../base/input/read-answer.ts';
import { callRail } from '../../base/trace/call-rail.ts';

/** A node is unreachable, or its answer is invalid. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable';
}

/** Members of an object in an answer; integers are bigints. */
export type Answer = Readonly<Record<string, unknown>>;

/** One call of a node. */
export interface NodeCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  /** Name of the call, for messages. */
  readonly what: string;
  /** Time limit of the call including repetitions after a broken connection. */
  readonly timeLimitMs: number;
  /** Whether the body of an error status such as 400 is an answer; some nodes explain a refusal there. */
  readonly isAnswer?: (text: string) => boolean;
}

/** Maximum number of characters of a node's error in messages. */
export const SHOWN_MAX = 200;
/** Maximum number of attempts after broken connections; all calls of a node may be repeated. */
const ATTEMPTS = 3;
const ANSWER_MAX_BYTES = 64 * 2 ** 20;
const WHOLE = /^-?\d{1,38}$/;

/** @returns the answer as JSON. @throws {NodeUnavailable} without a valid answer. */
export async function callNode(call: NodeCall): Promise<unknown> {
  try {
    const { what } = call;
    const called = { rail: 'node', name: `node ${what}`, attributes: { 'rpc.method': what } } as const;
    return await callRail(called, (traced) => post({ ...call, headers: { ...call.headers, ...traced } }));
  } catch (error) {
    throw new NodeUnavailable(`${call.what}: ${reasonOf(error)}`);
  }
}

async function post(call: NodeCall): Promise<unknown> {
  const signal = AbortSignal.timeout(call.timeLimitMs);
  for (let left = ATTEMPTS - 1; ; left--)
    try {
      return await postOnce(call, signal);
    } catch (error) {
      if (left === 0 || !(error instanceof TypeError)) throw error;
    }
}

/** @throws {TypeError} if the connection breaks. */
async function postOnce({ url, headers, body, isAnswer }: NodeCall, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
  const text = await readAnswer(response, ANSWER_MAX_BYTES, () => new Error('the answer is too long'));
  if (!response.ok && !isAnswer?.(text)) throw new Error(`HTTP ${response.status}`);
  return JSON.parse(text, exact);
}

/** Reads integers as bigints, because amounts may exceed the precision of a double. */
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

/** @returns the members of an object of an answer. @throws {NodeUnavailable} for anything else. */
export function recordOf(value: unknown, what: string): Answer {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Answer;
  throw new NodeUnavailable(`${what}: expected an object`);
}
