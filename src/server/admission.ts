/** Admits requests: identifies the caller, and counts the request against its rate limit. */
import type { Context, Services } from '../resolvers/services/context.ts';
import type { Route } from '../rest-compat/route.ts';
import type { ReadSource } from './answers/read-source.ts';
import { consumeAllowance, type Limiters, type RequestKind } from './http/allowances.ts';
import type { Cors } from './http/cors.ts';
import { type Exchange, originOf } from './http/http.ts';
import type { Authenticate } from './sign-in/authenticate.ts';

/** Parts that admission needs. */
export interface AdmissionParts {
  readonly cors: Cors;
  readonly source: ReadSource;
}

/**
 * @returns a function that identifies the caller and counts the request against its rate limit.
 * @throws {GatewayError} `UNAUTHORIZED`, `RATE_LIMITED`, and the errors of `ReadSource.admit`.
 */
export function admission(services: Services, limiters: Limiters, { cors, source }: AdmissionParts) {
  return async (
    exchange: Exchange,
    authenticate: Authenticate,
    kind: RequestKind,
  ): Promise<{ context: Context; headers: Record<string, string> }> => {
    let caller = await authenticate(exchange);
    exchange.accountId = caller.accountId;
    exchange.caller = caller;
    cors.allow(exchange, caller);
    const allowance = consumeAllowance(limiters?.(caller)[kind], caller.id);
    await source.admit(exchange, caller.accountId, async () => {
      caller = await authenticate(exchange);
      exchange.caller = caller;
    });
    const own = await services.forAccount(caller.accountId);
    return { context: { ...own, caller, origin: originOf(exchange) }, headers: allowance };
  };
}

/** @returns the bucket that a request to a route is counted in. */
export function kindOf({ method }: Route): RequestKind {
  return method === 'GET' ? 'read' : 'write';
}
