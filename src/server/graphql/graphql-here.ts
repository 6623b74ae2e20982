/** GraphQL without HTTP: operations of a page of this process, with the rights and limits of the page's visitor. */
import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { textOfUtf8 } from '../../base/text/utf8-text.ts';
import type { Context } from '../../resolvers/services/context.ts';
import type { Exchange } from '../http/http.ts';
import { presentGraphqlError } from '../http/present-error.ts';
import type { KeyLimits, Prepare, ServerContext } from './graphql-context.ts';
import type { knownOperations, OperationParams } from './known-operations.ts';
import { noteOperation, noteResult } from './note-operation.ts';
import { type CostOf, writesOf } from './operation-cost.ts';

/** Executes an operation of an authenticated caller. */
export type ExecuteGraphql = (
  exchange: Exchange,
  context: Context,
  params: OperationParams,
  limits: KeyLimits,
) => Promise<ExecutionResult>;

/** Parts that execute operations: the same as for operations over HTTP. */
export interface HereParts {
  readonly schema: GraphQLSchema;
  readonly prepare: Prepare;
  readonly costOf: CostOf;
  readonly known: ReturnType<typeof knownOperations<ServerContext>>;
  readonly contextOf: (exchange: Exchange, context: Context, limits: KeyLimits) => ServerContext;
  readonly log: Logger;
}

/** @returns a function that executes an operation as if it had come over HTTP. */
export function executor(parts: HereParts): ExecuteGraphql {
  return async (exchange, caller, params, limits) => {
    const context = parts.contextOf(exchange, caller, limits);
    noteOperation(exchange, params);
    const { points, isWithin } = parts.costOf(params, context);
    context.isMeasured = isWithin;
    const leave = await limits.enter(points);
    try {
      const { errors, ...result } = await run(parts, context, params);
      const presented = errors?.map((error) => presentGraphqlError(error, parts.log, exchange.requestId));
      noteResult(exchange, { ...result, ...(presented && { errors: presented }) });
      if (!presented) return result;
      return { ...result, errors: presented };
    } finally {
      leave();
    }
  };
}

/** @throws {GatewayError} `RATE_LIMITED`. */
async function run(
  { schema, prepare, known }: HereParts,
  context: ServerContext,
  params: OperationParams,
): Promise<ExecutionResult> {
  const { query, operationName, variables } = params;
  const result = await known(params, context)?.execute(context, variables ?? {});
  // A result without data was refused before execution; the normal execution returns the error that callers know.
  if (result?.data !== undefined)
    return { data: JSON.parse(textOfUtf8(result.data)), ...(result.errors && { errors: result.errors }) };
  const { document, errors } = prepare(query, context);
  if (!document) return { errors: errors ?? [] };
  context.limits.consumeWrites(writesOf(document, operationName ?? undefined));
  return execute({
    schema,
    document,
    contextValue: context,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
}
