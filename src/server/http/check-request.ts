/** Checks that every request has to pass on any path: its target, method, `Host` and `Expect` (RFC 9110, RFC 9112). */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../base/errors/errors.ts';
import { GRAPHQL_PATH, headerValues } from './http.ts';

const TARGET_LENGTH_MAX = 8_192;
/** A name or an address, with a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** @throws {GatewayError} `URI_TOO_LONG`, `BAD_REQUEST` for its `Host`, `EXPECTATION_FAILED`, `UPGRADE_UNSUPPORTED`. */
export function checkRequest(request: IncomingMessage): void {
  const { url = '', httpVersion, headers } = request;
  if (url.length > TARGET_LENGTH_MAX)
    throw new GatewayError(
      'URI_TOO_LONG',
      `path and query together must not exceed ${TARGET_LENGTH_MAX} characters`,
    );
  const hosts = headerValues(request, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1'))
    throw new GatewayError(
      'BAD_REQUEST',
      `exactly one Host header is required; the request has ${hosts.length}`,
    );
  if (hosts[0] !== undefined && !HOST.test(hosts[0]))
    throw new GatewayError(
      'BAD_REQUEST',
      'the Host header must be a name or an address, with or without a port',
    );
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw new GatewayError('EXPECTATION_FAILED', 'the Expect header must be 100-continue or left out');
  if (headers.upgrade?.toLowerCase() === 'websocket')
    throw new GatewayError(
      'UPGRADE_UNSUPPORTED',
      `there is no WebSocket here: subscriptions are server-sent events, by POST ${GRAPHQL_PATH} with Accept: text/event-stream`,
      // RFC 9110, 15.5.22: the answer names the protocol that is spoken.
      { headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' } },
    );
}

/** @throws {GatewayError} `METHOD_NOT_ALLOWED`; the answer's `Allow` header is `allowedMethods`. */
export function checkMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? '')) throw notAllowed(allowed);
}

/** @returns the error of a method that a path does not accept. */
export function notAllowed(allowed: readonly string[]): GatewayError {
  return new GatewayError('METHOD_NOT_ALLOWED', `this path accepts ${allowed.join(', ')} only`);
}
