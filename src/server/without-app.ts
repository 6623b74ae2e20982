/**
 * Responses of a process that does not serve the application: it is starting, or it works only on jobs and webhooks.
 */
import type { RequestListener } from 'node:http';
import { GatewayError } from '../base/errors/errors.ts';
import { exchangeOf } from './app.ts';
import { serveHealth } from './http/health.ts';
import { type Exchange, sendJson, sendProblem } from './http/http.ts';

const RETRY_SECONDS = 1;

/** Responses while the process starts: it is alive, and not ready. */
export function servesStart(publicUrl: string): RequestListener {
  return (request, response) => {
    const exchange = unadmitted(request, response);
    if (exchange.path === '/healthz') return serveHealth(exchange);
    if (exchange.path === '/readyz')
      return sendJson(exchange, 503, '{"status":"not ready","reason":"starting"}', {
        'retry-after': String(RETRY_SECONDS),
      });
    const starting = new GatewayError('UNAVAILABLE', 'the gateway is starting', {
      retryAfter: RETRY_SECONDS,
    });
    return sendProblem(exchange, publicUrl, starting);
  };
}

/** Responses of a process with `ROLE=work`: only the health checks of the application. */
export function servesHealthOnly(handle: RequestListener, publicUrl: string): RequestListener {
  return (request, response) => {
    if (request.url === '/healthz' || request.url === '/readyz') return handle(request, response);
    const exchange = unadmitted(request, response);
    const detail = 'this process works on jobs and webhooks: it answers /healthz and /readyz only';
    return sendProblem(exchange, publicUrl, new GatewayError('NOT_FOUND', detail));
  };
}

/** @returns the exchange of a request that is answered without authentication. */
export function unadmitted(...[request, response]: Parameters<RequestListener>): Exchange {
  const exchange = exchangeOf(request, response, () => false);
  exchange.route = exchange.path;
  return exchange;
}
