/** Fields of a GraphQL operation in the request log: its name, its transaction, and its first error. */
import type { ExecutionResult, GraphQLError } from 'graphql';
import { isEnd2end } from '../../base/ids/end2end.ts';
import { textOfUtf8 } from '../../base/text/utf8-text.ts';
import type { Operation } from '../../compiled/compile.ts';
import type { Exchange } from '../http/http.ts';
import type { OperationParams } from './known-operations.ts';

type Noted = Pick<Exchange, 'noted'>;

/** The name of the first operation of a document, after comments. */
const NAMED = /^(?:[\s,\uFEFF]|#[^\n]*\n)*(?:query|mutation|subscription)\s+([_A-Za-z]\w{0,99})\b/;
const NAME = /^[_A-Za-z]\w{0,99}$/;
/** Maximum depth at which objects in answers are inspected. */
const DEPTH = 3;

/** Records an operation before it is executed. Only the first operation of a request counts. */
export function noteOperation({ noted }: Noted, { query, operationName, variables }: OperationParams): void {
  const name = operationName ?? NAMED.exec(query)?.[1];
  if (name !== undefined && NAME.test(name)) noted.operation ??= name;
  const named = variables && end2endIn(variables, DEPTH);
  // A variable can be anything; only a value in the form of an id counts.
  if (named && isEnd2end(named)) noted.end2end ??= named;
}

/** Records the outcome of an operation; errors as the client sees them. */
export function noteResult({ noted }: Noted, { data, errors }: ExecutionResult): void {
  const code = errors?.[0]?.extensions?.code;
  if (typeof code === 'string') noted.errorCode ??= code;
  if (data) noted.end2end ??= end2endIn(data, DEPTH);
}

/**
 * Records the outcome of a compiled operation.
 * @param data - JSON text, each character a byte of UTF-8; only read to find the transaction.
 */
export function noteText(
  exchange: Noted,
  operation: Operation,
  { data, errors }: { readonly data: string; readonly errors?: readonly GraphQLError[] | undefined },
): void {
  const isNamed = exchange.noted.end2end === undefined && operation.mentions('end2end', DEPTH);
  noteResult(exchange, { data: isNamed ? JSON.parse(textOfUtf8(data)) : null, ...(errors && { errors }) });
}

/** @returns the first member `end2end` of nested objects; lists have several transactions and are left out. */
function end2endIn(value: object, depth: number): string | undefined {
  const own = (value as { end2end?: unknown }).end2end;
  if (typeof own === 'string' && own.length <= 100) return own;
  if (depth === 0) return undefined;
  for (const member of Object.values(value)) {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) continue;
    const found = end2endIn(member, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
