/**
 * The one host of the pages on this machine: cookies and passkeys belong to a name, and `localhost` and 127.0.0.1 are
 * two names.
 */
import { consoleOrigin, isThisMachine } from '../base/pages/console-url.ts';
import { type Exchange, READ_METHODS, send } from './http/http.ts';
import { LEADING_HEADERS } from './http/page-headers.ts';
import { wantsHtml } from './serve-docs.ts';

/** Parts of a request that are examined. */
export type PageRequest = Pick<Exchange, 'request' | 'path' | 'search'>;

/**
 * @param publicUrl - URL of the gateway.
 * @returns the right address of a page that was requested by another name of this machine; undefined if the name is
 * right, or the request is not for a page. The API answers under every name.
 */
export function ownHost(publicUrl: string): (exchange: PageRequest) => string | undefined {
  const own = new URL(consoleOrigin(publicUrl));
  const hosts = [own.host, new URL(publicUrl).host];
  return ({ request, path, search }) => {
    const { host = '' } = request.headers;
    if (hosts.includes(host) || !URL.canParse(`http://${host}`)) return undefined;
    const { hostname, port } = new URL(`http://${host}`);
    // A different port means deliberate forwarding to this one.
    if (!isThisMachine(hostname) || !isThisMachine(own.hostname) || port !== own.port) return undefined;
    // A whole URL as the target would continue the host of the address.
    const isPage =
      READ_METHODS.includes(request.method ?? '') && wantsHtml({ request }) && path.startsWith('/');
    const isApi = path === '/v2' || path.startsWith('/v2/') || search.includes('query=');
    return isPage && !isApi ? `${own.origin}${path}${search && `?${search}`}` : undefined;
  };
}

type Serve = (exchange: Exchange) => Promise<void>;

/** @returns the handler, which redirects to a page's own host if it was requested by another name of this machine. */
export function onOwnHost(publicUrl: string, serve: Serve): Serve {
  const elsewhere = ownHost(publicUrl);
  return async (exchange) => {
    const location = elsewhere(exchange);
    if (location === undefined) return serve(exchange);
    send(exchange, 307, 'text/plain; charset=utf-8', '', { ...LEADING_HEADERS, location });
  };
}
