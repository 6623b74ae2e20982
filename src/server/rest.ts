/** Serves the route table of `/v2` over HTTP. */
import type { IncomingMessage } from 'node:http';
import { ACTIONS } from '../base/access/actions.ts';
import { GatewayError } from '../base/errors/errors.ts';
import { isEnd2end } from '../base/ids/end2end.ts';
import { readBody } from '../base/input/read-body.ts';
import { type Context, requireOneOf } from '../resolvers/services/context.ts';
import { isOddId } from '../resolvers/transactions/read-transaction.ts';
import type { Route, RouteTable } from '../rest-compat/route.ts';
import type { Database } from '../store/connection/database.ts';
import type { JsonText } from '../wire/list.ts';
import { answerBody, type ProvedAnswers, sendAnswer } from './answers/proved-answers.ts';
import type { ReadSource } from './answers/read-source.ts';
import { notAllowed } from './http/check-request.ts';
import {
  accepts,
  type Exchange,
  headerValues,
  JSON_TYPE,
  mediaTypeOf,
  READ_METHODS,
  sendJson,
} from './http/http.ts';

/** The routes of a path by the methods that a request may have, and the `{id}` of the path. */
export interface Match {
  /** The path as in the route table. */
  readonly path: string;
  readonly routes: ReadonlyMap<string, Route>;
  readonly id: string;
}

/** The route of a request, and the `{id}` of its path. */
export interface Found {
  readonly route: Route;
  readonly id: string;
}

/** @returns the search of a path in the table; undefined when no route has the path. */
export function routeFinder(table: RouteTable): (path: string) => Match | undefined {
  const byPath = new Map(
    [...Map.groupBy(table.values(), ({ path }) => path as string)].map(([path, routes]) => [
      path,
      { path, routes: byMethod(routes) },
    ]),
  );
  return (path) => {
    const found = path.includes('{') ? undefined : byPath.get(path);
    if (found) return { ...found, id: '' };
    // Matches `/v2/<family>/{id}`, and an action on it, `/v2/<family>/{id}/<act>`.
    const [empty, version, family, id, action, ...rest] = path.split('/');
    if (empty !== '' || !id || rest.length > 0 || action === '') return undefined;
    const withId = byPath.get(`/${version}/${family}/{id}${action === undefined ? '' : `/${action}`}`);
    return withId && { ...withId, id: decodeId(id) };
  };
}

/** Every GET route also answers HEAD. */
function byMethod(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(
    routes.flatMap((route) => {
      const methods = route.method === 'GET' ? READ_METHODS : [route.method];
      return methods.map((method) => [method, route] as const);
    }),
  );
}

/** Parts of a response in addition to the result of the route. */
export interface Admitted {
  readonly headers: Record<string, string>;
  /** Checks the key again when the request has taken long. @throws {GatewayError} `UNAUTHORIZED`. */
  readonly checkAgain: () => Promise<void>;
  readonly answers: ProvedAnswers;
  readonly source: ReadSource;
}

/**
 * Answers a request by its route.
 * @throws {GatewayError} `NOT_ACCEPTABLE`, and the errors of the route.
 */
export async function serveRest(
  exchange: Exchange,
  { route, id }: Found,
  context: Context,
  { headers, checkAgain, answers, source }: Admitted,
): Promise<void> {
  const { request, search } = exchange;
  if (!accepts(request, 'application', 'json'))
    throw new GatewayError('NOT_ACCEPTABLE', 'this path returns application/json only');
  requireOneOf(context, [route.scope, ...(route.otherAction ? [ACTIONS[route.otherAction].scope] : [])]);
  const body = route.method === 'POST' ? await readJson(request) : '';
  if (isEnd2end(id)) exchange.noted.end2end = id;
  // A key that was revoked while the body arrived has no effect, and one that is revoked during a long read gets no
  // answer.
  await checkAgain();
  const { accountId } = context.caller;
  const found = route.isProved ? await answers.find(accountId, `${exchange.path}?${search}`) : undefined;
  if (found?.answer && source.mayRepeat(exchange, found.version)) {
    await checkAgain();
    Object.assign(exchange.noted, found.answer.noted);
    return sendAnswer(exchange, found.answer, { ...headers, ...source.headers(found.version) });
  }
  const idempotencyKey = idempotencyKeyOf(request);
  const gone = route.waits && leavingOf(exchange);
  const handle = (database: Database) =>
    route.handle(database === context.database ? context : { ...context, database }, {
      ...{ id, search, body, idempotencyKey, gone },
    });
  const { result: answer, version } = found
    ? await source.prove({ exchange, accountId, version: found.version }, handle)
    : {
        result: await handle(context.database),
        version: await source.presentVersion(accountId),
      };
  if (route.answer.kind !== 'record') exchange.noted.end2end ??= id || createdBy(route, answer.body);
  if (route.method === 'GET') await checkAgain();
  const ignored = answer.ignored.length > 0 && {
    'crossramp-ignored-parameters': answer.ignored.join(', '),
  };
  const { status, body: text } = answer;
  const input = { ...headers, ...source.headers(version) };
  if (!found) return sendJson(exchange, status, wholeOf(text), { ...input, ...ignored, ...answer.headers });
  const { end2end } = exchange.noted;
  const fresh = {
    contentType: JSON_TYPE,
    ...answerBody(JSON_TYPE, text),
    headers: { ...ignored },
    noted: { end2end },
    points: 1,
  };
  found.cache?.(fresh, version);
  sendAnswer(exchange, fresh, input);
}

/**
 * @returns a signal that fires when the client disconnects. A response closes once, and it may have done so while the key was
 * looked up.
 */
function leavingOf({ response }: Exchange): AbortSignal {
  const leaving = new AbortController();
  if (response.destroyed) leaving.abort();
  response.once('close', () => leaving.abort());
  return leaving.signal;
}

function wholeOf(text: JsonText): string {
  return typeof text === 'string' ? text : text.join('');
}

/** @returns the transaction that a POST has made or changed, as its answer names it. */
function createdBy({ method }: Route, body: JsonText): string | undefined {
  return method === 'POST' ? END2END_MEMBER.exec(wholeOf(body))?.[1] : undefined;
}

const END2END_MEMBER = /"end2end":"([^"\\]{1,100})"/;

/** @returns the methods of a path. */
export function methodsOf({ routes }: Match): readonly string[] {
  return [...routes.keys()];
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
  if (request.headers['idempotency-key'] === undefined) return undefined;
  // Two Idempotency-Key headers are joined with a space, which no valid key contains, so they are refused.
  return headerValues(request, 'idempotency-key').join(' ');
}

/** @returns the route of a path for a method. @throws {GatewayError} `METHOD_NOT_ALLOWED`. */
export function routeFor(match: Match, method: string | undefined): Found {
  const route = match.routes.get(method ?? '');
  if (!route) throw notAllowed(methodsOf(match));
  return { route, id: match.id };
}

/**
 * @returns the id; an empty text if no record can have this id, which passes the usual checks and is then not found
 * (C-15).
 */
function decodeId(segment: string): string {
  try {
    const id = decodeURIComponent(segment);
    return isOddId(id) ? '' : id;
  } catch {
    return '';
  }
}
