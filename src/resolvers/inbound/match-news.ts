/** Finds the transaction that news is for, by what the rail knows, and turns the news into a trigger. */
import { BRL, type Currency, currencyOf } from '../../base/currency.ts';
import { toMinor } from '../../base/money.ts';
import {
  findByDeposit,
  findByEnd2end,
  findByNews,
  findByPix,
  findByTxid,
  type NewsTarget,
} from '../../store/engine/news.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import type { ArrivalNews, BroadcastNews, GivenBackNews, News } from '../services/news.ts';
import { newsRecordOf } from '../services/news-record.ts';

type Where = Pick<Services, 'database' | 'mode'>;

/** Money that news tells of. */
export interface Money {
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** @returns the money that has arrived and is final; undefined where there is none, or its currency is not in the catalogue. */
export function moneyOf(news: News): Money | undefined {
  if (!isArrival(news) || news.kind === 'deposit_seen' || news.kind === 'deposit_dropped') return undefined;
  return amountOf(news);
}

function amountOf(news: ArrivalNews): Money | undefined {
  const currency = 'currency' in news ? currencyOf(news.currency) : BRL;
  const amountMinor = currency && toMinor(news.amount, currency.decimals);
  return currency && amountMinor ? { currency, amountMinor } : undefined;
}

/** @returns whether the news is about incoming money. */
export function isArrival(news: News): news is ArrivalNews {
  return news.kind === 'payment' || news.kind === 'payout_returned' || news.kind.startsWith('deposit_');
}

/** @returns whom news is for; undefined when nobody knows. */
export function targetOf(where: Where, news: News): Promise<NewsTarget | undefined> {
  const { database, mode } = where;
  switch (news.kind) {
    case 'payment':
      return news.txid === null ? nobody : findByTxid(database, mode, news.txid);
    case 'deposit_seen':
    case 'deposit_confirmed':
    case 'deposit_dropped': {
      const money = amountOf(news);
      if (!money) return nobody;
      const { currency, amountMinor } = money;
      return findByDeposit(database, mode, { address: news.address, currency: currency.code, amountMinor });
    }
    case 'payout_ended':
      return ofOrder(where, news.order);
    case 'payout_returned':
      return ofPix(where, news.endToEndId, 'payout_ended');
    case 'refund_ended':
      return ofRefund(where, news);
    case 'broadcast_sent':
    case 'broadcast_confirmed':
    case 'broadcast_failed':
      return ofBroadcast(where, news);
    case 'gas_spent':
      return news.order === null ? nobody : ofOrder(where, news.order);
    case 'dispute_opened':
    case 'dispute_accepted':
    case 'dispute_rejected':
    case 'dispute_returned':
    case 'infraction':
      return ofPayment(where, news.endToEndId);
  }
}

const nobody = Promise.resolve(undefined);

/** Keys of orders about a transaction begin with its id. */
function ofOrder({ database, mode }: Where, order: string): Promise<NewsTarget | undefined> {
  return findByEnd2end(database, mode, order.split(':', 1)[0] as string);
}

function ofPayment(where: Where, endToEndId: string): Promise<NewsTarget | undefined> {
  return ofPix(where, endToEndId, 'payment');
}

/** Looks in the news first, which also knows payments that no transaction took; then in the transactions, which are kept longer. */
async function ofPix(
  { database, mode }: Where,
  endToEndId: string,
  kind: 'payment' | 'payout_ended',
): Promise<NewsTarget | undefined> {
  const found = await findByNews(database, { mode, kind, key: `pix:${endToEndId}` });
  return found ?? findByPix(database, mode, { endToEndId, isPayment: kind === 'payment' });
}

async function ofRefund(where: Where, { endToEndId, order }: GivenBackNews): Promise<NewsTarget | undefined> {
  const found = endToEndId === null ? undefined : await ofPayment(where, endToEndId);
  return found ?? ofOrder(where, order);
}

async function ofBroadcast(where: Where, news: BroadcastNews): Promise<NewsTarget | undefined> {
  if (news.order !== null) return ofOrder(where, news.order);
  const { key } = newsRecordOf(where, news);
  return findByNews(where.database, { mode: where.mode, kind: 'broadcast_sent', key });
}

/** @returns the trigger for a transaction; undefined for news that moves none. */
export function triggerOf(news: News): Trigger | undefined {
  switch (news.kind) {
    case 'payment': {
      const { endToEndId, amount, settledAt, payerTaxId } = news;
      return { on: 'pix_received', endToEndId, amount, settledAt, payerTaxId };
    }
    case 'deposit_seen': {
      const { txHash, logIndex, amount, from, seenAt } = news;
      return { on: 'deposit_seen', txHash, logIndex, amount, from, seenAt };
    }
    case 'deposit_confirmed':
    case 'deposit_dropped':
      return { on: news.kind, txHash: news.txHash, logIndex: news.logIndex };
    case 'payout_ended': {
      const { isDone, endToEndId } = news;
      if (!isDone) return { on: 'payout_rejected' };
      return endToEndId === null ? undefined : { on: 'payout_settled', endToEndId };
    }
    case 'payout_returned':
      return { on: 'payout_returned', amount: news.amount };
    case 'refund_ended':
      return news.rail === 'pix' ? pixReturnEnded(news) : depositSentBack(news);
    case 'broadcast_sent': {
      const { txHash, gas } = news;
      return txHash === null ? undefined : { on: 'delivery_broadcast', txHash, gas };
    }
    case 'broadcast_confirmed':
      return { on: 'delivery_confirmed' };
    case 'broadcast_failed':
      return { on: 'delivery_failed' };
    case 'dispute_opened': {
      const { disputeId, amount } = news;
      return { on: 'dispute_opened', disputeId, ...(amount !== null && { amount }) };
    }
    case 'dispute_accepted':
    case 'dispute_rejected':
      return { on: news.kind, disputeId: news.disputeId };
    case 'dispute_returned':
    case 'infraction':
    case 'gas_spent':
      return undefined;
  }
}

/**
 * An order of ours from before returns had ids, which is not a single word, is the one that the step waits for. Any other name is an id: it
 * may be of a return that somebody made at the provider itself, which ends none of ours.
 */
function pixReturnEnded({ isDone, order }: GivenBackNews): Trigger {
  const returnId = order.includes(':') ? {} : { returnId: order };
  return { on: isDone ? 'refund_settled' : 'refund_failed', ...returnId };
}

function depositSentBack({ isDone, networkFee, gas, txHash }: GivenBackNews): Trigger {
  if (!isDone) return { on: 'return_failed' };
  return { on: 'return_confirmed', networkFee: networkFee ?? '0', gas, txHash };
}
