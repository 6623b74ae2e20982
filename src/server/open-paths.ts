/** Paths that need no key: the first page, health, documents, error codes, hosted pages, sign-in, the console. */

import { GatewayError, notFound } from '../base/errors/errors.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { PAY_PATH } from '../base/pages/pay-links.ts';
import { DOCS_PATH } from '../docs/doc-page.ts';
import { GRAPHIQL_PATH } from '../docs/graphiql.ts';
import { doorPage } from '../pages/sign-in/frame.ts';
import { messagePage } from '../pages/sign-in/pages.ts';
import type { Services } from '../resolvers/services/context.ts';
import { checkMethod } from './http/check-request.ts';
import { errorPages } from './http/error-pages.ts';
import { readinessServer, serveHealth } from './http/health.ts';
import { type Exchange, READ_METHODS, send, sendJson, sendText } from './http/http.ts';
import { DOOR_HEADERS } from './http/page-headers.ts';
import { type docsServer, wantsHtml } from './serve-docs.ts';
import { serveGraphiqlFile } from './serve-graphiql.ts';
import { RAILS_PATH } from './serve-rails.ts';
import { languageOfRequest } from './sign-in/console-language.ts';

/** Data of the open paths. */
export interface OpenParts {
  readonly publicUrl: string;
  /** The OpenAPI document, built at the first request, as JSON text. */
  readonly openApi: () => string;
  /** Parts of the OpenAPI document by their tags, each built at the first request, as JSON text. */
  readonly openApiParts: Readonly<Record<string, () => string>>;
  /** The texts of the GraphQL schema by their path, each built at the first request. */
  readonly schemas: Readonly<Record<string, () => string>>;
  /** The AsyncAPI document, built at the first request, as JSON text. */
  readonly asyncApi: () => string;
  readonly services: Pick<Services, 'database' | 'clock' | 'writes' | 'readsOnly'>;
  readonly isDraining: () => boolean;
  /** Answers requests below `/rails`. */
  readonly serveRails: (exchange: Exchange) => Promise<void>;
  /** Answers requests below `/pay`. */
  readonly servePay: (exchange: Exchange) => Promise<void>;
  /** Handler of a sign-in path; undefined for another path. */
  readonly peopleAt: (path: string) => ((exchange: Exchange) => Promise<void>) | undefined;
  /** Handler of `/docs`, `/` and the codes of errors for browsers. */
  readonly docs: ReturnType<typeof docsServer>;
  /** Answers requests below `/console`. */
  readonly serveConsole: (exchange: Exchange) => Promise<void>;
}

/**
 * @returns the answer to a request that no other part answers. Throws `NOT_FOUND` for an unknown path, `METHOD_NOT_ALLOWED`
 * for a method other than GET or HEAD.
 */
export function openPaths(parts: OpenParts): (exchange: Exchange) => Promise<void> {
  const pages = errorPages();
  const welcome = JSON.stringify(welcomeOf(parts.publicUrl));
  const [openApi, asyncApi] = [madeOnce(parts.openApi), madeOnce(parts.asyncApi)];
  const paths: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>> = {
    '/': (exchange) => (wantsHtml(exchange) ? parts.docs.home(exchange) : sendJson(exchange, 200, welcome)),
    '/healthz': serveHealth,
    '/readyz': readinessServer(parts.services, parts.isDraining),
    '/v2/openapi.json': (exchange) => sendJson(exchange, 200, openApi()),
    ...Object.fromEntries(
      Object.entries(parts.openApiParts)
        .map(([tag, make]) => [tag, madeOnce(make)] as const)
        .map(([tag, textOf]) => [
          `/v2/openapi/${tag}.json`,
          (exchange: Exchange) => sendJson(exchange, 200, textOf()),
        ]),
    ),
    ...Object.fromEntries(
      Object.entries(parts.schemas)
        .map(([path, make]) => [path, madeOnce(make)] as const)
        .map(([path, textOf]) => [
          path,
          (exchange: Exchange) =>
            sendText(exchange, 200, 'text/plain; charset=utf-8', textOf(), {
              'cache-control': 'public, max-age=300',
            }),
        ]),
    ),
    '/v2/asyncapi.json': (exchange) => sendJson(exchange, 200, asyncApi()),
    '/llms.txt': parts.docs.llms,
  };
  const serve = async (exchange: Exchange): Promise<void> => {
    const { path, request } = exchange;
    if (path.startsWith(`${RAILS_PATH}/`)) return parts.serveRails(exchange);
    if (path === PAY_PATH || path.startsWith(`${PAY_PATH}/`)) return parts.servePay(exchange);
    const servePeople = parts.peopleAt(path);
    if (servePeople) return servePeople(exchange);
    if (path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`)) return parts.docs.docs(exchange);
    if (path.startsWith(`${GRAPHIQL_PATH}/`)) return serveGraphiqlFile(exchange);
    if (path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`)) return parts.serveConsole(exchange);
    const page = path.startsWith('/errors/') ? pages.get(path.slice('/errors/'.length)) : undefined;
    const open = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (page === undefined && open === undefined) throw notFound();
    exchange.route = page === undefined ? path : '/errors/{code}';
    checkMethod(request.method, READ_METHODS);
    if (page !== undefined && wantsHtml(exchange))
      return parts.docs.error(exchange, path.slice('/errors/'.length));
    if (page !== undefined) send(exchange, 200, 'text/plain; charset=utf-8', page);
    await open?.(exchange);
  };
  return (exchange) =>
    serve(exchange).catch((error: unknown) => {
      const isMissing = error instanceof GatewayError && error.code === 'NOT_FOUND';
      if (!isMissing || isForPrograms(exchange.path) || !wantsHtml(exchange)) throw error;
      exchange.noted.errorCode ??= error.code;
      const page = messagePage(languageOfRequest(exchange), exchange.path, ['missing', 'missingHow']);
      sendText(exchange, 404, 'text/html; charset=utf-8', doorPage(page), DOOR_HEADERS);
    });
}

/** @returns the value, which is built at the first call. */
export function madeOnce<Value extends string | object>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** Whether the clients below a path are programs, whatever media types they accept. */
function isForPrograms(path: string): boolean {
  return ['/v2', '/graphql', RAILS_PATH].some((each) => path === each || path.startsWith(`${each}/`));
}

function welcomeOf(publicUrl: string) {
  return {
    name: 'Crossramp Gateway',
    rest: `${publicUrl}/v2`,
    graphql: `${publicUrl}/graphql`,
    openapi: `${publicUrl}/v2/openapi.json`,
    asyncapi: `${publicUrl}/v2/asyncapi.json`,
    docs: `${publicUrl}/docs`,
    health: `${publicUrl}/healthz`,
  };
}
