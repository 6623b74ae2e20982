/** One HTTP request to the gateway, and the refusals in its answer. */
import { parseExact } from './exact.ts';
import { NoAnswer, problemOf, Refused } from './refusal.ts';

/** API key, or a function that gives a fresh token: pages in a browser have no key. */
export type Key = string | (() => string | Promise<string>);

/** Connection to a gateway. */
export interface Gateway {
  readonly baseUrl: string;
  readonly key: Key;
  readonly fetch: typeof fetch;
  /** Attempts after the first, for requests that are safe to repeat. */
  readonly retries: number;
  /** Longest time until the whole answer of one attempt. Unit: ms. */
  readonly timeoutMs: number;
  /** Newest version of the account that an answer has shown; empty before the first. Standbys answer nothing older. */
  version: string;
}

/** A request. */
export interface Call {
  readonly path: string;
  /** Body, sent as JSON by POST; without one it is a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

const VERSION = 'crossramp-version';

/** @returns the value of a good answer. @throws {Refused | NoAnswer} the latter also for a text that `parse` refuses: the page of a proxy. */
export async function readValue<Value>(
  gateway: Gateway,
  call: Call,
  parse: (text: string) => Value,
  extraMs = 0,
): Promise<Value> {
  const limit = AbortSignal.timeout(gateway.timeoutMs + extraMs);
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
  const response = await open(gateway, { ...call, signal });
  return answered(call, async () => parse(await response.text()));
}

/** @returns a good answer whose body is still to be read. @throws {Refused | NoAnswer} */
export async function open(gateway: Gateway, call: Call): Promise<Response> {
  const { path, body, headers } = call;
  const key = typeof gateway.key === 'string' ? gateway.key : await gateway.key();
  const response = await answered(call, () =>
    gateway.fetch(`${gateway.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(gateway.version && { [VERSION]: gateway.version }),
        ...headers,
      },
      body: JSON.stringify(body) ?? null,
      signal: call.signal ?? null,
      // Key and order go to the gateway alone.
      redirect: 'manual',
    }),
  );
  const version = response.headers.get(VERSION) ?? '';
  // All versions have the same number of digits.
  if (version > gateway.version) gateway.version = version;
  if (response.ok) return response;
  const problem = parseObject(await answered(call, () => response.text()));
  // The gateway gives seconds; for the date that a proxy may give, the pause of the client is enough.
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  throw new Refused([problemOf(response.status, problem)], retryAfter);
}

/** @throws {NoAnswer} when the connection fails; the reason of the caller's signal when the caller ended it. */
export async function answered<Result>(
  { path, signal }: Call,
  read: () => Promise<Result>,
  Failure = NoAnswer,
): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (signal?.aborted && signal.reason?.name !== 'TimeoutError') throw signal.reason;
    throw new Failure(`no answer from ${path}`, { cause });
  }
}

function parseObject(text: string): object {
  try {
    return Object(parseExact(text));
  } catch {
    return {};
  }
}
