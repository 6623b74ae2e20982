/** Requests that a gateway for reads does not answer (`ROLE=read`, decision 0088). */
import { GatewayError } from '../../base/errors/errors.ts';
import type { Route } from '../../rest-compat/route.ts';

/**
 * @param writing - paths that write or wait for events. @throws {GatewayError} `MISDIRECTED` for these paths, and all
 * paths below them.
 */
export function refuseWritingPath(path: string, writing: readonly string[]): void {
  if (writing.some((each) => path === each || path.startsWith(`${each}/`))) throw misdirected();
}

/** @throws {GatewayError} `MISDIRECTED` for a route that writes, or that waits for events. */
export function refuseWritingRoute({ method, waits }: Pick<Route, 'method' | 'waits'>): void {
  if (method !== 'GET' || waits) throw misdirected();
}

/** @throws {GatewayError} `MISDIRECTED` for a mutation or a subscription. */
export function refuseWritingOperation(operation: string | undefined): void {
  if (operation === 'mutation' || operation === 'subscription') throw misdirected();
}

function misdirected(): GatewayError {
  return new GatewayError(
    'MISDIRECTED',
    'this gateway answers reads alone (ROLE=read): send this to one that writes',
  );
}
