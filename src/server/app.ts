/** The HTTP application: which part answers which path, the order of the checks, and shutdown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { GatewayError } from '../base/errors.ts';
import { newRequestId } from '../base/request-id.ts';
import type { Config, RateLimit } from '../config.ts';
import type { AsyncApi } from '../docs/events-reference.ts';
import type { OpenApi } from '../docs/rest-reference.ts';
import type { Context, Services } from '../resolvers/services/context.ts';
import { asyncApiDocument } from '../rest-compat/asyncapi.ts';
import { openApiDocument } from '../rest-compat/openapi.ts';
import type { Route, RouteTable } from '../rest-compat/route.ts';
import { restRoutes } from '../rest-compat/routes.ts';
import { buildSchema } from '../schema/index.ts';
import { listedOrigins } from '../store/account/accounts.ts';
import type { KeyRecord } from '../store/account/api-keys.ts';
import { type Authenticate, authenticators, challenge, checkingAgain } from './authenticate.ts';
import { checkRequest } from './check-request.ts';
import { type AddressCheck, clientAddress, networksOf } from './client-address.ts';
import { consoleServer } from './console.ts';
import { type ConsoleSessions, consoleSessions } from './console-session.ts';
import { type Cors, createCors, isPreflight } from './cors.ts';
import { exportServer } from './export.ts';
import { forItsAccount } from './for-its-account.ts';
import { graphqlServer } from './graphql.ts';
import type { KeyLimits } from './graphql-context.ts';
import {
  type Exchange,
  GRAPHQL_PATH,
  GRAPHQL_STREAM_PATH,
  originOf,
  READ_METHODS,
  refuseMalformed,
  sendProblem,
} from './http.ts';
import { openPaths } from './open-paths.ts';
import { OpenStreams } from './open-streams.ts';
import { OperationGate } from './operation-gate.ts';
import { payServer } from './pay.ts';
import { peopleServer } from './people.ts';
import { documentResolver } from './persisted-documents.ts';
import { presentError } from './present-error.ts';
import { ProvedAnswers } from './proved-answers.ts';
import { PAYER_ACTS, PAYER_READS, type RateLimiter, rateLimiter, rateLimitHeaders } from './rate-limit.ts';
import { type RequestRecorder, requestRecorder } from './record-requests.ts';
import { checkMethod, type Match, methodsOf, routeFinder, routeFor, serveRest } from './rest.ts';
import { docsServer, wantsHtml } from './serve-docs.ts';
import { serveGraphiql } from './serve-graphiql.ts';
import { railsServer } from './serve-rails.ts';
import { findValidCallers } from './valid-callers.ts';

/** What the application needs. */
export interface AppParts {
  readonly config: Pick<
    Config,
    | 'publicUrl'
    | 'limitOverflow'
    | 'strictQuery'
    | 'exactIntegers'
    | 'rateLimit'
    | 'authFailureLimit'
    | 'trustedProxies'
    | 'graphiql'
    | 'oidc'
    | 'graphqlDocuments'
    | 'graphqlOnlyDocuments'
    | 'retention'
    | 'answersBytesMax'
  >;
  readonly services: Services;
  readonly log: Logger;
}

/** A running application. */
export interface App {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers bytes that are not an HTTP request: for the server's event `clientError`. */
  readonly refuseMalformed: (failure: Error, socket: Duplex) => void;
  /** Starts the shutdown: `/readyz` answers 503, and connections are closed after their answer. */
  readonly drain: () => void;
  /** Writes what the request log still has to write; after the last answer. */
  readonly end: () => Promise<void>;
}

type RequestKind = 'read' | 'write';

interface Limited {
  readonly limit: RateLimit;
  readonly take: RateLimiter;
}

/** Undefined where nothing is limited. */
type Limiters = ((caller: KeyRecord) => Readonly<Record<RequestKind, Limited>>) | undefined;

