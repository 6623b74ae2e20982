/**
 * When PIX of the sandbox goes over the wire, the outside world is at the provider (`crossramp psp`): a scenario
 * happens there, by its control API, and comes back as the provider's callbacks. Its clock is that of the sandbox.
 */

import { GatewayError } from '../../base/errors/errors.ts';
import { withDecimals } from '../../base/money/money.ts';
import { orderNameOf } from '../../base/pix/end-to-end-id.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { DisputeEvent, RailEvent } from '../../resolvers/services/rail-event.ts';

/** A failure planned at the provider: of the next order with these facts. */
export interface OutsidePlan {
  readonly act: 'charge' | 'payout' | 'refund';
  readonly facts: Readonly<Record<string, string | null>>;
}

/** The world around the provider. */
export interface Outside {
  /** Makes an event happen at the provider. @returns false where it is none of the provider's: then it is told here. */
  readonly report: (event: RailEvent) => Promise<boolean>;
  readonly plan: (plan: OutsidePlan) => Promise<void>;
  /** Sets its clock to that of the sandbox. */
  readonly follow: () => Promise<void>;
}

/** An action of the control API: its path and its input. */
type ControlRequest = readonly [method: string, path: string, body: object];

const LIMIT_MS = 15_000;
const STATUS: Readonly<Record<DisputeEvent['kind'], string>> = {
  dispute_opened: 'ABERTA',
  dispute_accepted: 'ACEITA',
  dispute_rejected: 'REJEITADA',
};

/** @param url - of the control API. */
export function pspOutside(url: string, clock: Clock): Outside {
  let isFollowed = false;
  const call = async ([method, path, body]: ControlRequest): Promise<boolean> => {
    const response = await fetch(url + path, {
      method,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LIMIT_MS),
    }).catch((error: Error) => {
      throw new GatewayError(
        'UNAVAILABLE',
        `the PIX provider of the sandbox cannot be reached: ${error.message}`,
      );
    });
    const answer = (await response.json()) as { readonly error?: string };
    if (response.ok || response.status === 404) return response.ok;
    throw new GatewayError('UNAVAILABLE', `the PIX provider of the sandbox refused ${path}: ${answer.error}`);
  };
  const follow = async () => {
    // An interrupted demo leaves the clock behind; that of the provider only goes forward.
    isFollowed = await call(['POST', '/clock', { aheadMs: Math.max(0, await clock.aheadMs()) }]);
  };
  /** A provider that was started after the sandbox does not know its time yet. */
  const control = async (what: ControlRequest) => {
    if (!isFollowed) await follow();
    return call(what);
  };
  return {
    report: async (event) => {
      const what = controlRequestOf(event);
      return what !== undefined && control(what);
    },
    plan: async ({ act: name, facts }) => void (await control(['POST', '/plans', { act: name, facts }])),
    follow,
  };
}

/** @returns the action of the provider that causes this event; undefined when there is none. */
function controlRequestOf(event: RailEvent): ControlRequest | undefined {
  switch (event.kind) {
    case 'payment': {
      const { kind, ...payment } = event;
      const amount = withDecimals(payment.amount, 2);
      return payment.txid === null ? undefined : ['POST', '/pay', { ...payment, amount }];
    }
    case 'payout_ended':
      return event.isDone ? undefined : ['POST', `/payouts/${orderNameOf(event.order)}/fail`, {}];
    case 'payout_returned': {
      const { endToEndId, amount, returnId } = event;
      return ['POST', `/payouts/${endToEndId}/return`, { amount: withDecimals(amount, 2), returnId }];
    }
    case 'refund_ended':
      return event.isDone ? undefined : ['POST', `/refunds/${orderNameOf(event.order)}/fail`, {}];
    case 'dispute_opened':
    case 'dispute_accepted':
    case 'dispute_rejected': {
      const { kind, disputeId, endToEndId, amount } = event;
      const body = { kind: 'DISPUTA', status: STATUS[kind], endToEndId, ...(amount !== null && { amount }) };
      return ['PUT', `/infractions/${encodeURIComponent(disputeId)}`, body];
    }
    default:
      return undefined;
  }
}
