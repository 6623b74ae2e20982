/** The HTTP application: the handler of each path, the order of the checks, and shutdown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { newRequestId } from '../base/ids/request-id.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { PAY_PATH } from '../base/pages/pay-links.ts';
import { type RequestSpan, startRequestSpan } from '../base/trace/spans.ts';
import type { Config } from '../config.ts';
import type { AsyncApi } from '../docs/events-reference.ts';
import type { OpenApi } from '../docs/rest-reference.ts';
import type { Services } from '../resolvers/services/context.ts';
import { asyncApiDocument } from '../rest-compat/asyncapi.ts';
import { openApiDocument } from '../rest-compat/openapi.ts';
import { openApiParts } from '../rest-compat/openapi-part.ts';
import type { RouteTable } from '../rest-compat/route.ts';
import { restRoutes } from '../rest-compat/routes.ts';
import { merchantContract } from '../schema/contracts.ts';
import { buildSchema, schemaText } from '../schema/index.ts';
import { listedOrigins } from '../store/account/accounts.ts';
import type { ReadReplicas } from '../store/account/read-replicas.ts';
import { admission, kindOf } from './admission.ts';
import { ProvedAnswers } from './answers/proved-answers.ts';
import { type ReadCounts, type ReadSource, readSource } from './answers/read-source.ts';
import { consoleServer } from './console.ts';
import { exportServer } from './export.ts';
import { operationLimits } from './graphql/operation-limits.ts';
import { documentResolver } from './graphql/persisted-documents.ts';
import { type GraphqlOptions, graphqlServer } from './graphql.ts';
import { limitersOf, type RequestKind } from './http/allowances.ts';
import { checkMethod, checkRequest } from './http/check-request.ts';
import { type AddressCheck, clientAddress, networksOf } from './http/client-address.ts';
import { type Cors, createCors, isPreflight } from './http/cors.ts';
import { forItsAccount } from './http/for-its-account.ts';
import {
  CLIENT_LEFT,
  type Exchange,
  GRAPHQL_PATH,
  GRAPHQL_STREAM_PATH,
  READ_METHODS,
  refuseMalformed,
  sendProblem,
} from './http/http.ts';
import { presentError } from './http/present-error.ts';
import { refuseWritingPath, refuseWritingRoute } from './http/reads-only.ts';
import { type RequestRecorder, requestRecorder } from './http/record-requests.ts';
import { findValidCallers } from './http/valid-callers.ts';
import { MCP_PATH, mcpServing } from './mcp.ts';
import type { NoteRequest } from './metrics/request-figures.ts';
import { madeOnce, openPaths } from './open-paths.ts';
import { onOwnHost } from './own-host.ts';
import { payServer } from './pay.ts';
import { Shutdown } from './process/shutdown.ts';
import { type Match, methodsOf, routeFinder, routeFor, serveRest } from './rest.ts';
import { docsServer, wantsHtml } from './serve-docs.ts';
import { serveGraphiql } from './serve-graphiql.ts';
import { RAILS_PATH, railsServer } from './serve-rails.ts';
import { type Authenticate, authenticators, challenge, checkingAgain } from './sign-in/authenticate.ts';
import { type ConsoleSessions, consoleSessions } from './sign-in/console-session.ts';
import { peopleServer } from './sign-in/people.ts';
import { OpenStreams } from './streams/open-streams.ts';

/** Parts that the application needs. */
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
    | 'graphqlCompiled'
    | 'graphqlDocuments'
    | 'graphqlOnlyDocuments'
    | 'retention'
    | 'answersBytesMax'
  >;
  /** Standbys that answer reads; undefined for none. */
  readonly replicas?: ReadReplicas | undefined;
  readonly services: Services;
  readonly log: Logger;
  /** Counts requests for metrics; undefined without metrics. */
  readonly noteRequest?: NoteRequest | undefined;
}

/** A running application. */
export interface App {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers bytes that are not an HTTP request: for the server's event `clientError`. */
  readonly refuseMalformed: (failure: Error, socket: Duplex) => void;
  /** After this call `/readyz` answers 503; all other paths are answered as before. */
  readonly retire: () => void;
  /** Starts the shutdown: streams end, and connections are closed after their answer. */
  readonly drain: () => void;
  readonly streams: Pick<OpenStreams, 'size'>;
  /** Reads since the start, by the server that answered. */
  readonly reads: ReadCounts;
  /** Writes the remaining entries of the request log; called after the last answer. */
  readonly end: () => Promise<void>;
}

const UNTRACED: RequestSpan['run'] = (work) => work();
/** Methods that a span names; clients can send any other method. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const GRAPHQL_METHODS = ['GET', 'POST'];
const GRAPHQL_STREAM_METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
/** Paths that a gateway for reads does not serve. */
const WRITING_PATHS = [CONSOLE_PATH, PAY_PATH, RAILS_PATH, MCP_PATH, GRAPHQL_STREAM_PATH];
const REQUEST_ID = /^[\w.-]{1,128}$/;

