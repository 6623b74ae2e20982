/**
 * Queries that were valid once, compiled. What a client sends again and again is then neither parsed nor validated nor
 * walked as a document (docs/decisions/0008).
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
 * @param prepare - parses and validates a document with all bounds; undefined when it is not fit.
 * @returns the search for the operation of a request; undefined when it is not a query, or not fit.
 */
export function knownOperations<Context>(
  schema: GraphQLSchema,
  prepare: (query: string, context: Context) => DocumentNode | undefined,
): (params: OperationParams, context: Context) => Operation | undefined {
  const known = new Map<string, Operation>();
  return ({ query, operationName }, context) => {
    const key = `${operationName ?? ''}\n${query}`;
    let operation = known.get(key);
    if (operation || query.length > LENGTH_MAX) return operation;
    const document = prepare(query, context);
    if (!document || getOperationAST(document, operationName)?.operation !== 'query') return undefined;
    operation = compile(schema, document, operationName ?? undefined);
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value as string);
    known.set(key, operation);
    return operation;
  };
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
