/** Reads the parameters of GraphQL requests: from the body of a POST, from the query of a GET. */
import { GatewayError } from '../../base/errors/errors.ts';
import { checkSize } from '../../base/input/input-bounds.ts';
import { readBody } from '../../base/input/read-body.ts';
import { type Exchange, GRAPHQL_PATH, mediaTypeOf } from '../http/http.ts';
import type { OperationParams } from './known-operations.ts';
import { PersistedQueryNotSupported, type ResolveDocument } from './persisted-documents.ts';

/** @returns the parameters of a request, or the refusal of a hash sent in place of a document. */
export function readParams(exchange: Exchange, text: string, resolveDocument: ResolveDocument): unknown {
  try {
    return exchange.request.method === 'POST'
      ? paramsOf(text, resolveDocument)
      : searchParams(exchange, resolveDocument);
  } catch (error) {
    if (error instanceof PersistedQueryNotSupported) return error;
    throw error;
  }
}

/** The operation of a GET, from its query parameters. Yoga reports their errors. */
function searchParams({ request, search }: Exchange, resolveDocument: ResolveDocument): unknown {
  const parameters = new URLSearchParams(search);
  const [text, documentId] = [parameters.get('query'), parameters.get('documentId')];
  const extensions = jsonParameter(parameters, 'extensions');
  const { query } = resolveDocument({ query: text, documentId, extensions }) as { query: string | null };
  if (query !== text) {
    parameters.delete('documentId');
    parameters.set('query', query ?? '');
    // Yoga reads the target itself.
    request.url = `${GRAPHQL_PATH}?${parameters}`;
  }
  const variables = jsonParameter(parameters, 'variables');
  // An empty name counts as none, as in Yoga.
  return { query, operationName: parameters.get('operationName') || null, variables };
}

function jsonParameter(parameters: URLSearchParams, name: 'variables' | 'extensions'): unknown {
  const text = parameters.get(name) ?? 'null';
  checkSize(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', `${name}: must be JSON`);
  }
}

/** @returns whether the parameters are those of one operation. */
export function isPlainOperation(params: unknown): params is OperationParams {
  if (!isMembers(params)) return false;
  const { query, operationName, variables, extensions } = params;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isMembers(variables)) &&
    (extensions == null || isMembers(extensions))
  );
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unknown members are ignored, as GraphQL over HTTP requires: clients send some of their own. */
function knownMembers(params: unknown): unknown {
  if (!isMembers(params)) return params;
  const { query, operationName, variables, extensions } = params;
  if (query === undefined)
    throw new GatewayError('BAD_REQUEST', 'query: the text of a GraphQL document is required');
  return { query, operationName, variables, extensions };
}

/** @returns the body of a request, which must be JSON. @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`. */
export async function readText({ request }: Exchange): Promise<string> {
  if (mediaTypeOf(request) !== 'application/json') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
  }
  return (await readBody(request)).toString('utf8');
}

/** @returns the parameters in a body. @throws {GatewayError} `BAD_REQUEST`. */
export function paramsOf(text: string, resolveDocument: ResolveDocument): unknown {
  checkSize(text);
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not JSON');
  }
  return knownMembers(Array.isArray(params) ? params : resolveDocument(params));
}
