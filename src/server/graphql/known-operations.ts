/** Compiled queries: a repeated query is not parsed, validated and interpreted again (docs/decisions/0045). */

import { type DocumentNode, type GraphQLSchema, getOperationAST, OperationTypeNode } from 'graphql';
import { SharedCache } from '../../base/concurrency/bounded-map.ts';
import { compile, type Operation } from '../../compiled/compile.ts';
import { selectsTypes } from './by-graphql-js.ts';

/** A GraphQL request, as POST carries it. */
export interface OperationParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Record<string, unknown> | null;
}

/**
 * @returns a text that is unique to the document and the name of its operation. It is usually the document itself, so
 * that nothing is concatenated; any other key begins with its length.
 */
export function operationKey({ query, operationName }: OperationParams): string {
  if (operationName == null && !BEGINS_AS_LENGTH.test(query)) return query;
  const name = operationName == null ? '' : `"${operationName}`;
  return `${query.length} ${query}${name}`;
}

const BEGINS_AS_LENGTH = /^\d/;

const SEEN_MAX = 1_000;
/** Maximum number of fields of all compiled operations together: about 50 MB. */
const FIELDS_MAX = 50_000;
/** Characters of a document that weigh as much as one compiled field. */
const CHARACTERS_PER_FIELD = 10;
/** Longer documents, with the name of the operation, are not cached. */
const LENGTH_MAX = 20_000;

/** A request, by the account of its caller. */
interface OfAccount {
  readonly caller: { readonly accountId: bigint };
}

/**
 * @param prepare - parses and validates a document with all limits; returns no document if it is refused.
 * @returns a function that finds the compiled operation of a request. It returns undefined for mutations and
 * subscriptions, for invalid operations, and for new documents: compiling costs more than executing once, so only
 * repeated documents are compiled.
 */
export function knownOperations<Context extends OfAccount>(
  schema: GraphQLSchema,
  prepare: (query: string, context: Context) => { readonly document?: DocumentNode | undefined },
  { fieldsMax = FIELDS_MAX } = {},
): (params: OperationParams, context: Context) => Operation | undefined {
  const compiled = new SharedCache<bigint, string, Operation>(fieldsMax);
  const seen = new SharedCache<bigint, string, true>(SEEN_MAX);
  return (params, context) => {
    const { query, operationName } = params;
    const { accountId } = context.caller;
    const key = operationKey(params);
    const operation = compiled.get(key);
    if (operation || key.length > LENGTH_MAX) return operation;
    if (!seen.get(key)) {
      seen.add(accountId, key, true);
      return undefined;
    }
    const { document } = prepare(query, context);
    const requestedOperation = document && getOperationAST(document, operationName);
    // The answer to introspection follows from the scopes of the caller.
    if (!document || requestedOperation?.operation !== OperationTypeNode.QUERY || selectsTypes(document))
      return undefined;
    // Plans are made, and grow, during execution.
    const made = compile(schema, document, requestedOperation, (more) => compiled.grow(key, made, more));
    compiled.add(accountId, key, made, Math.ceil(key.length / CHARACTERS_PER_FIELD));
    return made;
  };
}