function graphqlOptions(config: AppParts['config'], schema: GraphQLSchema): GraphqlOptions {
  return { resolveDocument: documentResolver(config, schema), isCompiled: config.graphqlCompiled };
}

/** @returns the application, not listening yet. */
export function createApp({ config, services, log, noteRequest, replicas }: AppParts): App {
  const { database, registry, readsOnly } = services;
  const source = readSource(services, replicas);
  const routes = restRoutes(registry, config);
  const findRoute = routeFinder(routes);
  const isTrusted = networksOf(config.trustedProxies);
  const sessions = consoleSessions(services);
  const { authenticate, authenticatePayer } = authenticators(services, sessions, config.authFailureLimit);
  const streams = new OpenStreams((callers) => findValidCallers(database, callers));
  const schema = buildSchema(registry);
  const answers = new ProvedAnswers(database, config.answersBytesMax);
  const options = { ...graphqlOptions(config, schema), answers, source };
  const graphqlApi = graphqlServer(schema, streams, log, options);
  const limiters = limitersOf(config.rateLimit);
  const cors = createCors(() => listedOrigins(database));
  const admit = admission(services, limiters, { cors, source });
  const limitsOf = operationLimits(limiters);
  const shutdown = new Shutdown();
  const rest = servesRest({ services, admit, authenticate, cors, answers, source });
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
  const here = { limitsOf, api: graphqlApi, publicUrl: config.publicUrl };
  const serveConsole = consoleServer({ ...here, sessions, admit, log });
  const admitTool = (exchange: Exchange) => admit(exchange, authenticate, 'read');
  const serveMcp = mcpServing({ ...here, authenticate, admit: admitTool });
  const admitExport = (exchange: Exchange, kind: RequestKind) =>
    admit(exchange, kind === 'read' ? authenticatePayer : authenticate, kind);
  const serveExport = exportServer(registry, config, { admit: admitExport, streams, cors });
  const parts = { routes, schema, sessions, serveConsole };
  const serveOpen = servesOpen({ config, services, log }, parts, () => shutdown.isRetired);
  const dispatch = onOwnHost(config.publicUrl, async (exchange) => {
    checkRequest(exchange.request);
    if (readsOnly) refuseWritingPath(exchange.path, WRITING_PATHS);
    const match = findRoute(exchange.path);
    if (match) return rest(exchange, match);
    if (isGraphql(exchange)) return graphql(exchange);
    if (exchange.path === MCP_PATH) return serveMcp(exchange);
    return serveExport(exchange) ?? serveOpen(exchange);
  });
  const recorder = config.retention.requests === 0 || readsOnly ? undefined : requestRecorder(database, log);
  const settle = settling(cors, config.publicUrl, log);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const exchange = exchangeOf(request, response, isTrusted);
    if (shutdown.isDraining) response.setHeader('connection', 'close');
    const traced = logWhenDone({ log, recorder, noteRequest }, exchange);
    traced(() => settle(exchange, forItsAccount(exchange, dispatch)));
  };
  const drain = () => {
    shutdown.drain();
    streams.drain();
    services.events.end();
  };
  const end = async () => recorder?.end();
  const retire = () => shutdown.retire();
  const { counts: reads } = source;
  return { handle, refuseMalformed: refuseMalformed(config.publicUrl), retire, drain, end, streams, reads };
}

interface RestNeeds {
  readonly services: Services;
  readonly admit: ReturnType<typeof admission>;
  readonly authenticate: Authenticate;
  readonly cors: Cors;
  readonly answers: ProvedAnswers;
  readonly source: ReadSource;
}

/** @returns the handler of the paths of the route table. */
function servesRest({ services, admit, authenticate, cors, ...parts }: RestNeeds) {
  return async (exchange: Exchange, match: Match): Promise<void> => {
    exchange.route = match.path;
    exchange.allowed = methodsOf(match);
    if (isPreflight(exchange)) return cors.preflight(exchange, false);
    const found = routeFor(match, exchange.request.method);
    if (services.readsOnly) refuseWritingRoute(found.route);
    const { context, headers } = await admit(exchange, authenticate, kindOf(found.route));
    const checkAgain = checkingAgain(() => authenticate(exchange));
    await serveRest(exchange, found, context, { ...parts, headers, checkAgain });
  };
}

interface OpenNeeds {
  readonly routes: RouteTable;
  readonly schema: GraphQLSchema;
  readonly sessions: ConsoleSessions;
  readonly serveConsole: (exchange: Exchange) => Promise<void>;
}

