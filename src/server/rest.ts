/** Serves the route table of `/v2` over HTTP. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../base/errors.ts';
import { type Context, requireScope } from '../resolvers/services/context.ts';
import type { Route } from '../rest-compat/route.ts';
import { accepts, type Exchange, mediaTypeOf, READ_METHODS, readBody, sendJson } from './http.ts';

/** A route and the `{id}` of the path it was found by. */
export interface Match {
  readonly route: Route;
  readonly id: string;
}

/** @returns the search of a path in the table; undefined when no route has the path. */
export function routeFinder(routes: readonly Route[]): (path: string) => Match | undefined {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  return (path) => {
    const route = path.includes('{') ? undefined : byPath.get(path);
    if (route) return { route, id: '' };
    // `/v2/<family>/{id}`, or an act on it, `/v2/<family>/{id}/<act>`.
    const [empty, version, family, id, act, ...rest] = path.split('/');
    if (empty !== '' || !id || rest.length > 0 || act === '') return undefined;
    const found = byPath.get(`/${version}/${family}/{id}${act === undefined ? '' : `/${act}`}`);
    return found && { route: found, id: decodeId(id) };
  };
}

/** What an answer needs besides what the route gives. */
export interface Admitted {
  readonly headers: Record<string, string>;
  /** Looks at the caller's key again. @throws {GatewayError} `UNAUTHORIZED`. */
  readonly authenticate: () => Promise<unknown>;
}

/**
 * Answers a matched request.
 *
 * @throws {GatewayError} `METHOD_NOT_ALLOWED`, `NOT_ACCEPTABLE`, and whatever the route throws.
 */
export async function serveRest(
  exchange: Exchange,
  match: Match,
  context: Context,
  { headers, authenticate }: Admitted,
): Promise<void> {
  const { request, search } = exchange;
  if (!accepts(request, 'application', 'json'))
    throw new GatewayError('NOT_ACCEPTABLE', 'this path returns application/json only');
  const { route, id } = match;
  requireScope(context, route.scope);
  const body = route.method === 'POST' ? await readJson(request) : '';
  const begun = performance.now();
  const answer = await route.handle(context, { id, search, body, idempotencyKey: idempotencyKeyOf(request) });
  // A key that ended while something was waited for is told nothing any more.
  if (route.method === 'GET' && performance.now() - begun > WAITED_MS) await authenticate();
  if (answer.ignored.length > 0) headers['crossramp-ignored-parameters'] = answer.ignored.join(', ');
  sendJson(exchange, answer.status, answer.body, { ...headers, ...answer.headers });
}

/** Reads that take longer have waited for something. */
const WAITED_MS = 500;

/** @returns the methods that a route takes: whatever is read can be asked for without its body. */
export function methodsOf({ method }: Route): readonly string[] {
  return method === 'GET' ? READ_METHODS : [method];
}

/** @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `BAD_REQUEST` for a body that is not UTF-8. */
async function readJson(request: IncomingMessage): Promise<string> {
  const body = await readBody(request);
  if (body.length === 0) return '';
  if (mediaTypeOf(request) !== 'application/json')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
  try {
    return UTF8.decode(body);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not UTF-8');
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const given = request.headersDistinct['idempotency-key'];
  // Two keys are no key that anybody could mean: what they are joined to has a space, which no key has.
  return given?.join(' ');
}

/** @throws {GatewayError} `METHOD_NOT_ALLOWED`; the answer's `Allow` header is `allowedMethods`. */
export function checkMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? ''))
    throw new GatewayError('METHOD_NOT_ALLOWED', `this path accepts ${allowed.join(', ')} only`);
}

function decodeId(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No record has an empty id: after the same checks as any other, it is missing (C-15).
    return '';
  }
}
