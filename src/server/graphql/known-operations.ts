/** Compiled queries: a repeated query is not parsed, validated and interpreted again (docs/decisions/0045). */

import { type DocumentNode, type GraphQLSchema, getOperationAST, OperationTypeNode } from 'graphql';
import { keepNewest } from '../../base/concurrency/keep-newest.ts';
import { compile, type Operation } from '../../compiled/compile.ts';
import { asksForTypes } from './by-graphql-js.ts';

/** A GraphQL request, as POST carries it. */
export interface OperationParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Record<string, unknown> | null;
}

/**
 * @returns a text that only the same document and the same name of an operation have. Mostly it is the document itself, so that
 *   nothing is put together; any other begins with its length.
 */
export function operationKey({ query, operationName }: OperationParams): string {
  if (operationName == null && !BEGINS_AS_LENGTH.test(query)) return query;
  const name = operationName == null ? '' : `"${operationName}`;
  return `${query.length} ${query}${name}`;
}

const BEGINS_AS_LENGTH = /^\d/;

const SEEN_MAX = 1_000;
/** Most fields of all compiled operations together: about 50 MB. */
const FIELDS_MAX = 50_000;
/** Longer documents, with the name of the operation, are not cached. */
const LENGTH_MAX = 20_000;

interface Known {
  readonly operation: Operation;
  fields: number;
}

/**
 * @param prepare - parses and validates a document with all bounds; returns no document when it is refused.
 * @returns a function that finds the compiled operation of a request. It returns undefined for mutations and
 *   subscriptions, for invalid operations, and for new documents: compiling costs more than executing once, so only
 *   repeated documents are compiled.
 */
export function knownOperations<Context>(
  schema: GraphQLSchema,
  prepare: (query: string, context: Context) => { readonly document?: DocumentNode | undefined },
  { fieldsMax = FIELDS_MAX } = {},
): (params: OperationParams, context: Context) => Operation | undefined {
  const kept = keeper(fieldsMax);
  const seen = new Map<string, true>();
  return (params, context) => {
    const { query, operationName } = params;
    const key = operationKey(params);
    const operation = kept.find(key);
    if (operation || key.length > LENGTH_MAX) return operation;
    if (!seen.has(key)) {
      keepNewest(seen, SEEN_MAX, key, true);
      return undefined;
    }
    const { document } = prepare(query, context);
    const asked = document && getOperationAST(document, operationName);
    // The answer to introspection follows from the scopes of the caller.
    if (!document || asked?.operation !== OperationTypeNode.QUERY || asksForTypes(document)) return undefined;
    return kept.add(key, (grow) => compile(schema, document, asked, grow));
  };
}

/** Divisor that converts a document's characters into the number of fields that take the same memory. */
const CHARACTERS_PER_FIELD = 10;

/** Keeps operations as long as they have no more fields together than this. The oldest goes first. */
function keeper(fieldsMax: number) {
  const known = new Map<string, Known>();
  let fields = 0;
  const forgetOldest = () => {
    const [key, oldest] = known.entries().next().value as [string, Known];
    known.delete(key);
    fields -= oldest.fields;
  };
  return {
    find: (key: string): Operation | undefined => known.get(key)?.operation,
    add: (key: string, make: (grow: (more: number) => void) => Operation): Operation => {
      const grow = (more: number) => {
        entry.fields += more;
        // An operation that runs may have been forgotten meanwhile.
        if (known.get(key) !== entry) return;
        fields += more;
        while (fields > fieldsMax) forgetOldest();
      };
      const entry: Known = { operation: make(grow), fields: 0 };
      known.set(key, entry);
      grow(Math.ceil(key.length / CHARACTERS_PER_FIELD));
      return entry.operation;
    },
  };
}
