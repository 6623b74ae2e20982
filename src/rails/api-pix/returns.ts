/** Returns of payments: `PUT /pix/{e2eid}/devolucao/{id}` under our return id, ended by callback or when it is asked for. */
import { known } from '../../base/assert.ts';
import { type ApiPix, found } from './client.ts';
import type { OrderKind } from './orders.ts';
import { returnNews } from './tell.ts';
import type { WireReturn } from './wire.ts';

/** What a provider answers where it will never return the money: too much, too late, or not there. */
const REFUSALS = ['PixDevolucaoInvalida', 'PixNaoEncontrado'];

/** @returns how returns are sent and asked for. */
export function returnKind(api: ApiPix): OrderKind {
  const newsOf = (key: string, endToEndId: string, told: WireReturn) =>
    returnNews(endToEndId, { ...told, isMed: false }, new Map([[told.id ?? told.rtrId ?? endToEndId, key]]));
  return {
    send: async ({ key, pspId, endToEndId, amount }) => {
      const payment = known(endToEndId, 'a payment');
      return newsOf(key, payment, await api.putReturn(payment, pspId, amount));
    },
    ask: async ({ key, pspId, endToEndId }) => {
      const payment = known(endToEndId, 'a payment');
      const told = await found(() => api.getReturn(payment, pspId));
      return told && { news: newsOf(key, payment, told), isUnfinished: false };
    },
    isRefusal: ({ type }) => REFUSALS.includes(type),
  };
}
