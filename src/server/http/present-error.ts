/** The errors that callers see. Unexpected errors are logged, and clients see only their request id (C-50). */
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { GatewayError, shownLimit, shownViolations } from '../../base/errors/errors.ts';
import { traceAtWork } from '../../base/trace/spans.ts';
import { isDatabaseUnreachable } from '../../store/connection/database-error.ts';

/** `Retry-After` while the database is unreachable. Unit: seconds. */
const DATABASE_RETRY_SECONDS = 2;

/** @returns the error to answer with; an unexpected one is logged and becomes `INTERNAL`. */
export function presentError(error: unknown, log: Logger, requestId: string): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isDatabaseUnreachable(error)) {
    log.warn({ requestId, err: error }, 'database away');
    return new GatewayError('UNAVAILABLE', 'the database cannot be reached or is too busy', {
      retryAfter: DATABASE_RETRY_SECONDS,
    });
  }
  log.error({ requestId, err: error }, 'unforeseen error');
  return new GatewayError('INTERNAL', 'unexpected error; the log has the details under the request id');
}

/** Like `presentError`, for one error of a GraphQL result: the same codes, in `extensions`. */
export function presentGraphqlError(error: GraphQLError, log: Logger, requestId: string): GraphQLError {
  const cause = causeOf(error);
  const traceId = traceAtWork();
  const traced = { requestId, ...(traceId !== undefined && { traceId }) };
  if (!cause) {
    // No resolver threw it, so the document, its variables or its size is wrong.
    const extensions = { code: 'BAD_REQUEST', ...traced };
    if (error.path) return withExtensions(error, error.message, extensions);
    // Status for Yoga: 400, unless the caller accepts only plain JSON, for which the protocol requires 200.
    const { http = { spec: true, status: 400 } } = error.extensions;
    return withExtensions(error, error.message, { ...extensions, http });
  }
  const presented = presentError(cause, log, requestId);
  const { code, message } = presented;
  // Status and headers for Yoga, which clients do not see.
  const { http } = error.extensions;
  return withExtensions(error, message, {
    code,
    ...traced,
    ...shownViolations(presented),
    ...factsOf(presented),
    ...(http && { http }),
  });
}

/** Facts for programs, in the forms of the schema. */
function factsOf({ facts: { scope, limit } }: GatewayError) {
  return {
    ...(scope !== undefined && { scope }),
    ...(limit && { limit: { ...shownLimit(limit), kind: limit.kind.toUpperCase() } }),
  };
}

/** The error that a resolver threw, below the GraphQL errors around it; undefined for an error of the document itself. */
function causeOf(error: GraphQLError): Error | undefined {
  let cause: Error | undefined = error.originalError;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause;
}

function withExtensions(
  error: GraphQLError,
  message: string,
  extensions: Record<string, unknown>,
): GraphQLError {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}
