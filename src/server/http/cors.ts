/**
 * CORS: which pages of other origins may read answers in a browser (Fetch standard). Any page may read answers to payer
 * tokens and stream tokens, because no browser sends such a token by itself. Pages of the origins that an account lists
 * may read answers to its API keys. A preflight carries no key, so it passes for an origin that any account lists; the
 * answer itself is then checked against the list of the key's account.
 */
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { type Exchange, send } from './http.ts';

/** Adds CORS headers to the answers to pages of other origins. */
export interface Cors {
  /** Answers a preflight. `isOpen`: tokens of payers and streams are accepted on the path. */
  readonly preflight: (exchange: Exchange, isOpen: boolean) => Promise<void>;
  /** Adds the headers that let the page read the answer, if the caller's account allows it. */
  readonly allow: (exchange: Exchange, caller: KeyRecord) => void;
  /** Lets the page read the reason of a refusal; does nothing once the caller is known. */
  readonly allowRefusal: (exchange: Exchange, isOpen: boolean) => Promise<void>;
}

/** @returns the origins that any account lists. */
type FindListed = () => Promise<ReadonlySet<string>>;

const REQUEST_HEADERS = [
  ...['accept', 'authorization', 'content-type', 'crossramp-version', 'idempotency-key', 'if-none-match'],
  ...['last-event-id', 'x-graphql-event-stream-token', 'x-request-id'],
].join(', ');
const ANSWER_HEADERS = [
  ...['crossramp-ignored-parameters', 'crossramp-version', 'etag', 'idempotent-replayed', 'ratelimit'],
  ...['ratelimit-policy', 'retry-after', 'x-request-id'],
].join(', ');
/** Time for which a browser may cache the response to a preflight. Unit: seconds. */
const PREFLIGHT_SECONDS = 600;
/** Time for which the list of origins is cached, which limits the queries of the database. Unit: ms. */
const BELIEVED_MS = 1_000;

/** @returns whether a request is a preflight. */
export function isPreflight({ request: { method, headers } }: Exchange): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** @param find - queries the database. */
export function createCors(find: FindListed): Cors {
  const isListed = remembering(find);
  const allowedBeforeKey = async (origin: string, isOpen: boolean) => isOpen || (await isListed(origin));
  return {
    preflight: async (exchange, isOpen) => {
      const origin = exchange.request.headers.origin ?? '';
      const isAllowed = await allowedBeforeKey(origin, isOpen);
      send(exchange, 204, 'text/plain; charset=utf-8', '', {
        vary: 'origin, access-control-request-method, access-control-request-headers',
        ...(isAllowed && {
          'access-control-allow-origin': isOpen ? '*' : origin,
          'access-control-allow-methods': exchange.allowed.join(', '),
          'access-control-allow-headers': REQUEST_HEADERS,
          'access-control-max-age': String(PREFLIGHT_SECONDS),
        }),
      });
    },
    allow: (exchange, caller) => {
      if (caller.transactionId !== undefined || caller.isForStreams) return expose(exchange, '*');
      const { origin } = exchange.request.headers;
      if (caller.allowedOrigins.length > 0) exchange.response.setHeader('vary', 'origin');
      if (origin !== undefined && caller.allowedOrigins.includes(origin)) expose(exchange, origin);
    },
    allowRefusal: async (exchange, isOpen) => {
      const { origin } = exchange.request.headers;
      if (
        exchange.accountId !== undefined ||
        origin === undefined ||
        !(await allowedBeforeKey(origin, isOpen))
      )
        return;
      exchange.response.setHeader('vary', 'origin');
      expose(exchange, isOpen ? '*' : origin);
    },
  };
}

function expose({ response }: Exchange, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', ANSWER_HEADERS);
}

function remembering(find: FindListed): (origin: string) => Promise<boolean> {
  let listed: ReturnType<FindListed> | undefined;
  let untilMs = 0;
  return async (origin) => {
    if (!listed || performance.now() > untilMs) {
      untilMs = performance.now() + BELIEVED_MS;
      listed = find();
      // A failure is not cached: the next request queries again.
      listed.catch(() => {
        listed = undefined;
      });
    }
    return (await listed).has(origin);
  };
}
