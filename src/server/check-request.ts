/** Checks of every request, whatever its path: its target, `Host` and `Expect` (RFC 9110, RFC 9112). */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../base/errors.ts';
import { headerValues } from './http.ts';

const TARGET_LENGTH_MAX = 8_192;
/** A name or an address, and a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** @throws {GatewayError} `URI_TOO_LONG`, `BAD_REQUEST` for its `Host`, `EXPECTATION_FAILED`. */
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
}