const GRAPHQL_METHODS = ['GET', 'POST'];
const GRAPHQL_STREAM_METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** @returns the application, not listening yet. */
export function createApp({ config, services, log }: AppParts): App {
  const { database, registry } = services;
  const routes = restRoutes(registry, config);
  const findRoute = routeFinder(routes);
  const isTrusted = networksOf(config.trustedProxies);
  const sessions = consoleSessions(services);
  const { authenticate, authenticatePayer } = authenticators(services, sessions, config.authFailureLimit);
  const streams = new OpenStreams((callers) => findValidCallers(database, callers));
  const schema = buildSchema(registry);
  const answers = new ProvedAnswers(database, config.answersBytesMax);
  const graphqlApi = graphqlServer(schema, streams, log, documentResolver(config, schema), answers);
  const limiters = limitersOf(config);
  const cors = createCors(() => listedOrigins(database));
  const admit = admission(services, limiters, cors);
  const limitsOf = operationLimits(limiters);
  let isDraining = false;
  const rest = async (exchange: Exchange, match: Match) => {
    exchange.route = match.path;
    exchange.allowed = methodsOf(match);
    if (isPreflight(exchange)) return cors.preflight(exchange, false);
    const found = routeFor(match, exchange.request.method);
    const { context, headers } = await admit(exchange, authenticate, kindOf(found.route));
    const checkAgain = checkingAgain(() => authenticate(exchange));
    await serveRest(exchange, found, context, { headers, checkAgain, answers });
  };
  const graphql = async (exchange: Exchange) => {
    exchange.route = exchange.path;
    const isStream = exchange.path === GRAPHQL_STREAM_PATH;
    exchange.allowed = isStream ? GRAPHQL_STREAM_METHODS : GRAPHQL_METHODS;
    if (isPreflight(exchange)) return cors.preflight(exchange, true);
    checkMethod(exchange.request.method, exchange.allowed);
    if (!isStream && config.graphiql && wantsPage(exchange))
      return serveGraphiql(exchange, (await sessions.find(exchange)) !== undefined);
    const { context, headers } = await admit(exchange, authenticatePayer, 'read');
    const limits = limitsOf(exchange, context.caller, authenticatePayer);
    await graphqlApi[isStream ? 'serveStream' : 'serve'](exchange, context, headers, limits);
  };
  const serveConsole = consoleServer({
    ...{ sessions, admit, limitsOf, log },
    api: graphqlApi,
    publicUrl: config.publicUrl,
  });
  const admitReader = (exchange: Exchange) => admit(exchange, authenticatePayer, 'read');
  const serveExport = exportServer(registry, config, { admit: admitReader, streams, cors });
  const parts = { routes, schema, sessions, serveConsole };
  const serveOpen = servesOpen({ config, services, log }, parts, () => isDraining);
  const dispatch = async (exchange: Exchange): Promise<void> => {
    checkRequest(exchange.request);
    const match = findRoute(exchange.path);
    if (match) return rest(exchange, match);
    if (isGraphql(exchange)) return graphql(exchange);
    return serveExport(exchange) ?? serveOpen(exchange);
  };
  const recorder = config.retention.requests === 0 ? undefined : requestRecorder(database, log);
  const settle = settling(cors, config.publicUrl, log);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const exchange = exchangeOf(request, response, isTrusted);
    if (isDraining) response.setHeader('connection', 'close');
    if (recorder || log.isLevelEnabled('info')) tellWhenDone(log, recorder, exchange);
    settle(exchange, forItsAccount(exchange, dispatch));
  };
  const drain = () => {
    isDraining = true;
    streams.drain();
    services.events.end();
  };
  const end = async () => recorder?.end();
  return { handle, refuseMalformed: refuseMalformed(config.publicUrl), drain, end };
}

interface OpenNeeds {
  readonly routes: RouteTable;
  readonly schema: GraphQLSchema;
  readonly sessions: ConsoleSessions;
  readonly serveConsole: (exchange: Exchange) => Promise<void>;
}

