/** Authentication: API keys as bearer tokens, checked offline first, then against the database (C-40, C-41). */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { apiKeyHash, isApiKey } from '../../base/access/api-key.ts';
import { exportAddress, readExportLink } from '../../base/access/export-link.ts';
import { isSessionToken } from '../../base/access/session-token.ts';
import { isStreamToken } from '../../base/access/stream-token.ts';
import { onNobodysBehalf } from '../../base/concurrency/on-behalf.ts';
import { readShared } from '../../base/concurrency/read-together.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { RateLimit } from '../../base/process/setting-values.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import { streamTokenCaller } from '../../resolvers/events/stream-token.ts';
import { exportLinkCaller } from '../../resolvers/exports/export-link.ts';
import { findSession, sessionCaller } from '../../resolvers/payer/payment-session.ts';
import type { Services } from '../../resolvers/services/context.ts';
import { findValidKey, type KeyRecord, touchKey } from '../../store/account/api-keys.ts';
import { type AddressCheck, limitedAddress, networksOf } from '../http/client-address.ts';
import { type Exchange, headerValues } from '../http/http.ts';
import { rateLimiter, rateLimitHeaders } from '../http/rate-limit.ts';
import { type ConsoleSessions, isFromOwnPage } from './console-session.ts';

/** Finds the key of a request. @throws {GatewayError} `UNAUTHORIZED`, with the same message for every reason. */
export type Authenticate = (exchange: Pick<Exchange, 'request' | 'address'>) => Promise<KeyRecord>;

/** Time for which a key is cached: a revocation takes effect everywhere within a second (C-40). Unit: ms. */
const BELIEVED_MS = 500;
/**
 * A key is checked again when its request took longer, because its body came slowly, or it waited for its turn, events
 * or the database.
 */
const WAITED_MS = 500;
const TOUCHED_EVERY_MS = 60_000;
const CACHED_KEYS_MAX = 10_000;
const CACHED_SESSIONS_MAX = 100_000;

interface Believed {
  readonly key: KeyRecord;
  readonly until: number;
  readonly allows: AddressCheck;
}

/**
 * @param sessions - sessions of people.
 * @param failureLimit - failures of one client address; null for any number.
 * @returns the check of keys, and the check that also accepts people, payers and streams.
 */
export function authenticators(
  services: Services,
  sessions: ConsoleSessions,
  failureLimit: RateLimit | null,
): { readonly authenticate: Authenticate; readonly authenticatePayer: Authenticate } {
  const limitFailures = failureLimiter(failureLimit);
  const byKey = authenticator(services);
  return {
    authenticate: limitFailures(byKey),
    authenticatePayer: limitFailures(payerAuthenticator(services, personAuthenticator(sessions, byKey))),
  };
}

/**
 * @param authenticate - finds the current key of a request.
 * @returns a function that checks the key again when the request has taken long. Throws {GatewayError} `UNAUTHORIZED`.
 */
export function checkingAgain(authenticate: () => Promise<unknown>): () => Promise<void> {
  const begun = performance.now();
  return async () => {
    if (performance.now() - begun > WAITED_MS) await onNobodysBehalf(authenticate);
  };
}

/** @returns the check of a request's `Authorization` header. */
function authenticator({ database, readsOnly }: Pick<Services, 'database' | 'readsOnly'>): Authenticate {
  const believed = new Map<string, Believed>();
  // A standby answers by versions, and needs a key as new as the version that the caller names.
  const believedMs = readsOnly ? 0 : BELIEVED_MS;
  const touched = new Map<string, number>();
  const nameOf = keyNames();

  const lookup = async (name: string): Promise<Believed | undefined> => {
    const cached = believed.get(name);
    if (cached && cached.until > performance.now()) return cached;
    // Many requests of a caller can arrive when its cached key expires, and share one look-up.
    const requestedMs = performance.now();
    const key = await readShared(believed, [name], () => findValidKey(database, Buffer.from(name, 'base64')));
    if (!key) {
      believed.delete(name);
      return undefined;
    }
    const entry = { key, until: requestedMs + believedMs, allows: allowList(key.allowedCidrs) };
    if (believed.size >= CACHED_KEYS_MAX) believed.clear();
    believed.set(name, entry);
    noteUse(key);
    return entry;
  };
  const noteUse = (key: KeyRecord) => {
    if (readsOnly) return;
    if ((touched.get(key.id) ?? Number.NEGATIVE_INFINITY) > performance.now() - TOUCHED_EVERY_MS) return;
    if (touched.size >= CACHED_KEYS_MAX) touched.clear();
    touched.set(key.id, performance.now());
    // The time of last use is stored in the background; no request waits for it or fails because of it.
    touchKey(database, key).catch(() => touched.delete(key.id));
  };

  return async ({ request, address }) => {
    const name = nameOf(request);
    const entry = name === undefined ? undefined : await lookup(name);
    if (!entry?.allows(address)) throw refusal();
    return entry.key;
  };
}

