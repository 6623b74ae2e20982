/**
 * Rail events in the terms of the gateway: a rail translates its reports and passes them to `receive`, which finds their
 * target. A rail never decides the target, and never leaves out an event because no transaction seems to wait for it (C-34).
 */

import type { RailEventOutcome, WaitingOutcome } from '../../store/engine/rail-events.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Gas } from '../../templates/triggers.ts';

/** A PIX that arrived. */
export interface PaymentEvent {
  readonly kind: 'payment';
  /** Of the charge that it pays; null for a PIX to a key. */
  readonly txid: string | null;
  readonly endToEndId: string;
  /** Decimal BRL. */
  readonly amount: string;
  /** ISO 8601, by the rail's clock (C-32). */
  readonly settledAt: string;
  /** CPF or CNPJ, hidden characters as `*`; null if the rail does not report it. */
  readonly payerTaxId: string | null;
  /** As the payer's bank reports it; missing or null if the rail does not. */
  readonly payerName?: string | null;
}

/** A transfer to an address of ours: seen, final, or dropped by the network before it was final. */
export interface DepositEvent {
  readonly kind: 'deposit_seen' | 'deposit_confirmed' | 'deposit_dropped';
  readonly txHash: string;
  readonly logIndex: number;
  /** As issued by the gateway. */
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  /** Decimal text in that currency. */
  readonly amount: string;
  readonly from: string;
  /** ISO 8601: when the network first had it. */
  readonly seenAt: string;
}

/**
 * A transfer that was dropped after it was final and arrives again has a key of its own: the earlier key with this suffix.
 */
export const AGAIN = ':again';

/** A PIX that we sent and that came back, whole or in part: money in. */
export interface ReturnedPayoutEvent {
  readonly kind: 'payout_returned';
  /** Of the payout. */
  readonly endToEndId: string;
  /** `D…`, made by the bank of the payee. */
  readonly returnId: string;
  /** Decimal BRL. */
  readonly amount: string;
}

/** Outcome of a PIX payout of ours. */
export interface PayoutEvent {
  readonly kind: 'payout_ended';
  /** Key of the order. */
  readonly order: string;
  readonly isDone: boolean;
  /** Null for one that was rejected before it had one. */
  readonly endToEndId: string | null;
}

/** Outcome of an order to return money. */
export interface RefundEvent {
  readonly kind: 'refund_ended';
  readonly rail: 'pix' | 'chain';
  /** Key of the order; for a PIX the return id. */
  readonly order: string;
  /** Of the returned PIX; null on a network. */
  readonly endToEndId: string | null;
  readonly isDone: boolean;
  /** Set if the returned amount differs from the ordered one: it is booked after a person's decision. Decimal BRL. */
  readonly differs?: { readonly ordered: string; readonly returned: string };
  /** The network's share of it, decimal text in its currency; null without one. */
  readonly networkFee: string | null;
  /** The network's charge to the house; null when unknown. */
  readonly gas: Gas | null;
  /** Hash of the transfer that returns a deposit; null by PIX, if it failed, and if the rail does not report it. */
  readonly txHash: string | null;
}

/** A transfer of ours: it is in a block, final, or can never be mined. */
export interface BroadcastEvent {
  readonly kind: 'broadcast_sent' | 'broadcast_confirmed' | 'broadcast_failed';
  /** Key of the order; null if the rail knows only the hash. */
  readonly order: string | null;
  /** Raw ledger code. */
  readonly currency: string;
  /** Null for one that failed before it had one. */
  readonly txHash: string | null;
  readonly gas: Gas | null;
}

/** A network's final charge to the house for a transaction of ours. */
export interface GasEvent {
  readonly kind: 'gas_spent';
  /** Key of the order; null where the house moves its own money. */
  readonly order: string | null;
  readonly txHash: string;
  readonly gas: Gas;
}

