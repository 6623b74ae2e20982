/**
 * The single connection mode of GraphQL over server-sent events: a client reserves a stream, opens it, and receives the
 * results of all its operations on it. graphql-sse implements the protocol; this file limits the data that waits for a
 * slow client.
 */
import { randomUUID } from 'node:crypto';
import { type ExecutionResult, execute, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import { createHandler, type Request, type RequestParams, type Response } from 'graphql-sse';
import type { Logger } from 'pino';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import { RETRY_SECONDS } from '../../resolvers/services/stream-limit.ts';
import { onlySubscriptions, type PrepareOnTick, type ServerContext } from '../graphql/graphql-context.ts';
import type { OperationParams } from '../graphql/known-operations.ts';
import { type CostOf, writesOf } from '../graphql/operation-cost.ts';
import { type Exchange, send } from '../http/http.ts';
import { isFrames, type LiveOperation, liveResults, openFrames, presented } from './live-operation.ts';
import type { OpenStreams } from './open-streams.ts';
import { EventConnection, eventBytes } from './sse.ts';

/** Answers a request to the path of single connections. `body`: the JSON of a POST. */
export type ServeSingleStream = (
  exchange: Exchange,
  context: ServerContext,
  headers: Record<string, string>,
  body: unknown,
) => Promise<void>;

/** Parts of single connections. */
export interface SingleStreamParts {
  readonly schema: GraphQLSchema;
  readonly prepareOnTick: PrepareOnTick;
  readonly costOf: CostOf;
  readonly streams: OpenStreams;
  readonly log: Logger;
}

type Call = {
  readonly context: ServerContext;
  readonly stream: SingleStream;
  /** Removes the operation that the request names. @returns whether it is the newest of its id. */
  end?: () => boolean;
};

type SseRequest = Request<Exchange, Call>;
type Handle = (request: SseRequest) => Promise<Response>;

/** Maximum data that waits for a slow client; beyond that its stream is closed. Unit: bytes. */
const WAITING_MAX_BYTES = 1_048_576;
const OPERATIONS_MAX = 100;
/** An operation's id stays reserved while it runs. Unit: characters. */
const OPERATION_ID_MAX = 128;
/** A reservation expires if the stream is not opened in this time. Unit: ms. */
const OPEN_WITHIN_MS = 30_000;
/** Approximate size that the protocol adds to a result. Unit: bytes. */
const EVENT_OVERHEAD = 80;
const TOKEN_HEADER = 'x-graphql-event-stream-token';
const STREAM = 'text/event-stream';
/** A GET only opens the stream. Operations are sent by POST, which first looks up and checks the document. */
const OTHER_METHODS = ['POST', 'PUT', 'DELETE'];

/** A reserved stream. */
class SingleStream {
  readonly token = randomUUID();
  /** Operations by id; the newest with an id counts. */
  readonly newest = new Map<string, Call>();
  /** Bytes that the connection has not accepted yet. */
  waiting = 0;
  /** Running operations, each with the function that releases its slot. */
  readonly #operations = new Map<Call, () => void>();
  readonly #endings = new Set<() => unknown>();
  readonly #unopened = setTimeout(() => this.end(), OPEN_WITHIN_MS).unref();
  #isOpen = false;
  #isEnded = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Begins an operation.
   *
   * @throws {GatewayError} `RATE_LIMITED` when the stream, or all streams of the key together, have their maximum of
   * operations.
   */
  add(call: Call): void {
    if (this.#operations.size >= OPERATIONS_MAX) {
      noteLimit('account');
      throw new GatewayError('RATE_LIMITED', `a stream can have at most ${OPERATIONS_MAX} operations`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    const { streamLimit, caller } = call.context;
    const release = streamLimit.acquire(caller);
    const forget = this.onEnd(release);
    this.#operations.set(call, () => {
      forget();
      release();
    });
  }

  /** Ends an operation, if it has begun. */
  remove(call: Call): void {
    this.#operations.get(call)?.();
    this.#operations.delete(call);
  }

  /** Marks the stream as opened: after that it lasts as long as its connection. */
  open(): void {
    this.#isOpen = true;
    clearTimeout(this.#unopened);
  }

  /** Calls back when the stream ends, or immediately if it has ended. @returns a function that cancels this. */
  onEnd(ending: () => unknown): () => void {
    if (this.#isEnded) ending();
    else this.#endings.add(ending);
    return () => void this.#endings.delete(ending);
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#unopened);
    for (const ending of this.#endings) {
      this.#endings.delete(ending);
      ending();
    }
  }
}

/** @returns the server of single connections. */
export function singleStreamServer(parts: SingleStreamParts): ServeSingleStream {
  const reserved = new Map<string, SingleStream>();
  const begin = async (request: SseRequest, params: RequestParams) => {
    const { context: call } = request;
    const { newest } = call.stream;
    const operationId = String(params.extensions?.operationId ?? '');
    newest.set(operationId, call);
    let begun: Begun | undefined;
    call.end = () => {
      call.stream.remove(call);
      // graphql-sse never closes the results of an operation that ended before it had begun.
      if (begun && isResults(begun)) begun.return(undefined);
      if (newest.get(operationId) !== call) return false;
      return newest.delete(operationId);
    };
    let isBegun = false;
    try {
      begun = await perform(parts, call, params);
      // The operation ended before it had begun, and another one has its id.
      if (newest.get(operationId) !== call) return ENDED;
      isBegun = !Array.isArray(begun);
      return begun;
    } finally {
      // graphql-sse keeps the id of a refused operation reserved; here the id can be used again.
      if (!isBegun && call.end()) {
        const search = new URLSearchParams({ operationId });
        await handle({ ...request, method: 'DELETE', url: `?${search}` });
      }
    }
  };
  const handle = createHandler<Exchange, Call, Call>({
    authenticate: ({ context }) => context.stream.token,
    context: ({ context }) => context,
    onSubscribe: begin,
    onNext: ({ stream }, _request, result) => {
      stream.waiting += Buffer.byteLength(JSON.stringify(result)) + EVENT_OVERHEAD;
      if (stream.waiting <= WAITING_MAX_BYTES) return;
      stream.end();
      throw new Error('the client does not read');
    },
    onComplete: (call) => void call.end?.(),
  });
  return async (exchange, context, headers, body) => {
    const { request } = exchange;
    if (request.method === 'GET' && !opensStream(request)) throw notOpening(exchange);
    if (request.method === 'PUT') {
      const stream = reserve(reserved, exchange, context, handle);
      return answer(exchange, await handle(requestOf(exchange, { context, stream })), headers);
    }
    const stream = reserved.get(nameOf(context, tokenOf(exchange)));
    if (!stream) throw notFound();
    if (opensStream(request) && !stream.isOpen)
      return open(exchange, { context, stream }, handle, parts.streams, headers);
    if (request.method === 'POST') checkOperationId(body);
    const call: Call = { context, stream };
    const response = await handle(requestOf(exchange, call, body));
    // The operation ended before it had begun.
    if (response[1].status === 204) call.end?.();
    answer(exchange, response, headers);
  };
}

function notOpening(exchange: Exchange): GatewayError {
  exchange.allowed = OTHER_METHODS;
  return new GatewayError('METHOD_NOT_ALLOWED', `a GET opens the stream, with Accept: ${STREAM}`);
}

/** graphql-sse accepts any value that has a text form, and reports a missing one itself. */
function checkOperationId(body: unknown): void {
  const { operationId: id } = asMembers(asMembers(body).extensions);
  if (id === undefined || id === null || typeof id === 'number') return;
  if (typeof id === 'string' && id.length <= OPERATION_ID_MAX && id.isWellFormed()) return;
  const message = `must be well-formed text of at most ${OPERATION_ID_MAX} characters`;
  throw invalidParameters([{ parameter: 'extensions.operationId', message }]);
}

function asMembers(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function opensStream({ method, headers }: Exchange['request']): boolean {
  return method === 'GET' && headers.accept?.includes(STREAM) === true;
}

/** A stream of another key is treated as missing. */
function nameOf({ caller }: ServerContext, token: string): string {
  return `${caller.id} ${token}`;
}

function tokenOf({ request, search }: Exchange): string {
  const token = request.headers[TOKEN_HEADER];
  return typeof token === 'string' ? token : (new URLSearchParams(search).get('token') ?? '');
}

function reserve(
  reserved: Map<string, SingleStream>,
  exchange: Exchange,
  context: ServerContext,
  handle: Handle,
): SingleStream {
  const release = context.streamLimit.acquire(context.caller);
  const stream = new SingleStream();
  const name = nameOf(context, stream.token);
  stream.onEnd(release);
  stream.onEnd(() => reserved.delete(name));
  stream.onEnd(() => {
    if (stream.isOpen) return;
    // Earlier operations can only end after the stream is opened.
    const opening = handle({ ...requestOf(exchange, { context, stream }), method: 'GET', headers: OPENING });
    opening.then(([body]) => (typeof body === 'object' ? body?.return() : undefined)).catch(() => {});
  });
  reserved.set(name, stream);
  return stream;
}

/** Headers in the exact case that graphql-sse compares. Media types of the request were checked before. */
const headersOf = (accept: string) => ({
  get: (name: string) => ({ accept, 'content-type': 'application/json' })[name.toLowerCase()] ?? null,
});
const OPENING = headersOf(STREAM);
const PLAIN = headersOf('*/*');

async function open(
  exchange: Exchange,
  { context, stream }: Call,
  handle: Handle,
  streams: OpenStreams,
  headers: Record<string, string>,
): Promise<void> {
  // A response closes once, and it may have done so while the key was looked up. The stream stays reserved.
  if (exchange.response.destroyed) return;
  let connection: EventConnection | undefined;
  const remove = streams.add({
    caller: context.caller,
    isStalled: () => connection?.isStalled === true,
    // graphql-sse sends pings of its own.
    ping: () => {},
    end: () => stream.end(),
  });
  stream.onEnd(remove);
  stream.open();
  try {
    const [body] = await handle({ ...requestOf(exchange, { context, stream }), headers: OPENING });
    if (typeof body !== 'object' || body === null) throw notFound();
    stream.onEnd(() => body.return().catch(() => {}));
    connection = new EventConnection(exchange, headers);
    stream.onEnd(() => connection?.destroy());
    connection.onClose(() => stream.end());
    await passOn(body, connection, stream);
  } catch (error) {
    stream.end();
    throw error;
  }
}

async function passOn(
  events: AsyncIterable<string>,
  connection: EventConnection,
  stream: SingleStream,
): Promise<void> {
  for await (const text of events) {
    const bytes = eventBytes(text);
    if (!connection.send(bytes)) await connection.drained();
    stream.waiting = Math.max(0, stream.waiting - bytes.body.length);
  }
  connection.end();
}

const ENDED: Response = [null, { status: 204, statusText: 'No Content' }];

/** A refusal, the results of a subscription, or the only result. */
type Begun = Response | AsyncGenerator<ExecutionResult> | ExecutionResult;

function isResults(begun: Begun): begun is AsyncGenerator<ExecutionResult> {
  return Symbol.asyncIterator in begun;
}

/** Starts an operation of a stream; graphql-sse sends its results. */
async function perform(
  { schema, prepareOnTick, costOf, log }: SingleStreamParts,
  call: Call,
  params: RequestParams,
): Promise<Begun> {
  const { context, stream } = call;
  const { query, operationName = null, variables = {} }: OperationParams = params as OperationParams;
  const { document, errors } = await prepareOnTick(query, context);
  if (errors) return refuseDocument(errors, context, log);
  const kind = getOperationAST(document, operationName)?.operation;
  if (!kind) return refuseDocument([new GraphQLError(UNKNOWN_OPERATION)], context, log);
  if (context.caller.isForStreams && kind !== 'subscription') throw onlySubscriptions();
  const { points } = costOf({ query, operationName, variables }, context);
  const leave = await context.limits.enter(points);
  try {
    stream.add(call);
    if (kind === 'mutation') context.limits.consumeWrites(writesOf(document, operationName));
    const { requestId } = context;
    const operation = {
      schema,
      document,
      operationName,
      variables: variables ?? {},
      points,
      context,
      requestId,
      log,
    };
    if (kind === 'subscription') return await openResults(operation, stream);
    const args = { schema, document, operationName, variableValues: variables, contextValue: context };
    return { data: null, ...presented(operation, await execute(args)) };
  } finally {
    leave();
  }
}

/**
 * Opens the subscription before the operation is accepted, so that the client gets the events of every action that it
 * performs after that.
 */
async function openResults(operation: LiveOperation, stream: SingleStream) {
  const source = await openFrames(operation, { part: 'all' });
  const end = () => (isFrames(source) ? source.return?.() : undefined);
  return liveResults(operation, source, stream.onEnd(end));
}

const UNKNOWN_OPERATION = 'operationName must name an operation of the document';

function refuseDocument(
  errors: readonly GraphQLError[],
  { requestId }: ServerContext,
  log: Logger,
): Response {
  const body = JSON.stringify(presented({ log, requestId }, { errors }));
  return [
    body,
    {
      status: 400,
      statusText: 'Bad Request',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    },
  ];
}

function requestOf(exchange: Exchange, context: Call, body: unknown = null): SseRequest {
  const { request } = exchange;
  return {
    method: request.method ?? 'GET',
    // Only a DELETE has a meaning there. graphql-sse would execute the operation of a GET whose stream has just ended.
    url: request.method === 'DELETE' ? (request.url ?? '') : '',
    headers: opensStream(request) ? OPENING : PLAIN,
    body: body as Record<string, unknown> | null,
    raw: exchange,
    context,
  };
}

function answer(exchange: Exchange, [body, init]: Response, headers: Record<string, string>): void {
  const { 'content-type': contentType = 'text/plain; charset=utf-8', ...own } = init.headers ?? {};
  send(exchange, init.status, contentType, typeof body === 'string' ? body : '', { ...headers, ...own });
}
