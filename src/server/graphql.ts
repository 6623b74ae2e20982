/**
 * GraphQL over HTTP. Yoga implements the protocol. A repeated query bypasses it and is executed on the same schema, because
 * Yoga's request pipeline costs more than most reads (docs/decisions/0008, 0045).
 */
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { SharedCache } from '../base/concurrency/bounded-map.ts';
import { onePerTick } from '../base/concurrency/one-per-tick.ts';
import { type ErrorCode, GatewayError } from '../base/errors/errors.ts';
import { utf8Text } from '../base/text/utf8-text.ts';
import type { Context } from '../resolvers/services/context.ts';
import { createLoaders } from '../schema/loaders.ts';
import { type Answer, type ProvedAnswers, sendAnswer } from './answers/proved-answers.ts';
import type { ReadSource } from './answers/read-source.ts';
import { byGraphqlJs } from './graphql/by-graphql-js.ts';
import { DOCUMENT_BOUNDS } from './graphql/document-bounds.ts';
import { executeAt } from './graphql/execute-at.ts';
import {
  type KeyLimits,
  onlySubscriptions,
  type Prepare,
  type Prepared,
  type PrepareOnTick,
  type ServerContext,
} from './graphql/graphql-context.ts';
import { type ExecuteGraphql, executor } from './graphql/graphql-here.ts';
import { isPlainOperation, paramsOf, readParams, readText } from './graphql/graphql-params.ts';
import { knownOperations, type OperationParams } from './graphql/known-operations.ts';
import { noteOperation, noteResult, noteText } from './graphql/note-operation.ts';
import { type Cost, type CostOf, NO_COST, operationCosts, writesOf } from './graphql/operation-cost.ts';
import { PersistedQueryNotSupported, type ResolveDocument } from './graphql/persisted-documents.ts';
import { type FoundOperation, provedOperations } from './graphql/proved-operations.ts';
import { SUBSCRIPTION_CONDITIONS } from './graphql/subscription-conditions.ts';
import { readVersionSeen, versionExtension } from './graphql/version-extension.ts';
import { accepts, type Exchange, GRAPHQL_PATH, JSON_TYPE, send } from './http/http.ts';
import { presentGraphqlError } from './http/present-error.ts';
import { refuseWritingOperation } from './http/reads-only.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import { singleStreamServer } from './streams/single-stream.ts';
import { subscriptionServer } from './streams/subscriptions.ts';

/** Answers GraphQL requests of an authenticated caller. */
export type ServeGraphql = (
  exchange: Exchange,
  context: Context,
  headers: Record<string, string>,
  limits: KeyLimits,
) => Promise<void>;

/** The GraphQL side of the server. */
export interface GraphqlServer {
  readonly serve: ServeGraphql;
  /** Serves the single connection mode. */
  readonly serveStream: ServeGraphql;
  /** Executes an operation in this process, with the rights and limits of the caller, as if it had come over HTTP. */
  readonly execute: ExecuteGraphql;
}

/** A request to answer. */
interface Work {
  readonly exchange: Exchange;
  readonly context: ServerContext;
  readonly params: unknown;
  readonly headers: Record<string, string>;
  readonly found: FoundOperation;
  readonly points: number;
}

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** Options of answering operations. */
export interface GraphqlOptions {
  readonly resolveDocument?: ResolveDocument;
  readonly answers?: ProvedAnswers;
  /** Default: the primary. */
  readonly source?: ReadSource;
  /** Whether repeated queries are compiled, default yes. */
  readonly isCompiled?: boolean;
}