/** @returns the handler of the paths that need no key. */
function servesOpen(
  { config, services, log }: AppParts,
  { routes, schema, sessions, serveConsole }: OpenNeeds,
  isDraining: () => boolean,
): (exchange: Exchange) => Promise<void> {
  const { publicUrl } = config;
  const openApi = madeOnce(() => openApiDocument(services.registry, routes, publicUrl, config));
  const asyncApi = madeOnce(() => asyncApiDocument(services.registry, publicUrl, config));
  return openPaths({
    publicUrl,
    openApi: () => JSON.stringify(openApi()),
    openApiParts: openApiParts(openApi),
    schemas: {
      '/graphql/schema.graphql': () => schemaText(merchantContract(schema)),
      '/graphql/schema.operator.graphql': () => schemaText(schema),
    },
    asyncApi: () => JSON.stringify(asyncApi()),
    docs: docsServer({
      publicUrl,
      hasSandbox: services.forMode('sandbox').sandbox !== null,
      hasGraphiql: config.graphiql,
      schema,
      // The gateway made both documents itself, in the form that the references read.
      openApi: () => openApi() as unknown as OpenApi,
      asyncApi: () => asyncApi() as unknown as AsyncApi,
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

/** @returns the handler of failed requests of all kinds. */
function settling(cors: Cors, publicUrl: string, log: Logger) {
  return (exchange: Exchange, answered: Promise<void>): void => {
    answered
      .catch(async (error: unknown) => {
        await cors.allowRefusal(exchange, isGraphql(exchange)).catch(() => {});
        refuse(exchange, error, publicUrl, log);
      })
      // If the refusal cannot be written, the connection is closed; the process continues.
      .catch(() => exchange.response.destroy());
  };
}

function isGraphql({ path }: Exchange): boolean {
  return path === GRAPHQL_PATH || path === GRAPHQL_STREAM_PATH;
}

/** Whether a browser sent the request, without an operation. */
function wantsPage({ request, search }: Exchange): boolean {
  return request.method === 'GET' && !search.includes('query=') && wantsHtml({ request });
}

/** @returns a request with the facts that are known before its route is found. */
export function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  isTrusted: AddressCheck,
): Exchange {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const requestId = request.headers['x-request-id'];
  // Media types are case-insensitive. In lower case, every later reader can compare them directly.
  const { accept } = request.headers;
  if (accept !== undefined) request.headers.accept = accept.toLowerCase();
  return {
    request,
    response,
    requestId: typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : newRequestId(),
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
  // The rest of an unread body would be parsed as the next request, so the connection is closed.
  if (refusal.code === 'PAYLOAD_TOO_LARGE') headers.connection = 'close';
  sendProblem(exchange, publicUrl, refusal, headers);
}

/** Listeners to requests. */
interface Listeners extends Pick<AppParts, 'log' | 'noteRequest'> {
  readonly recorder: RequestRecorder | undefined;
}

/**
 * Begins the span of a request. At the end of the response the span ends, and the log of the process and the log of the
 * account get a line each, without ids in the path, query and body.
 * @returns a function that runs work below the span.
 */
function logWhenDone({ log, recorder, noteRequest }: Listeners, exchange: Exchange): RequestSpan['run'] {
  const span = startRequestSpan(exchange.request.headers);
  if (!recorder && !noteRequest && !span && !log.isLevelEnabled('info')) return UNTRACED;
  const started = performance.now();
  exchange.response.on('close', () => {
    const { request, response, requestId, route, accountId, noted } = exchange;
    const status = response.headersSent ? response.statusCode : CLIENT_LEFT;
    const durationMs = performance.now() - started;
    const ms = Math.round(durationMs);
    noteRequest?.(exchange, status, durationMs / 1_000);
    recorder?.record(exchange, status, ms);
    span?.end(...spanFacts(exchange, status));
    log.info({
      requestId,
      method: request.method,
      route,
      status,
      ms,
      ...(accountId !== undefined && { accountId: String(accountId) }),
      ...(noted.end2end !== undefined && { transaction: noted.end2end }),
      ...(span?.traceId !== undefined && { trace: span.traceId }),
    });
  });
  return span?.run ?? UNTRACED;
}

/** @returns name, attributes and failure of the span of a request; a path with ids is never its name. */
function spanFacts(exchange: Exchange, status: number): Parameters<RequestSpan['end']> {
  const { request, route, accountId, noted } = exchange;
  const method = METHODS.includes(request.method ?? '') ? (request.method as string) : '_OTHER';
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(accountId !== undefined && { 'crossramp.account': String(accountId) }),
    ...(noted.end2end !== undefined && { 'crossramp.transaction': noted.end2end }),
    ...(noted.errorCode !== undefined && { 'error.type': noted.errorCode }),
  };
  return [`${method} ${route}`, attributes, status >= 500 && status !== CLIENT_LEFT];
}
