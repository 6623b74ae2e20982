/**
 * Compiled queries: a repeated query is not parsed, validated and interpreted again (docs/decisions/0008).
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';

/** A GraphQL request, as POST carries it. */
export interface OperationParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Record<string, unknown> | null;
}

/** Executes one operation. A result without `data` was refused before anything was executed. */
export type Operation = (
  contextValue: object,
  variables: Record<string, unknown>,
) => Promise<ExecutionResult>;

const KNOWN_MAX = 1_000;
/** Longer documents are not cached. */
const LENGTH_MAX = 20_000;

/**
 * @param prepare - parses and validates a document with all bounds; without a document when it is not fit.
 * @returns a function that finds the compiled operation of a request. It returns undefined when the operation is not a query,
 *   is invalid, or comes for the first time: compiling costs more than executing once, so only repeated documents are compiled.
 */
export function knownOperations<Context>(
  schema: GraphQLSchema,
  prepare: (query: string, context: Context) => { readonly document?: DocumentNode | undefined },
): (params: OperationParams, context: Context) => Operation | undefined {
  const known = new Map<string, Operation>();
  const seen = new Set<string>();
  return ({ query, operationName }, context) => {
    const key = JSON.stringify([operationName, query]);
    let operation = known.get(key);
    if (operation || query.length > LENGTH_MAX) return operation;
    if (!seen.has(key)) {
      forgetOldest(seen);
      seen.add(key);
      return undefined;
    }
    const { document } = prepare(query, context);
    if (!document || getOperationAST(document, operationName)?.operation !== 'query') return undefined;
    operation = compile(schema, document, operationName ?? undefined);
    forgetOldest(known);
    known.set(key, operation);
    return operation;
  };
}

function forgetOldest(collection: Map<string, unknown> | Set<string>): void {
  if (collection.size >= KNOWN_MAX) collection.delete(collection.keys().next().value as string);
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Operation {
  const compiled = compileQuery(schema, document, operationName);
  if (isCompiledQuery(compiled)) {
    return async (contextValue, variables) => compiled.query(undefined, contextValue, variables);
  }
  // An operation that cannot be compiled is executed normally.
  return async (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName: operationName ?? null });
}