/** @returns the GraphQL side of the server, on this schema. */
export function graphqlServer(
  schema: GraphQLSchema,
  streams: OpenStreams,
  log: Logger,
  { resolveDocument = (params) => params, answers, source, isCompiled = true }: GraphqlOptions = {},
): GraphqlServer {
  const yoga = yogaOn(schema, log);
  const { prepare, prepareOnTick } = preparer(yoga, schema);
  const costOf = operationCosts(schema, prepare);
  const measure = measuring(prepareOnTick, costOf);
  const known = isCompiled ? knownOperations(schema, prepare) : () => undefined;
  const subscribe = subscriptionServer(schema, streams, log);
  const find = provedOperations(schema, prepare, answers);
  const perform = async ({ exchange, context, params, headers, found, points }: Work): Promise<void> => {
    if (exchange.request.headers.accept?.includes('text/event-stream') && isPlainOperation(params)) {
      const { document } = prepare(params.query, context);
      if (document && getOperationAST(document, params.operationName)?.operation === 'subscription')
        return subscribe(exchange, context, params, { document, points }, headers);
    }
    if (context.caller.isForStreams) throw onlySubscriptions();
    const operation = isPlainOperation(params) ? known(params, context) : undefined;
    const mediaType = answerMediaType(exchange);
    if (operation && mediaType) {
      const prove = found.proving({ exchange, context, params: params as OperationParams, points });
      const execute = (own: ServerContext) =>
        operation.execute(own, (params as OperationParams).variables ?? {});
      const requested = prove && { exchange, accountId: context.caller.accountId, version: found.version };
      const { result, version } = await executeAt(source, context, requested, execute);
      const { data, errors: failures } = result;
      // A result without data, or with an error that has no path, was refused before execution. Yoga then answers as
      // the protocol requires.
      if (data !== undefined && !failures?.some(({ path }) => path === undefined)) {
        const errors = failures?.map((error) => presentGraphqlError(error, log, exchange.requestId));
        noteText(exchange, operation, { data, errors });
        await context.limits.checkAgain();
        const input = { ...headers, ...source?.headers(version) };
        const extensions = context.asksVersion ? versionExtension(input) : undefined;
        return answer(exchange, mediaType, { data, errors, extensions, shown: version }, input, prove);
      }
    }
    await performByYoga(yoga, { exchange, context, params, headers }, source);
  };
  const serve: ServeGraphql = async (exchange, caller, headers, limits) => {
    const text = await textOf(exchange);
    const found = await find(exchange, caller, text, answerMediaType(exchange));
    if (found.answer && (source?.mayRepeat(exchange, found.version) ?? true))
      return answerAgain(exchange, found.answer, { ...headers, ...source?.headers(found.version) }, limits);
    const context = serverContextOf(exchange, caller, limits);
    const params = readParams(exchange, text, resolveDocument);
    context.asksVersion = await readVersionSeen(exchange, params, source, limits.check);
    if (params instanceof PersistedQueryNotSupported) return answerNotSupported(exchange, params, headers);
    const { points, isWithin } = await measure(exchange, context, params);
    context.isMeasured = isWithin;
    refuseWrites(prepare, context, params);
    const leave = await limits.enter(points);
    try {
      await perform({ exchange, context, params, headers, found, points });
    } finally {
      leave();
    }
  };
  const single = singleStreamServer({ schema, prepareOnTick, costOf, streams, log });
  const serveStream: ServeGraphql = async (exchange, context, headers, limits) => {
    const hasBody = exchange.request.method === 'POST';
    const body = hasBody ? paramsOf(await readText(exchange), resolveDocument) : null;
    await single(exchange, serverContextOf(exchange, context, limits), headers, body);
  };
  const executeHere = executor({ schema, prepare, costOf, known, contextOf: serverContextOf, log });
  return { serve, serveStream, execute: executeHere };
}

/** Lets Yoga answer an operation. */
async function performByYoga(
  yoga: Yoga,
  { exchange, context, params, headers }: Omit<Work, 'found' | 'points'>,
  source: ReadSource | undefined,
): Promise<void> {
  const { request, response } = exchange;
  // Yoga reads an already parsed body from this property.
  if (request.method === 'POST') Object.assign(request, { body: params });
  const setHeaders = (own: Record<string, string>) => {
    for (const [name, value] of Object.entries(own)) response.setHeader(name, value);
  };
  setHeaders({ ...headers, 'x-request-id': exchange.requestId, 'cache-control': 'no-store' });
  if (source)
    context.executed = async () => {
      const own = source.headers(await source.presentVersion(context.caller.accountId));
      setHeaders(own);
      return context.asksVersion ? versionExtension(own) : undefined;
    };
  await yoga(request, response, context);
}

