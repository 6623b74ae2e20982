/**
 * If PIX of the sandbox goes over the wire, the provider (`crossramp psp`) plays the outside world: a scenario is
 * played by the provider's control API, and comes back as callbacks. The provider's clock follows that of the sandbox.
 */

import { GatewayError } from '../../base/errors/errors.ts';
import { withDecimals } from '../../base/money/money.ts';
import { orderNameOf } from '../../base/pix/end-to-end-id.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { DisputeEvent, RailEvent } from '../../resolvers/services/rail-event.ts';

/** A failure planned at the provider, for the next order with these facts. */
export interface OutsidePlan {
  readonly act: 'charge' | 'payout' | 'refund';
  readonly facts: Readonly<Record<string, string | null>>;
}

/** The outside world played by the provider. */
export interface Outside {
  /**
   * Plays an event at the provider.
   * @returns false for an event that the provider cannot play, to be reported by the sandbox itself.
   */
  readonly report: (event: RailEvent) => Promise<boolean>;
  readonly plan: (plan: OutsidePlan) => Promise<void>;
  /** Sets the provider's clock to that of the sandbox. */
  readonly follow: () => Promise<void>;
}

/** Call of the control API: method, path and body. */
type ControlRequest = readonly [method: string, path: string, body: object];

const LIMIT_MS = 15_000;
const STATUS: Readonly<Record<DisputeEvent['kind'], string>> = {
  dispute_opened: 'ABERTA',
  dispute_accepted: 'ACEITA',
  dispute_rejected: 'REJEITADA',
};

/** @param url - URL of the control API. */
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
    // An interrupted demo leaves the sandbox clock behind the database's, but the provider's clock only goes forward.
    isFollowed = await call(['POST', '/clock', { aheadMs: Math.max(0, await clock.aheadMs()) }]);
  };
  /** A provider that started after the sandbox does not have its time yet. */
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

/** @returns the call that plays this event; undefined if there is none. */
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