/** A dispute (MED) about a received PIX: opened, accepted or rejected. */
export interface DisputeEvent {
  readonly kind: 'dispute_opened' | 'dispute_accepted' | 'dispute_rejected';
  /** The rail's name for it. */
  readonly disputeId: string;
  /** Of the payment. */
  readonly endToEndId: string;
  /** Decimal BRL; null for the whole remainder of the payment. */
  readonly amount: string | null;
  /** Reason of the other bank, if the rail reports it. */
  readonly reason?: string;
  /** Opening time, ISO 8601, if the rail reports it. */
  readonly openedAt?: string;
  /** Deadline of the answer, ISO 8601, if the rail reports it. */
  readonly dueAt?: string;
  /** Set where a rejection is a withdrawal by the other bank. */
  readonly isCancelled?: true;
}

/** A return by MED at a provider that lists disputes separately: the dispute itself books it. */
export interface DisputeReturnEvent {
  readonly kind: 'dispute_returned';
  /** The rail's name for the return. */
  readonly returnId: string;
  /** Of the payment. */
  readonly endToEndId: string;
  /** Decimal BRL. */
  readonly amount: string;
}

/** A fraud report about a received PIX (MED), which opens no dispute yet. */
export interface InfractionEvent {
  readonly kind: 'infraction';
  /** The rail's name for it. */
  readonly infractionId: string;
  /** Of the payment. */
  readonly endToEndId: string;
  /** Decimal BRL; null if the rail does not report it. */
  readonly amount: string | null;
  /** The other bank's reason; null when the rail does not report it. */
  readonly reason: string | null;
  /** ISO 8601, by the rail's clock. */
  readonly reportedAt: string;
  /** Deadline of the answer, ISO 8601, if the rail reports it. */
  readonly dueAt?: string;
  /** Decision of the provider, or a withdrawal; missing while it is open. */
  readonly decision?: MedDecision;
}

/**
 * A report that is not booked yet: the provider has not confirmed it, denies it, or a part of it is unreadable (C-36). The
 * rail polls for it again; the provider's answer is a separate event.
 */
export interface UnconfirmedEvent {
  readonly kind: 'unconfirmed';
  /** Distinguishes reports that differ in any member. */
  readonly reportId: string;
  readonly endToEndId: string;
  /** Name of our payout at the provider; null for a received PIX. */
  readonly payoutName: string | null;
  readonly txid: string | null;
  /** Decimal BRL; null for a dispute without an amount. */
  readonly amount: string | null;
  readonly pixKey: string | null;
  /** ISO 8601. */
  readonly settledAt: string | null;
  /** As of a payment, if the caller was proved to be the provider; else null. */
  readonly payerTaxId: string | null;
  /** Likewise. */
  readonly payerName?: string;
  /** Ends that it reports, of returns and of our payout, each by its names at the provider; missing in reports of versions before. */
  readonly ends?: readonly (readonly string[])[];
  /** The dispute or fraud report that the provider's list lacks; missing if it reports a PIX. */
  readonly dispute?: DisputeEvent | InfractionEvent;
  /** Whether the caller that reports a dispute was proved to be the provider. */
  readonly isProved?: boolean;
  /** Reason that it is not booked. */
  readonly reason: string;
}

/** Money that comes. */
export type ArrivalEvent = PaymentEvent | DepositEvent | ReturnedPayoutEvent;

/** A report about money that has arrived or is under way: it moves none by itself. */
export type ReportEvent =
  | PayoutEvent
  | RefundEvent
  | BroadcastEvent
  | GasEvent
  | DisputeEvent
  | DisputeReturnEvent
  | InfractionEvent
  | UnconfirmedEvent;

/** A report of a rail. */
export type RailEvent = ArrivalEvent | ReportEvent;

/** Outcome of an event, and its transaction if any. */
export interface Receipt {
  /**
   * `duplicate`: received before; `pending`: it is stored, and settled later; `failed`: its transaction never accepted it,
   * and it is in the operator's list.
   */
  readonly outcome: RailEventOutcome | 'duplicate' | WaitingOutcome;
  readonly row?: ProcessRow;
}

/** Accepts an event of a rail. Once this resolves, the event is stored and the rail may be answered. */
export type Receive = (event: RailEvent) => Promise<Receipt>;
