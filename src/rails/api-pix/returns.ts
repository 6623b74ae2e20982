/**
 * Returns of payments: `PUT /pix/{e2eid}/devolucao/{id}` under the gateway's return id. A callback or a query reports
 * their end.
 */
import { known } from '../../base/errors/assert.ts';
import type { NewPixOrder } from '../../store/rails/pix-orders.ts';
import { type ApiPix, found } from './client.ts';
import type { OrderKind } from './orders.ts';
import { isRefused } from './refusals.ts';
import { returnEvents } from './report-payments.ts';
import type { ApiPixSettings } from './settings.ts';
import type { WireReturn } from './wire.ts';

/**
 * Error types of a permanent refusal: the amount is too high, the time limit has passed, or the payment is missing.
 */
const REFUSALS = ['PixDevolucaoInvalida', 'PixNaoEncontrado'];

/** @returns functions that send and query returns. */
export function returnKind(api: ApiPix, errors: ApiPixSettings['errors']): OrderKind {
  const eventsOf = ({ key, amount }: NewPixOrder, endToEndId: string, reported: WireReturn) =>
    returnEvents(endToEndId, key, reported, { key, amount });
  return {
    send: async (order) => {
      const payment = known(order.endToEndId, 'a payment');
      return eventsOf(order, payment, await api.putReturn(payment, order.pspId, order.amount));
    },
    query: async (order) => {
      const payment = known(order.endToEndId, 'a payment');
      const reported = await found(() => api.getReturn(payment, order.pspId));
      return reported && { events: eventsOf(order, payment, reported), isUnfinished: false };
    },
    repeatableMs: Infinity,
    isRefusal: (problem) => isRefused(problem, errors, REFUSALS),
  };
}
