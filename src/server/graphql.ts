/**
 * GraphQL over HTTP. Yoga speaks the protocol; a query that comes again is executed past it, on the same
 * schema, because Yoga's request pipeline costs more than most reads (docs/decisions/0008).
 */
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives';
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { GatewayError } from '../base/errors.ts';
import type { Context } from '../resolvers/context.ts';
import type { GraphqlContext } from '../schema/builder.ts';
import { createLoaders } from '../schema/loaders.ts';
import { accepts, type Exchange, GRAPHQL_PATH, readBody, send, sendJson } from './http.ts';
import { knownOperations, type OperationParams } from './known-operations.ts';
import { presentGraphqlError } from './present-error.ts';

/** Answers GraphQL requests of an authenticated caller. */
export type ServeGraphql = (
  exchange: Exchange,
  context: Context,
  headers: Record<string, string>,
  takeWrite: () => void,
) => Promise<void>;

interface ServerContext extends GraphqlContext {
  readonly requestId: string;
  /** Counts a write of the caller's key (C-53). */
  readonly takeWrite: () => void;
}

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** @returns the GraphQL side of the server, on this schema. */
export function graphqlServer(schema: GraphQLSchema, log: Logger): ServeGraphql {
  const yoga = createYoga<ServerContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    // Read and limited before Yoga: its own limit costs as much as a read.
    maxRequestBodySize: false,
    maskedErrors: false,
    plugins: [...limits(), writeAllowance(log), errorPresentation(log)],
  });
  const known = knownOperations(schema, preparer(yoga, schema));

  return async (exchange, context, headers, takeWrite) => {
    const { request, response, requestId } = exchange;
    const serverContext = {
      ...context,
      requestId,
      takeWrite,
      loaders: createLoaders(context.database, context.caller.accountId),
    };
    if (request.method === 'POST') {
      const params = await readParams(exchange);
      const operation = isPlainOperation(params) ? known(params, serverContext) : undefined;
      const mediaType = answerMediaType(exchange);
      if (operation && mediaType) {
        const { variables } = params as OperationParams;
        const result = await operation(serverContext, variables ?? {});
        // Without data it was refused before it began; Yoga refuses it in the words of the protocol.
        if (result.data !== undefined)
          return answer(exchange, result, { ...headers, 'content-type': mediaType }, log);
      }
      // Yoga takes a body that was read already from here.
      Object.assign(request, { body: params });
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('x-request-id', requestId);
    response.setHeader('cache-control', 'no-store');
    await yoga(request, response, serverContext);
  };
}

/** Serves GraphiQL from this process: nothing is loaded from elsewhere. */
export function serveGraphiql(exchange: Exchange): void {
  graphiqlPage ??= renderGraphiQL({
    endpoint: GRAPHQL_PATH,
    title: 'Crossramp Gateway',
    defaultQuery: '{\n  viewer {\n    account { name }\n  }\n}\n',
    headers: '{ "Authorization": "Bearer <API key>" }',
    shouldPersistHeaders: false,
  });
  send(exchange, 200, 'text/html; charset=utf-8', graphiqlPage);
}

let graphiqlPage: string | undefined;

function answer(
  exchange: Exchange,
  result: ExecutionResult,
  headers: Record<string, string>,
  log: Logger,
): void {
  const errors = result.errors?.map((error) => presentGraphqlError(error, log, exchange.requestId));
  sendJson(
    exchange,
    200,
    JSON.stringify(errors ? { errors, data: result.data } : { data: result.data }),
    headers,
  );
}

function answerMediaType({ request }: Exchange): string | undefined {
  const accept = request.headers.accept;
  if (accept?.includes(GRAPHQL_RESPONSE) && !accept.includes('text/event-stream'))
    return `${GRAPHQL_RESPONSE}; charset=utf-8`;
  if (accept?.includes('text/event-stream') || accept?.includes('multipart/')) return undefined;
  return accepts(request, 'application', 'json') ? 'application/json; charset=utf-8' : undefined;
}

type Yoga = ReturnType<typeof createYoga<ServerContext>>;

/** Parses and validates as Yoga does, bounds included. */
function preparer(yoga: Yoga, schema: GraphQLSchema) {
  return (query: string, context: ServerContext): DocumentNode | undefined => {
    const { parse, validate } = yoga.getEnveloped(context as never);
    try {
      const document = parse(query) as DocumentNode;
      return validate(schema, document).length > 0 ? undefined : document;
    } catch {
      // Yoga says what is wrong with it.
      return undefined;
    }
  };
}

function isPlainOperation(params: unknown): params is OperationParams {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false;
  const { query, operationName, variables, ...rest } = params as Record<string, unknown>;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || (typeof variables === 'object' && !Array.isArray(variables))) &&
    Object.keys(rest).length === 0
  );
}

async function readParams({ request }: Exchange): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'POST takes a body of application/json');
  }
  const body = await readBody(request);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not JSON');
  }
}

/** Bounds on documents, checked before anything is executed; the builder adds bounds on what a page costs. */
function limits(): Plugin[] {
  // Refused as such, also where a document that merely does not fit the schema is answered with 200.
  const onReject = [
    (_context: unknown, error: GraphQLError) => void Object.assign(error.extensions, BAD_REQUEST_STATUS),
  ];
  return [
    maxTokensPlugin({ n: 2_000, onReject }),
    maxDepthPlugin({ n: 12, onReject }),
    maxAliasesPlugin({ n: 30, onReject }),
    maxDirectivesPlugin({ n: 20, onReject }),
  ];
}

const BAD_REQUEST_STATUS = { http: { status: 400 } };

/** A mutation is a write: it takes from the key's other bucket. */
function writeAllowance(log: Logger): Plugin<ServerContext, ServerContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, operationName, contextValue } = args;
      if (getOperationAST(document, operationName)?.operation !== 'mutation') return;
      try {
        contextValue.takeWrite();
      } catch (error) {
        const refusal = new GraphQLError((error as Error).message, { originalError: error as Error });
        const presented = presentGraphqlError(refusal, log, contextValue.requestId);
        setResultAndStopExecution({
          errors: [
            Object.assign(presented, { extensions: { ...presented.extensions, http: { status: 429 } } }),
          ],
        });
      }
    },
  };
}

function errorPresentation(log: Logger): Plugin<object, ServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      const errors = result.errors.map((error) =>
        presentGraphqlError(error as GraphQLError, log, serverContext.requestId),
      );
      setResult({ ...result, errors });
    },
  };
}