/** @returns what answers the paths that need no key. */
function servesOpen(
  { config, services, log }: AppParts,
  { routes, schema, sessions, serveConsole }: OpenNeeds,
  isDraining: () => boolean,
): (exchange: Exchange) => Promise<void> {
  const { publicUrl } = config;
  const openApi = openApiDocument(services.registry, routes, publicUrl, config);
  const asyncApi = asyncApiDocument(services.registry, publicUrl);
  return openPaths({
    publicUrl,
    openApi: JSON.stringify(openApi),
    asyncApi: JSON.stringify(asyncApi),
    docs: docsServer({
      publicUrl,
      hasSandbox: services.forMode('sandbox').sandbox !== null,
      hasGraphiql: config.graphiql,
      schema,
      // Both documents were made here, in the form that the references read.
      openApi: openApi as unknown as OpenApi,
      asyncApi: asyncApi as unknown as AsyncApi,
    }),
    services,
    isDraining,
    serveConsole,
    serveRails: railsServer(services),
    servePay: payServer({ services, log, isLimited: config.rateLimit !== null }),
    peopleAt: peopleServer({
      services,
      sessions,
      log,
      isLimited: config.authFailureLimit !== null,
      oidc: config.oidc,
    }),
  });
}

/** @returns what answers a request that failed, whatever failed. */
function settling(cors: Cors, publicUrl: string, log: Logger) {
  return (exchange: Exchange, answered: Promise<void>): void => {
    answered
      .catch(async (error: unknown) => {
        await cors.allowRefusal(exchange, isGraphql(exchange)).catch(() => {});
        refuse(exchange, error, publicUrl, log);
      })
      // If the refusal cannot be written, the connection is closed; the process goes on.
      .catch(() => exchange.response.destroy());
  };
}

/** @returns what identifies the caller and takes the request from its bucket. @throws {GatewayError} `UNAUTHORIZED`, `RATE_LIMITED`. */
function admission(services: Services, limiters: Limiters, cors: Cors) {
  return async (
    exchange: Exchange,
    authenticate: Authenticate,
    kind: RequestKind,
  ): Promise<{ context: Context; headers: Record<string, string> }> => {
    const caller = await authenticate(exchange);
    exchange.accountId = caller.accountId;
    exchange.caller = caller;
    cors.allow(exchange, caller);
    const allowance = takeAllowance(limiters?.(caller)[kind], caller.id);
    const own = await services.forAccount(caller.accountId);
    return { context: { ...own, caller, origin: originOf(exchange) }, headers: allowance };
  };
}

function kindOf({ method }: Route): RequestKind {
  return method === 'GET' ? 'read' : 'write';
}

function isGraphql({ path }: Exchange): boolean {
  return path === GRAPHQL_PATH || path === GRAPHQL_STREAM_PATH;
}

/** Whether a browser asks, and not an operation. */
function wantsPage({ request, search }: Exchange): boolean {
  return request.method === 'GET' && !search.includes('query=') && wantsHtml({ request });
}

/** @returns a request with what is known of it before its route. */
export function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  isTrusted: AddressCheck,
): Exchange {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const given = request.headers['x-request-id'];
  // Media types are case-insensitive. In lower case, every later reader can compare them directly.
  const { accept } = request.headers;
  if (accept !== undefined) request.headers.accept = accept.toLowerCase();
  return {
    request,
    response,
    requestId: typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId(),
    path: mark < 0 ? target : target.slice(0, mark),
    search: mark < 0 ? '' : target.slice(mark + 1),
    address: clientAddress(request, isTrusted),
    route: 'unknown',
    accountId: undefined,
    caller: undefined,
    noted: {},
    allowed: READ_METHODS,
  };
}

/** An operation counts as a request for each of so many points; the first has been counted when the request came. */
const POINTS_PER_REQUEST = 100;
/** A document that is not known yet counts as one more for each of so many characters. */
const CHARACTERS_PER_REQUEST = 200;