/** @throws {GatewayError} `MISDIRECTED` for operations that a gateway for reads does not execute. */
function refuseWrites(prepare: Prepare, context: ServerContext, params: unknown): void {
  if (!context.readsOnly || !isPlainOperation(params)) return;
  const { document } = prepare(params.query, context);
  refuseWritingOperation((document && getOperationAST(document, params.operationName))?.operation);
}

/** Answers with a GraphQL result instead of a problem, because clients read nothing else before they send the text. */
function answerNotSupported(
  exchange: Exchange,
  { message }: PersistedQueryNotSupported,
  headers: Record<string, string>,
): void {
  const mediaType = answerMediaType(exchange) ?? JSON_TYPE;
  const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId: exchange.requestId };
  const body = JSON.stringify({ errors: [{ message, extensions }] });
  send(exchange, mediaType.startsWith(GRAPHQL_RESPONSE) ? 400 : 200, mediaType, body, headers);
}

/** @returns the text that has the parameters of a request. */
async function textOf(exchange: Exchange): Promise<string> {
  if (exchange.request.method === 'POST') return readText(exchange);
  // A cache stores one answer for each media type.
  exchange.response.appendHeader('vary', 'accept');
  return exchange.search;
}

/** @returns a function that computes the cost of a request; for a new document, after a turn of the event loop. */
function measuring(prepareOnTick: PrepareOnTick, costOf: CostOf) {
  return async (exchange: Exchange, context: ServerContext, params: unknown): Promise<Cost> => {
    if (!isPlainOperation(params)) return NO_COST;
    noteOperation(exchange, params);
    await prepareOnTick(params.query, context);
    return costOf(params, context);
  };
}

/** @returns Yoga with our limits in place of its own, and without the features that we do not use. */
function yogaOn(schema: GraphQLSchema, log: Logger): Yoga {
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    // The body is read and limited before Yoga, whose own limit costs as much as a read.
    maxRequestBodySize: false,
    maskedErrors: false,
    plugins: [...limits(), byGraphqlJs(schema), WRITE_ALLOWANCE, NO_STREAMS, errorPresentation(log)],
  });
}

function serverContextOf(exchange: Exchange, context: Context, limits: KeyLimits): ServerContext {
  const loaders = createLoaders(context.database, context.caller.accountId);
  const { requestId, noted } = exchange;
  const noteRefusal = (code: ErrorCode) => {
    noted.errorCode ??= code;
  };
  return { ...context, requestId, noted, limits, loaders, noteRefusal, isMeasured: false };
}

/** Writes a cached answer, counted against the limits of the key and recorded in the request log. */
async function answerAgain(
  exchange: Exchange,
  answer: Answer,
  headers: Record<string, string>,
  limits: KeyLimits,
): Promise<void> {
  Object.assign(exchange.noted, answer.noted);
  const leave = await limits.enter(answer.points);
  try {
    sendAnswer(exchange, answer, headers);
  } finally {
    leave();
  }
}

/** Parts of a result to send. */
interface Shown {
  /** JSON text, each character a byte of UTF-8. */
  readonly data: string;
  readonly errors: readonly GraphQLError[] | undefined;
  readonly extensions: object | undefined;
  /** See `Found.keep`. */
  readonly shown: bigint | undefined;
}

function answer(
  exchange: Exchange,
  mediaType: string,
  { data, errors, extensions, shown }: Shown,
  headers: Record<string, string>,
  prove: ReturnType<FoundOperation['proving']>,
): void {
  const before = errors ? `"errors":${utf8Text(JSON.stringify(errors))},` : '';
  const after = extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
  const body = `{${before}"data":${data}${after}}`;
  const proved = errors || extensions ? undefined : prove?.(mediaType, body, shown);
  if (proved) sendAnswer(exchange, proved, headers);
  else send(exchange, 200, mediaType, body, headers, 'latin1');
}

function answerMediaType({ request }: Exchange): string | undefined {
  const accept = request.headers.accept;
  if (accept?.includes(GRAPHQL_RESPONSE) && !accept.includes('text/event-stream'))
    return `${GRAPHQL_RESPONSE}; charset=utf-8`;
  if (accept?.includes('text/event-stream') || accept?.includes('multipart/')) return undefined;
  return accepts(request, 'application', 'json') ? 'application/json; charset=utf-8' : undefined;
}

