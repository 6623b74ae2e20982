/**
 * Queries a provider over HTTP, with limited time and size and without redirects. Error messages contain neither
 * request nor answer.
 */
import { readAnswer } from '../../base/input/read-answer.ts';
import { storableJson } from '../../base/text/storable-json.ts';
import { callRail } from '../../base/trace/call-rail.ts';
import { ScreenerUnavailable } from '../../resolvers/services/rails.ts';

/** Query of a provider. */
export interface Question {
  readonly provider: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON body; undefined for GET. */
  readonly body?: string;
  readonly timeoutMs: number;
}

const BODY_MAX_BYTES = 1_048_576;

/** @returns the JSON of the answer. @throws {ScreenerUnavailable} without a successful answer in JSON. */
export async function queryProvider(question: Question): Promise<unknown> {
  const called = { rail: 'screening', name: `${question.method} screening` } as const;
  const text = await callRail(called, () => answerTo(question)).catch((error: unknown) => {
    throw error instanceof ScreenerUnavailable
      ? error
      : unavailable(question, reasonOf(error, question.timeoutMs));
  });
  try {
    return JSON.parse(storableJson(text));
  } catch {
    throw unavailable(question, 'no JSON');
  }
}

async function answerTo(question: Question): Promise<string> {
  const { method, url, headers, body, timeoutMs } = question;
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw unavailable(question, `HTTP ${response.status}`);
  }
  return readAnswer(response, BODY_MAX_BYTES, () => unavailable(question, 'more than 1 MiB'));
}

/** @returns the error for a provider that is unavailable now. */
export function unavailable({ provider }: Pick<Question, 'provider'>, why: string): ScreenerUnavailable {
  return new ScreenerUnavailable(`${failureOf(provider)} ${why}`);
}

/** The provider answered, and decides later. */
export class Undecided extends ScreenerUnavailable {
  constructor(provider: string, reference: string) {
    super(undecidedAt(provider, reference));
  }
}

/** @returns the message about a subject that the provider has not decided about, by which waiting jobs are found. */
export const undecidedAt = (provider: string, reference = '') => `${provider} decides later: ${reference}`;

/** @returns the first words of each error about a provider, by which waiting jobs are found. */
export const failureOf = (provider: string) => `${provider} cannot be queried:`;

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `no answer in ${timeoutMs / 1_000} s`;
  return cause?.code ?? 'not reachable';
}
