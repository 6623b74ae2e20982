/** Finds whom news is for by what the rail knows, and says it as a trigger. */
import { BRL, type Currency, currencyOf } from '../../base/currency.ts';
import { toMinor } from '../../base/money.ts';
import { findByDeposit, findByTxid, type NewsRecord, type NewsTarget } from '../../store/engine/news.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import type { ArrivalNews, DepositNews, News } from '../services/news.ts';

/** @returns news as it is stored, under its natural key. */
export function recordOf({ mode }: Pick<Services, 'mode'>, news: News): NewsRecord {
  const { kind } = news;
  if (kind === 'refund_ended')
    return { mode, rail: news.rail, kind, key: `${news.rail}:${news.order}`, body: news };
  return kind === 'payment'
    ? { mode, rail: 'pix', kind, key: `pix:${news.endToEndId}`, body: news }
    : { mode, rail: 'chain', kind, key: depositKey(news), body: news };
}

function depositKey({ currency, txHash, logIndex }: DepositNews): string {
  return `chain:${currencyOf(currency)?.network ?? currency}:${txHash}:${logIndex}`;
}

/** Money that news tells of. */
export interface Money {
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** @returns the money that came; undefined where there is none, or the catalogue does not have its currency. */
export function moneyOf(news: ArrivalNews): Money | undefined {
  const currency = news.kind === 'payment' ? BRL : currencyOf(news.currency);
  const amountMinor = currency && toMinor(news.amount, currency.decimals);
  return currency && amountMinor ? { currency, amountMinor } : undefined;
}

/** @returns whom news is for; undefined when nobody knows. */
export async function targetOf(
  { database, mode }: Pick<Services, 'database' | 'mode'>,
  news: ArrivalNews,
): Promise<NewsTarget | undefined> {
  if (news.kind === 'payment') return news.txid === null ? undefined : findByTxid(database, mode, news.txid);
  const money = moneyOf(news);
  if (!money) return undefined;
  const { currency, amountMinor } = money;
  return findByDeposit(database, mode, { address: news.address, currency: currency.code, amountMinor });
}

/** @returns the trigger by which a transaction is told. */
export function triggerOf(news: ArrivalNews): Trigger {
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
  }
}