type Yoga = ReturnType<typeof createYoga<ServerContext>>;

/** Parses and validates as Yoga does, within the limits. Recent valid documents of accounts are cached. */
function preparer(
  yoga: Yoga,
  schema: GraphQLSchema,
): { readonly prepare: Prepare; readonly prepareOnTick: PrepareOnTick } {
  const fit = new SharedCache<bigint, string, Prepared>(FIT_MAX);
  const ofRequest = new WeakMap<ServerContext, { readonly query: string; readonly prepared: Prepared }>();
  const prepareNew = (query: string, context: ServerContext): Prepared => {
    context.limits.consumeDocument(query.length);
    const { parse, validate } = yoga.getEnveloped(context as never);
    try {
      const document = parse(query) as DocumentNode;
      const errors = validate(schema, document) as readonly GraphQLError[];
      return errors.length > 0 ? { errors } : { document };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  };
  const prepare: Prepare = (query, context) => {
    const known = fit.get(query);
    if (known) return known;
    const before = ofRequest.get(context);
    if (before?.query === query) return before.prepared;
    const prepared = prepareNew(query, context);
    const isCached = prepared.document && query.length <= FIT_LENGTH_MAX;
    if (isCached) fit.add(context.caller.accountId, query, prepared);
    else ofRequest.set(context, { query, prepared });
    return prepared;
  };
  // Key: the account and not the API key, because an account can have hundreds of keys, and any number of payers.
  const tick = onePerTick<bigint>();
  const prepareOnTick: PrepareOnTick = async (query, context) => {
    if (!fit.get(query)) await tick(context.caller.accountId);
    return prepare(query, context);
  };
  return { prepare, prepareOnTick };
}

const FIT_MAX = 100;
const FIT_LENGTH_MAX = 20_000;

/** Limits on documents, checked with their validation. Cost, depth and breadth of an operation are limited by operation-cost.ts. */
function limits(): Plugin[] {
  // The status is always 400, although other invalid documents are answered with 200. These are no syntax errors, so
  // the prefix is removed.
  const onReject = [
    (_context: unknown, error: GraphQLError) => {
      error.message = error.message.replace(/^Syntax Error: /, '');
      Object.assign(error.extensions, BAD_REQUEST_STATUS);
    },
  ];
  return [
    DOCUMENT_BOUNDS,
    SUBSCRIPTION_CONDITIONS,
    maxAliasesPlugin({ n: 30, onReject }),
    maxDirectivesPlugin({ n: 20, onReject }),
  ];
}

/** Yoga serves no subscriptions: streams have limits of their own and are served separately. */
const NO_STREAMS: Plugin = {
  onSubscribe({ setResultAndStopExecution }) {
    setResultAndStopExecution({
      errors: [new GraphQLError('subscriptions require the header Accept: text/event-stream')],
    });
  },
};

const BAD_REQUEST_STATUS = { http: { status: 400 } };

/** Each field of a mutation counts as a write in the rate limit of the key. */
const WRITE_ALLOWANCE: Plugin<ServerContext, ServerContext> = {
  onExecute({ args: { document, operationName, contextValue }, setResultAndStopExecution }) {
    const writes = writesOf(document, operationName);
    if (writes === 0) return;
    try {
      contextValue.limits.consumeWrites(writes);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { message, headers, retryAfter } = error;
      const http = { status: 429, headers: { ...headers, 'retry-after': String(retryAfter) } };
      const refusal = new GraphQLError(message, { originalError: error, extensions: { http } });
      setResultAndStopExecution({ errors: [refusal] });
    }
  },
};

function errorPresentation(log: Logger): Plugin<object, ServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result)) return;
      if (!('errors' in result) || !result.errors)
        return noteResult(serverContext, result as ExecutionResult);
      const errors = result.errors.map((error) =>
        presentGraphqlError(error as GraphQLError, log, serverContext.requestId),
      );
      noteResult(serverContext, { ...(result as ExecutionResult), errors });
      setResult({ ...result, errors });
    },
  };
}
