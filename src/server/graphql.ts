/**
 * GraphQL over HTTP. Yoga implements the protocol. A repeated query bypasses it and is executed on the same schema, because
 * Yoga's request pipeline costs more than most reads (docs/decisions/0008, 0045).
 */
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { oneEachTurn } from '../base/each-turn.ts';
import { GatewayError } from '../base/errors.ts';
import { checkSize } from '../base/input-bounds.ts';
import { keepNewest } from '../base/keep-newest.ts';
import { readBody } from '../base/read-body.ts';
import { utf8Text } from '../base/utf8-text.ts';
import type { Context } from '../resolvers/services/context.ts';
import { createLoaders } from '../schema/loaders.ts';
import { DOCUMENT_BOUNDS } from './document-bounds.ts';
import {
  type KeyLimits,
  onlySubscriptions,
  type Prepare,
  type Prepared,
  type PrepareInTurn,
  type ServerContext,
} from './graphql-context.ts';
import { type ExecuteGraphql, executor } from './graphql-here.ts';
import { accepts, type Exchange, GRAPHQL_PATH, mediaTypeOf, send } from './http.ts';
import { knownOperations, type OperationParams } from './known-operations.ts';
import { noteOperation, noteResult, noteText } from './note-operation.ts';
import type { OpenStreams } from './open-streams.ts';
import { type Cost, type CostOf, NO_COST, operationCosts, writesOf } from './operation-cost.ts';
import type { ResolveDocument } from './persisted-documents.ts';
import { presentGraphqlError } from './present-error.ts';
import { type Answer, type ProvedAnswers, sendAnswer } from './proved-answers.ts';
import { type Prove, provedOperations } from './proved-operations.ts';
import { singleStreamServer } from './single-stream.ts';
import { SUBSCRIPTION_CONDITIONS } from './subscription-conditions.ts';
import { subscriptionServer } from './subscriptions.ts';

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

/** A request that is to be answered. */
interface Work {
  readonly exchange: Exchange;
  readonly context: ServerContext;
  readonly params: unknown;
  readonly headers: Record<string, string>;
  readonly points: number;
  readonly prove: Prove;
}

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** @returns the GraphQL side of the server, on this schema. */
export function graphqlServer(
  schema: GraphQLSchema,
  streams: OpenStreams,
  log: Logger,
  resolveDocument: ResolveDocument = (params) => params,
  answers?: ProvedAnswers,
): GraphqlServer {
  const yoga = yogaOn(schema, log);
  const { prepare, prepareInTurn } = preparer(yoga, schema);
  const costOf = operationCosts(schema, prepare);
  const measure = measuring(prepareInTurn, costOf);
  const known = knownOperations(schema, prepare);
  const subscribe = subscriptionServer(schema, streams, log);
  const find = provedOperations(schema, prepare, answers);

  const perform = async ({ exchange, context, params, headers, points, prove }: Work): Promise<void> => {
    const { request, response } = exchange;
    if (request.headers.accept?.includes('text/event-stream') && isPlainOperation(params)) {
      const { document } = prepare(params.query, context);
      if (document && getOperationAST(document, params.operationName)?.operation === 'subscription')
        return subscribe(exchange, context, params, { document, points }, headers);
    }
    if (context.caller.isForStreams) throw onlySubscriptions();
    const operation = isPlainOperation(params) ? known(params, context) : undefined;
    const mediaType = answerMediaType(exchange);
    if (operation && mediaType) {
      const { variables } = params as OperationParams;
      const { data, errors: failures } = await operation.execute(context, variables ?? {});
      // Without data, or with an error of no place, it was refused before execution. Yoga then answers as the protocol requires.
      if (data !== undefined && !failures?.some(({ path }) => path === undefined)) {
        const errors = failures?.map((error) => presentGraphqlError(error, log, exchange.requestId));
        noteText(exchange, operation, { data, errors });
        await context.limits.checkAgain();
        return answer(exchange, mediaType, { data, errors }, headers, prove);
      }
    }
    // Yoga takes an already parsed body from here.
    if (request.method === 'POST') Object.assign(request, { body: params });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('x-request-id', exchange.requestId).setHeader('cache-control', 'no-store');
    await yoga(request, response, context);
  };
  const serve: ServeGraphql = async (exchange, caller, headers, limits) => {
    const isPost = exchange.request.method === 'POST';
    // A cache keeps an answer of each media type.
    if (!isPost) exchange.response.appendHeader('vary', 'accept');
    const text = isPost ? await readText(exchange) : exchange.search;
    const found = await find(exchange, caller, text, answerMediaType(exchange));
    if (found.answer) return answerAgain(exchange, found.answer, headers, limits);
    const context = serverContextOf(exchange, caller, limits);
    const params = isPost ? paramsOf(text, resolveDocument) : searchParams(exchange, resolveDocument);
    const { points, isWithin } = await measure(exchange, context, params);
    context.isMeasured = isWithin;
    const leave = await limits.enter(points);
    const prove = found.proving({ exchange, context, params: params as OperationParams, points });
    try {
      await perform({ exchange, context, params, headers, points, prove });
    } finally {
      leave();
    }
  };
  const single = singleStreamServer({ schema, prepareInTurn, costOf, streams, log });
  const serveStream: ServeGraphql = async (exchange, context, headers, limits) => {
    const isPost = exchange.request.method === 'POST';
    const body = isPost ? paramsOf(await readText(exchange), resolveDocument) : null;
    await single(exchange, serverContextOf(exchange, context, limits), headers, body);
  };
  const executeHere = executor({ schema, prepare, costOf, known, contextOf: serverContextOf, log });
  return { serve, serveStream, execute: executeHere };
}

