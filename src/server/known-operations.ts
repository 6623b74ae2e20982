/**
 * Queries that come again and again, compiled: they are neither parsed nor validated nor walked as documents any more
 * (docs/decisions/0008).
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
/** A document longer than this is not worth remembering. */
const LENGTH_MAX = 20_000;

/**
 * @param prepare - parses and validates a document with all bounds; without a document when it is not fit.
 * @returns the search for the operation of a request; undefined when it is not a query, not fit, or comes for the first
 *   time: compiling costs more than executing once, and whoever never repeats a document should not make us pay for it.
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
  // Whatever cannot be compiled is executed as it stands.
  return async (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName: operationName ?? null });
}
