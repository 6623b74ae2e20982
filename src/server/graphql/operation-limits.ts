/** Limits of GraphQL operations: points by key, and parallel operations by account (C-53). */
import { GatewayError } from '../../base/errors/errors.ts';
import { sharedBy } from '../../resolvers/services/stream-limit.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { consumeAllowance, type Limiters } from '../http/allowances.ts';
import type { Exchange } from '../http/http.ts';
import { type Authenticate, checkingAgain } from '../sign-in/authenticate.ts';
import type { KeyLimits } from './graphql-context.ts';
import { OperationGate } from './operation-gate.ts';

/** Points of one request, the first of which was counted when the request arrived. */
const POINTS_PER_REQUEST = 100;
/** Number of characters of a new document that count as one more request. */
const CHARACTERS_PER_REQUEST = 200;

/** @returns the limits of GraphQL operations: points by key, and parallel operations by account. */
export function operationLimits(
  limiters: Limiters,
): (exchange: Exchange, caller: KeyRecord, authenticate?: Authenticate) => KeyLimits {
  const gate = new OperationGate();
  return (exchange, caller, authenticate) => {
    const { id } = caller;
    const holder = sharedBy(caller);
    const limited = limiters?.(caller);
    const consume = (count: number) => {
      if (count > 0) consumeAllowance(limited?.read, id, count, count + 1);
    };
    const checkAgain = checkingAgain(async () => authenticate?.(exchange));
    return {
      consumeWrites: (writes) => void consumeAllowance(limited?.write, id, writes),
      consumeDocument: (length) => consume(Math.floor(length / CHARACTERS_PER_REQUEST)),
      enter: async (points) => {
        consume(Math.ceil(points / POINTS_PER_REQUEST) - 1);
        const leave = await gate.enter(holder, points, exchange.response);
        // A key that was revoked while the body arrived, or while other requests were first, has no effect.
        await checkAgain().catch((refusal: unknown) => {
          leave();
          throw refusal;
        });
        return leave;
      },
      enterFrame: (points) => gate.enter(holder, points),
      check: async () => {
        const { scopes } = (await authenticate?.(exchange)) ?? caller;
        if (scopes.join() !== caller.scopes.join())
          throw new GatewayError('UNAUTHORIZED', 'your rights have changed: send the request again');
      },
      checkAgain,
    };
  };
}