/** @returns what says what a request costs; of a new document when it is its turn. */
function measuring(prepareInTurn: PrepareInTurn, costOf: CostOf) {
  return async (exchange: Exchange, context: ServerContext, params: unknown): Promise<Cost> => {
    if (!isPlainOperation(params)) return NO_COST;
    noteOperation(exchange, params);
    await prepareInTurn(params.query, context);
    return costOf(params, context);
  };
}

/** @returns Yoga with our limits in place of its own, and nothing of it that we do not use. */
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
    plugins: [...limits(), BY_GRAPHQL_JS, WRITE_ALLOWANCE, NO_STREAMS, errorPresentation(log)],
  });
}

function serverContextOf(exchange: Exchange, context: Context, limits: KeyLimits): ServerContext {
  const loaders = createLoaders(context.database, context.caller.accountId);
  const { requestId, noted } = exchange;
  return { ...context, requestId, noted, limits, loaders, isMeasured: false };
}

/** Writes an answer once more, with the limits of the key and the request log as ever. */
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

/** @param result - data as JSON text, each character a byte of UTF-8. */
function answer(
  exchange: Exchange,
  mediaType: string,
  { data, errors }: { readonly data: string; readonly errors: readonly GraphQLError[] | undefined },
  headers: Record<string, string>,
  prove: Prove,
): void {
  const before = errors ? `"errors":${utf8Text(JSON.stringify(errors))},` : '';
  const body = `{${before}"data":${data}}`;
  const proved = errors ? undefined : prove(mediaType, body);
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

/** Parses and validates as Yoga does, with the limits. Recent valid documents are cached, any other one for its request. */
function preparer(
  yoga: Yoga,
  schema: GraphQLSchema,
): { readonly prepare: Prepare; readonly prepareInTurn: PrepareInTurn } {
  const fit = new Map<string, Prepared>();
  const ofRequest = new WeakMap<ServerContext, { readonly query: string; readonly prepared: Prepared }>();
  const prepareNew = (query: string, context: ServerContext): Prepared => {
    context.limits.takeDocument(query.length);
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
    if (prepared.document && query.length <= FIT_LENGTH_MAX) keepNewest(fit, FIT_MAX, query, prepared);
    else ofRequest.set(context, { query, prepared });
    return prepared;
  };
  // By account and not by key: it can have hundreds of keys, and any number of payers.
  const turn = oneEachTurn<bigint>();
  const prepareInTurn: PrepareInTurn = async (query, context) => {
    if (!fit.has(query)) await turn(context.caller.accountId);
    return prepare(query, context);
  };
  return { prepare, prepareInTurn };
}

const FIT_MAX = 100;
const FIT_LENGTH_MAX = 20_000;

/** The operation of a GET, from its query parameters. Yoga reports what is wrong with them. */
function searchParams({ request, search }: Exchange, resolveDocument: ResolveDocument): unknown {
  const given = new URLSearchParams(search);
  const documentId = given.get('documentId');
  const { query } = resolveDocument({ query: given.get('query'), documentId }) as { query: string | null };
  if (documentId !== null) {
    given.delete('documentId');
    given.set('query', query ?? '');
    // Yoga reads the target itself.
    request.url = `${GRAPHQL_PATH}?${given}`;
  }
  const text = given.get('variables') ?? 'null';
  checkSize(text);
  let variables: unknown;
  try {
    variables = JSON.parse(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'variables: must be JSON');
  }
  // An empty name is none, as Yoga has it.
  return { query, operationName: given.get('operationName') || null, variables };
}

function isPlainOperation(params: unknown): params is OperationParams {
  if (!isMembers(params)) return false;
  const { query, operationName, variables, extensions } = params;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isMembers(variables)) &&
    (extensions == null || isMembers(extensions))
  );
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unknown members are ignored, as GraphQL over HTTP requires: clients send some of their own. */
function knownMembers(params: unknown): unknown {
  if (!isMembers(params)) return params;
  const { query, operationName, variables, extensions } = params;
  if (query === undefined)
    throw new GatewayError('BAD_REQUEST', 'query: the text of a GraphQL document is required');
  return { query, operationName, variables, extensions };
}

