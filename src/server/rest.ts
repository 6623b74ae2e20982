/** Serves the route table of `/v2` over HTTP. */
import { GatewayError } from '../base/errors.ts';
import type { Context } from '../resolvers/context.ts';
import type { Route } from '../rest-compat/routes.ts';
import { accepts, type Exchange, sendJson } from './http.ts';

/** A route and the `{id}` of the path it was found by. */
export interface Match {
  readonly route: Route;
  readonly id: string;
}

/** @returns the search of a path in the table; undefined when no route has the path. */
export function routeFinder(routes: readonly Route[]): (path: string) => Match | undefined {
  const exact = new Map<string, Route>();
  const prefixes = new Map<string, Route>();
  for (const route of routes) {
    if (route.path.endsWith('/{id}')) prefixes.set(route.path.slice(0, -'{id}'.length), route);
    else exact.set(route.path, route);
  }
  return (path) => {
    const route = exact.get(path);
    if (route) return { route, id: '' };
    const slash = path.lastIndexOf('/') + 1;
    const found = prefixes.get(path.slice(0, slash));
    return found && slash < path.length ? { route: found, id: decodeId(path.slice(slash)) } : undefined;
  };
}

/**
 * Answers a matched request.
 *
 * @throws {GatewayError} `METHOD_NOT_ALLOWED`, `NOT_ACCEPTABLE`, and whatever the route throws.
 */
export async function serveRest(
  exchange: Exchange,
  match: Match,
  context: Context,
  headers: Record<string, string>,
): Promise<void> {
  const { request, search } = exchange;
  if (!accepts(request, 'application', 'json'))
    throw new GatewayError('NOT_ACCEPTABLE', 'this path answers with application/json');
  const answer = await match.route.handle(context, { id: match.id, search });
  if (answer.ignored.length > 0) headers['crossramp-ignored-parameters'] = answer.ignored.join(', ');
  sendJson(exchange, 200, answer.body, headers);
}

/** @throws {GatewayError} `METHOD_NOT_ALLOWED`; the answer's `Allow` header is `allowedMethods`. */
export function checkMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? ''))
    throw new GatewayError('METHOD_NOT_ALLOWED', `this path takes ${allowed.join(', ')}`);
}

function decodeId(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No record has an empty id: after the same checks as any other, it is missing (C-15).
    return '';
  }
}
