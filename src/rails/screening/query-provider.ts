/** Asks a provider over HTTP: bounded in time and size, without redirects. A failure never says what was asked or answered. */
import { readAnswer } from '../../base/input/read-answer.ts';
import { storableJson } from '../../base/text/storable-json.ts';
import { ScreenerUnavailable } from '../../resolvers/services/rails.ts';

/** A question. */
export interface Question {
  readonly provider: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; none for GET. */
  readonly body?: string;
  readonly timeoutMs: number;
}

const BODY_MAX_BYTES = 1_048_576;

/** @returns the JSON of the answer. @throws {ScreenerUnavailable} for any other answer than one of success with JSON. */
export async function queryProvider(question: Question): Promise<unknown> {
  const text = await answerTo(question).catch((error: unknown) => {
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

/** @returns the error for a provider that cannot be relied on now. */
export function unavailable({ provider }: Pick<Question, 'provider'>, why: string): ScreenerUnavailable {
  return new ScreenerUnavailable(`${failureOf(provider)} ${why}`);
}

/** @returns the beginning of each failure of a provider. */
export const failureOf = (provider: string) => `${provider} cannot be queried:`;

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `no answer in ${timeoutMs / 1_000} s`;
  return cause?.code ?? 'not reachable';
}