async function readText({ request }: Exchange): Promise<string> {
  if (mediaTypeOf(request) !== 'application/json') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
  }
  return (await readBody(request)).toString('utf8');
}

function paramsOf(text: string, resolveDocument: ResolveDocument): unknown {
  checkSize(text);
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not JSON');
  }
  return knownMembers(Array.isArray(params) ? params : resolveDocument(params));
}

/** Limits on documents, checked before execution. The schema builder adds limits on the cost of pages. */
function limits(): Plugin[] {
  // Always 400, also where other invalid documents are answered with 200. These are no syntax errors, so the prefix goes.
  const onReject = [
    (_context: unknown, error: GraphQLError) => {
      error.message = error.message.replace(/^Syntax Error: /, '');
      Object.assign(error.extensions, BAD_REQUEST_STATUS);
    },
  ];
  return [
    DOCUMENT_BOUNDS,
    SUBSCRIPTION_CONDITIONS,
    maxDepthPlugin({ n: 12, onReject }),
    maxAliasesPlugin({ n: 30, onReject }),
    maxDirectivesPlugin({ n: 20, onReject }),
  ];
}

/** Yoga serves no subscriptions: streams have limits of their own and are served beside it. */
const NO_STREAMS: Plugin = {
  onSubscribe({ setResultAndStopExecution }) {
    setResultAndStopExecution({
      errors: [new GraphQLError('subscriptions require the header Accept: text/event-stream')],
    });
  },
};

/** Yoga has an executor of its own, which differs in small things: an operation is answered alike when it comes again. */
const BY_GRAPHQL_JS: Plugin = {
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
};

const BAD_REQUEST_STATUS = { http: { status: 400 } };

/** Each field of a mutation counts as a write in the rate limit of the key. */
const WRITE_ALLOWANCE: Plugin<ServerContext, ServerContext> = {
  onExecute({ args: { document, operationName, contextValue }, setResultAndStopExecution }) {
    const writes = writesOf(document, operationName);
    if (writes === 0) return;
    try {
      contextValue.limits.takeWrites(writes);
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
