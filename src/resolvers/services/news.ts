/**
 * What rails tell, in the words of the gateway: a rail translates what it hears and hands it to `receive`, which finds whom it
 * is for. A rail never decides that, and never leaves news out because nobody seems to wait for it (C-34).
 */
import type { NewsOutcome } from '../../store/engine/news.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** A PIX that arrived. */
export interface PaymentNews {
  readonly kind: 'payment';
  /** Of the charge that it pays; null for a PIX to a key. */
  readonly txid: string | null;
  readonly endToEndId: string;
  /** Decimal BRL. */
  readonly amount: string;
  /** ISO 8601, by the rail's clock (C-32). */
  readonly settledAt: string;
  /** CPF or CNPJ; null where the rail does not tell. */
  readonly payerTaxId: string | null;
}

/** A transfer to an address of ours: seen, final, or dropped by the network before it was final. */
export interface DepositNews {
  readonly kind: 'deposit_seen' | 'deposit_confirmed' | 'deposit_dropped';
  readonly txHash: string;
  readonly logIndex: number;
  /** As the gateway gave it out. */
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  /** Decimal text in that currency. */
  readonly amount: string;
  readonly from: string;
  /** ISO 8601: when the network first had it. */
  readonly seenAt: string;
}

/** What became of an order to give money back that no transaction took. */
export interface GivenBackNews {
  readonly kind: 'refund_ended';
  readonly rail: 'pix' | 'chain';
  /** Key of the order. */
  readonly order: string;
  readonly isDone: boolean;
  /** What the network took of it, decimal text in its currency; null where nothing is taken. */
  readonly networkFee: string | null;
}

/** Money that comes. */
export type ArrivalNews = PaymentNews | DepositNews;

/** What a rail tells. */
export type News = ArrivalNews | GivenBackNews;

/** Kind of news. */
export type NewsKind = News['kind'] | 'payout_ended' | 'refund_ended' | 'broadcast' | 'dispute';

/** What became of news, and its transaction where it has one. */
export interface Receipt {
  /** `duplicate`: it was told before; `pending`: it is stored, and settled later. */
  readonly outcome: NewsOutcome | 'duplicate' | 'pending';
  readonly row?: ProcessRow;
}

/** Takes news of a rail. Once this resolves, the news is stored and the rail may be answered. */
export type Receive = (news: News) => Promise<Receipt>;

const KINDS: Readonly<Partial<Record<TriggerName, NewsKind>>> = {
  pix_received: 'payment',
  deposit_seen: 'deposit_seen',
  deposit_confirmed: 'deposit_confirmed',
  deposit_dropped: 'deposit_dropped',
  delivery_broadcast: 'broadcast',
  delivery_confirmed: 'payout_ended',
  delivery_failed: 'payout_ended',
  payout_settled: 'payout_ended',
  payout_rejected: 'payout_ended',
  payout_returned: 'refund_ended',
  refund_settled: 'refund_ended',
  refund_failed: 'refund_ended',
  return_confirmed: 'refund_ended',
  dispute_opened: 'dispute',
  dispute_accepted: 'dispute',
  dispute_rejected: 'dispute',
};

/** @returns the kind of news that a trigger is told by; the trigger's own name where no rail tells it. */
export function newsKindOf(on: TriggerName): string {
  return KINDS[on] ?? on;
}