/**
 * @returns a function that names the key of a request by its hash; undefined for a missing or malformed key. A
 * connection usually repeats its key, so the last one is hashed once.
 */
function keyNames(): (request: IncomingMessage) => string | undefined {
  const last = new WeakMap<Socket, { readonly token: string; readonly name: string }>();
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const { socket } = request;
    const known = last.get(socket);
    if (known?.token === token) return known.name;
    if (!isApiKey(token)) return undefined;
    const name = apiKeyHash(token).toString('base64');
    last.set(socket, { token, name });
    return name;
  };
}

/**
 * @returns the check that also accepts a person: on a page of our own, by the cookie of the session, without any token.
 */
function personAuthenticator(sessions: ConsoleSessions, authenticate: Authenticate): Authenticate {
  return async (exchange) => {
    const { request } = exchange;
    if (request.headers.authorization !== undefined || !isFromOwnPage(exchange))
      return authenticate(exchange);
    return (await sessions.find(exchange))?.caller ?? authenticate(exchange);
  };
}

/**
 * @returns the check that also accepts payers: an API key, or the token of a payment session or of streams, as bearer or,
 * because a browser's EventSource sends no headers, as `access_token` of the query (RFC 6750 section 2.3). A key in a query
 * is refused.
 */
function payerAuthenticator(services: Services, authenticate: Authenticate): Authenticate {
  const known = new Map<string, KeyRecord>();
  const authenticateStream = async ({ address }: Pick<Exchange, 'address'>, token: string) => {
    const caller = await streamTokenCaller(services.database, token);
    if (!caller || !allowList(caller.allowedCidrs)(address)) throw refusal();
    return caller;
  };
  const authenticateLink = async (
    { address, request }: Pick<Exchange, 'address' | 'request'>,
    token: string,
  ) => {
    const [path = '', ...search] = (request.url ?? '').split('?');
    const wanted = exportAddress(path, search.join('?'));
    const caller = await exportLinkCaller(services.database, token, wanted);
    if (!caller || !allowList(caller.allowedCidrs)(address)) throw refusal();
    return caller;
  };
  return async (exchange) => {
    const { request } = exchange;
    const token = bearerToken(request) ?? queryToken(request);
    if (token !== undefined && readExportLink(token)) return authenticateLink(exchange, token);
    if (token !== undefined && isStreamToken(token)) return authenticateStream(exchange, token);
    if (token === undefined || !isSessionToken(token)) return authenticate(exchange);
    let caller = known.get(token);
    if (!caller) {
      const row = await findSession(services, token);
      if (!row) throw refusal();
      caller = sessionCaller(await services.forAccount(row.accountId), row);
      if (known.size >= CACHED_SESSIONS_MAX) known.clear();
      // A payment session is never revoked, because its content is public to every holder of its link.
      known.set(token, caller);
    }
    return caller;
  };
}

/**
 * @param limit - failures of one client address; null for any number.
 * @returns a wrapper whose check answers `RATE_LIMITED` instead of `UNAUTHORIZED` to a client that fails too often. A valid
 * key always passes: other clients may share its address.
 */
function failureLimiter(limit: RateLimit | null): (authenticate: Authenticate) => Authenticate {
  if (!limit) return (authenticate) => authenticate;
  const consume = rateLimiter(limit);
  return (authenticate) => async (exchange) => {
    try {
      return await authenticate(exchange);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'UNAUTHORIZED') throw error;
      const allowance = consume(limitedAddress(exchange.address));
      if (allowance.allowed) throw error;
      noteLimit('address');
      throw new GatewayError('RATE_LIMITED', 'too many requests without a valid API key from this address', {
        retryAfter: allowance.resetSeconds,
        headers: rateLimitHeaders(limit, allowance),
      });
    }
  };
}

/**
 * @returns the `WWW-Authenticate` header of a refusal, with details only when a token was sent (RFC 6750 section 3).
 */
export function challenge(request: IncomingMessage): string {
  const sent = headerValues(request, 'authorization');
  return sent.some((value) => /^bearer +\S/i.test(value)) ? 'Bearer error="invalid_token"' : 'Bearer';
}

function refusal(): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'a valid API key is required');
}

function bearerToken(request: IncomingMessage): string | undefined {
  // Of two Authorization headers Node silently uses the first. A request with two is refused.
  const sent = headerValues(request, 'authorization');
  if (sent.length !== 1) return undefined;
  return /^bearer +(\S+)$/i.exec(sent[0] as string)?.[1];
}

function queryToken({ url = '' }: IncomingMessage): string | undefined {
  return /[?&]access_token=([^&]*)/.exec(url)?.[1];
}

function allowList(cidrs: readonly string[]): AddressCheck {
  return cidrs.length === 0 ? () => true : networksOf(cidrs);
}
