/** News as it is stored: under its natural key, by which rails and the gateway know that it is the same. */
import type { AccountMode } from '../../base/account-mode.ts';
import { currencyOf, currencyOfLedger } from '../../base/currency.ts';
import type { NewsRecord } from '../../store/engine/news.ts';
import type { News } from './news.ts';

/** @returns news as it is stored, under its natural key. */
export function newsRecordOf({ mode }: { readonly mode: AccountMode }, news: News): NewsRecord {
  const rail = railOf(news);
  return { mode, rail, kind: news.kind, key: `${rail}:${nameOf(news)}`, body: news };
}

function railOf(news: News): 'pix' | 'chain' {
  if (news.kind === 'refund_ended') return news.rail;
  return isOfChain(news) ? 'chain' : 'pix';
}

function isOfChain({ kind }: News): boolean {
  return kind.startsWith('deposit_') || kind.startsWith('broadcast_') || kind === 'gas_spent';
}

/** The rail's own name for what happened. */
function nameOf(news: News): string {
  switch (news.kind) {
    case 'payment':
      return news.endToEndId;
    case 'payout_ended':
      return news.endToEndId ?? news.order;
    case 'payout_returned':
    case 'dispute_returned':
      return news.returnId;
    case 'refund_ended':
      // What somebody has to decide stands beside the end that the order comes to.
      return news.differs ? `${news.order}:${news.differs.returned}` : news.order;
    case 'infraction':
      return news.infractionId;
    case 'dispute_opened':
    case 'dispute_accepted':
    case 'dispute_rejected':
      return news.disputeId;
    case 'deposit_seen':
    case 'deposit_confirmed':
    case 'deposit_dropped':
      return `${networkOf(news)}:${news.txHash}:${news.logIndex}`;
    case 'broadcast_sent':
    case 'broadcast_confirmed':
    case 'broadcast_failed':
      return `${networkOf(news)}:${news.txHash ?? news.order}`;
    case 'gas_spent':
      return `${currencyOfLedger(news.gas.currency).network}:${news.txHash}`;
  }
}

function networkOf({ currency }: { readonly currency: string }): string {
  return currencyOf(currency)?.network ?? currency;
}
