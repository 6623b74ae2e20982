/** Answers to GraphQL operations that are sent again while nothing of their account has changed (docs/decisions/0044). */
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../resolvers/services/context.ts';
import { provedDocuments } from '../../schema/proved-fields.ts';
import { type Answer, answerBody, type Found, type ProvedAnswers } from '../answers/proved-answers.ts';
import type { Exchange } from '../http/http.ts';
import type { Prepare, ServerContext } from './graphql-context.ts';
import type { OperationParams } from './known-operations.ts';

/** Inputs of the response to an operation. */
export interface ProvedRequest {
  readonly exchange: Exchange;
  readonly context: ServerContext;
  readonly params: OperationParams;
  readonly points: number;
}

/**
 * @param text - text of a response without errors; each character is a byte of UTF-8.
 * @param shown - see `Found.keep`.
 * @returns the response, which is then cached.
 */
export type Prove = (contentType: string, text: string, shown: bigint | undefined) => Answer;

/** Result of the look-up before an operation is parsed. */
export interface FoundOperation extends Pick<Found, 'answer' | 'version'> {
  /** @returns undefined for an operation that the account's version does not prove. */
  readonly proving: (request: ProvedRequest) => Prove | undefined;
}

/** Looks for the answer to an operation, in the form of its request. */
export type FindOperation = (
  exchange: Exchange,
  context: Context,
  text: string,
  mediaType: string | undefined,
) => Promise<FoundOperation>;

const NOT_PROVED: FoundOperation = { proving: () => undefined };

/** @returns the look-up of responses on this schema; without a cache it never finds one. */
export function provedOperations(
  schema: GraphQLSchema,
  prepare: Prepare,
  answers: ProvedAnswers | undefined,
): FindOperation {
  const isProved = provedDocuments(schema);
  return async ({ request: { method } }, { caller }, text, mediaType) => {
    if (!answers || !mediaType || caller.isForStreams || !caller.scopes.includes('read')) return NOT_PROVED;
    // All inputs of the response apart from the data of the account.
    const key = `${method} ${mediaType} ${caller.scopes.join()} ${text}`;
    const { answer, version, cache } = await answers.find(caller.accountId, key);
    const proving = ({ exchange, context, params, points }: ProvedRequest): Prove | undefined => {
      const { document } = prepare(params.query, context);
      if (!document || !isProved(document, params.variables)) return undefined;
      return (contentType, text, shown) => {
        // The response to a POST has no tag.
        const tagged =
          method === 'GET' ? answerBody(contentType, text, 'latin1') : { body: text, etag: null };
        const noted = { ...exchange.noted };
        const proved = { contentType, ...tagged, headers: {}, noted, points };
        cache?.(proved, shown);
        return proved;
      };
    };
    return { ...(answer && { answer }), ...(version !== undefined && { version }), proving };
  };
}
