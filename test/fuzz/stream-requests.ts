/**
 * Makes requests to the path of single connections, as graphql-sse speaks it: streams are reserved, given operations, opened for a
 * moment and left; operations are ended one by one. Tokens are those that were given, or odd.
 */
import { graphqlBody } from './graphql-requests.ts';
import type { FuzzRequest } from './rest-requests.ts';
import type { FuzzAnswer } from './send.ts';
import type { Values } from './values.ts';

const PATH = '/graphql/stream';
const TOKEN = 'x-graphql-event-stream-token';
/** A stream is open so long. Unit: ms. */
const READS_MS = 20;

/** A stream that was reserved, and by whom. */
interface Reserved {
  readonly token: string;
  readonly authorization: string;
}

/** The requests of a run, and the streams that they have reserved. */
export class StreamRequests {
  readonly #reserved: Reserved[] = [];

  /** @returns the next request of a caller with this key. */
  next(values: Values, apiKey: string): FuzzRequest {
    const { random } = values;
    const own = `Bearer ${apiKey}`;
    const stream = this.#reserved.length > 0 && random.chance(0.95) ? random.pick(this.#reserved) : undefined;
    // Now and then with the key of somebody else.
    const authorization = stream && random.chance(0.95) ? stream.authorization : own;
    const token = stream?.token ?? values.oddText();
    const request = { target: PATH, headers: { authorization, [TOKEN]: token }, body: undefined };
    const kind = random.next();
    if (kind < 0.15) return { ...request, method: 'PUT', headers: { authorization: own } };
    if (kind < 0.3) return { ...openingOf({ token, authorization }), readsMs: random.integer(0, READS_MS) };
    const operationId = random.chance(0.9) ? String(random.integer(1, 9)) : values.oddText();
    if (kind < 0.4) {
      const search = new URLSearchParams({ operationId: operationId.toWellFormed() });
      return { ...request, method: 'DELETE', target: `${PATH}?${search}` };
    }
    if (kind < 0.42) return { ...request, method: random.pick(['PATCH', 'HEAD', 'OPTIONS', 'GET']) };
    const operation = random.pick(['subscription', 'subscription', 'query', 'mutation'] as const);
    const extensions = random.chance(0.95) ? { operationId } : values.oddVariable();
    const body = JSON.stringify({ ...graphqlBody(values, operation), extensions });
    const headers = { ...request.headers, 'content-type': 'application/json' };
    return { ...request, method: 'POST', headers, body };
  }

  /** Keeps the token that an answer gave, until its stream was opened. */
  learn(
    { method, headers, readsMs }: FuzzRequest,
    { status, text }: Pick<FuzzAnswer, 'status' | 'text'>,
  ): void {
    if (method === 'PUT' && status === 201)
      this.#reserved.push({ token: text, authorization: String(headers.authorization) });
    const ended = this.#reserved.findIndex(({ token }) => token === headers[TOKEN]);
    if (readsMs !== undefined && status === 200 && ended >= 0) this.#reserved.splice(ended, 1);
  }

  /** @returns requests that open each stream and leave it, by which it ends. */
  endings(): FuzzRequest[] {
    return this.#reserved.splice(0).map((each) => ({ ...openingOf(each), readsMs: 0 }));
  }
}

function openingOf({ token, authorization }: Reserved): FuzzRequest {
  const headers = { authorization, accept: 'text/event-stream', [TOKEN]: token };
  return { method: 'GET', target: PATH, headers, body: undefined };
}