/** @returns what GraphQL operations of a key count for, and how many are under way at once. */
function operationLimits(
  limiters: Limiters,
): (exchange: Exchange, caller: KeyRecord, authenticate?: Authenticate) => KeyLimits {
  const gate = new OperationGate();
  return (exchange, caller, authenticate) => {
    const { id } = caller;
    const limited = limiters?.(caller);
    const takeMore = (count: number) => {
      if (count > 0) takeAllowance(limited?.read, id, count, count + 1);
    };
    const checkAgain = checkingAgain(async () => authenticate?.(exchange));
    return {
      takeWrites: (writes) => void takeAllowance(limited?.write, id, writes),
      takeDocument: (length) => takeMore(Math.floor(length / CHARACTERS_PER_REQUEST)),
      enter: async (points) => {
        takeMore(Math.ceil(points / POINTS_PER_REQUEST) - 1);
        const leave = await gate.enter(id, points, exchange.response);
        // For a key that was revoked while the body came, or while others were first, nothing is done.
        await checkAgain().catch((refusal: unknown) => {
          leave();
          throw refusal;
        });
        return leave;
      },
      enterFrame: (points) => gate.enter(id, points),
      checkAgain,
    };
  };
}

/**
 * @param requests - how many are taken now.
 * @param counted - what the request counts for in all.
 * @returns headers that say what is left.
 * @throws {GatewayError} `RATE_LIMITED`.
 */
function takeAllowance(
  limited: Limited | undefined,
  keyId: string,
  requests = 1,
  counted = requests,
): Record<string, string> {
  if (!limited) return {};
  const { limit, take } = limited;
  const allowance = take(keyId, requests);
  if (!allowance.allowed) {
    const share = counted > 1 ? `; this one counts for ${counted}` : '';
    throw new GatewayError('RATE_LIMITED', `at most ${limit.perSecond} requests per second${share}`, {
      retryAfter: allowance.resetSeconds,
      headers: rateLimitHeaders(limit, allowance),
    });
  }
  return rateLimitHeaders(limit, allowance);
}

/** Reads and writes of a key are counted apart (C-53). Whoever has a payment link has its token, so that payers have the rate of a page. */
function limitersOf({ rateLimit }: AppParts['config']): Limiters {
  if (!rateLimit) return undefined;
  const limited = (limit: RateLimit): Limited => ({ limit, take: rateLimiter(limit) });
  const ofKeys = { read: limited(rateLimit.reads), write: limited(rateLimit.writes) };
  const ofPayers = { read: limited(PAYER_READS), write: limited(PAYER_ACTS) };
  return ({ transactionId }) => (transactionId === undefined ? ofKeys : ofPayers);
}

function refuse(exchange: Exchange, error: unknown, publicUrl: string, log: Logger): void {
  const refusal = presentError(error, log, exchange.requestId);
  exchange.noted.errorCode = refusal.code;
  const { request, response } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const headers: Record<string, string> = { ...refusal.headers };
  if (refusal.code === 'UNAUTHORIZED') headers['www-authenticate'] = challenge(request);
  if (refusal.code === 'METHOD_NOT_ALLOWED') headers.allow = exchange.allowed.join(', ');
  // The rest of an unread body would be taken for the next request, so the connection is closed.
  if (refusal.code === 'PAYLOAD_TOO_LARGE') headers.connection = 'close';
  sendProblem(exchange, publicUrl, refusal, headers);
}

/** Status in the log when the client left before the answer began; there is no standard one. */
const CLIENT_LEFT = 499;

/** One line in the log of the process, and one in that of the account: no path with ids, no query, no body. */
function tellWhenDone(log: Logger, recorder: RequestRecorder | undefined, exchange: Exchange): void {
  const started = performance.now();
  exchange.response.on('close', () => {
    const { request, response, requestId, route, accountId } = exchange;
    const status = response.headersSent ? response.statusCode : CLIENT_LEFT;
    const ms = Math.round(performance.now() - started);
    recorder?.record(exchange, status, ms);
    log.info({
      requestId,
      method: request.method,
      route,
      status,
      ms,
      ...(accountId !== undefined && { accountId: String(accountId) }),
    });
  });
}
