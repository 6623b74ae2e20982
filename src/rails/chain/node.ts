/** Queries a node over HTTP: one call at a time, within a time limit, with a check of every answer. */

import { readAnswer } from '../../base/input/read-answer.ts';
import { traceCall } from '../../base/trace/spans.ts';

/** A node cannot be asked, or answers something that is no answer. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeAway';
}

/** Members of an object of an answer; whole numbers are bigints. */
export type Answer = Readonly<Record<string, unknown>>;

/** One call of a node. */
export interface NodeCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  /** Its name, for messages. */
  readonly what: string;
  /** For all of it, however often its connection breaks. */
  readonly timeLimitMs: number;
  /** Whether the body of a refusal (an HTTP status such as 400) is an answer too: some nodes say there why. */
  readonly isAnswer?: (text: string) => boolean;
}

/** Maximum number of shown characters of a node's error. */
export const SHOWN_MAX = 200;
/** A call whose connection breaks is made so often: whatever is asked of a node may be asked again. */
const ATTEMPTS = 3;
const ANSWER_MAX_BYTES = 64 * 2 ** 20;
const WHOLE = /^-?\d{1,38}$/;

/** @returns the answer as JSON. @throws {NodeUnavailable} when there is none. */
export async function callNode(call: NodeCall): Promise<unknown> {
  try {
    const attributes = { 'crossramp.rail': 'node', 'rpc.method': call.what };
    return await traceCall(`node ${call.what}`, attributes, (traced) =>
      post({ ...call, headers: { ...call.headers, ...traced } }),
    );
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

/** @throws {TypeError} when the connection breaks. */
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

/** Amounts may have more digits than a double keeps. */
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
