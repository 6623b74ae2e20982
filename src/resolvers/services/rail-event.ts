/**
 * Rail events in the words of the gateway: a rail translates its reports and passes them to `receive`, which finds
 * their target. A rail never decides that, and never leaves out an event because no transaction seems to wait for it
 * (C-34).
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
  /** CPF or CNPJ; null where the rail does not tell. */
  readonly payerTaxId: string | null;
}

/** A transfer to an address of ours: seen, final, or dropped by the network before it was final. */
export interface DepositEvent {
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

/** A transfer that was dropped after it was final and comes again has a key of its own: the one before with this behind it. */
export const AGAIN = ':again';

/** A PIX that we sent and that came back, whole or in part: money that comes. */
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

/** Outcome of an order to give money back. */
export interface RefundEvent {
  readonly kind: 'refund_ended';
  readonly rail: 'pix' | 'chain';
  /** Key of the order; for a PIX the return id. */
  readonly order: string;
  /** Of the PIX that goes back; null on a network. */
  readonly endToEndId: string | null;
  readonly isDone: boolean;
  /** Set when another amount went back than was ordered: it is booked after a person's decision. Decimal BRL. */
  readonly differs?: { readonly ordered: string; readonly returned: string };
  /** The network's share of it, decimal text in its currency; null without one. */
  readonly networkFee: string | null;
  /** The network's charge to the house; null when unknown. */
  readonly gas: Gas | null;
  /** Of the transfer that brings a deposit back; null by PIX, where it failed, and where the rail does not tell. */
  readonly txHash: string | null;
}

/** A transfer of ours: a network has it, is sure of it, or will never have it. */
export interface BroadcastEvent {
  readonly kind: 'broadcast_sent' | 'broadcast_confirmed' | 'broadcast_failed';
  /** Key of the order; null where the rail knows the hash alone. */
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

/** A dispute (MED) about a PIX that came: opened, accepted or rejected. */
export interface DisputeEvent {
  readonly kind: 'dispute_opened' | 'dispute_accepted' | 'dispute_rejected';
  /** The rail's name for it. */
  readonly disputeId: string;
  /** Of the payment. */
  readonly endToEndId: string;
  /** Decimal BRL; null for the whole remainder of the payment. */
  readonly amount: string | null;
  /** Reason of the other bank, where the rail tells. */
  readonly reason?: string;
  /** When it was opened, ISO 8601, where the rail tells. */
  readonly openedAt?: string;
  /** End of the time to answer, ISO 8601, where the rail tells. */
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

/** A report of fraud about a PIX that came (MED), which opens no dispute yet. */
export interface InfractionEvent {
  readonly kind: 'infraction';
  /** The rail's name for it. */
  readonly infractionId: string;
  /** Of the payment. */
  readonly endToEndId: string;
  /** Decimal BRL; null where the rail does not tell. */
  readonly amount: string | null;
  /** The other bank's reason; null when the rail does not report it. */
  readonly reason: string | null;
  /** ISO 8601, by the rail's clock. */
  readonly reportedAt: string;
  /** End of the time to answer, ISO 8601, where the rail tells. */
  readonly dueAt?: string;
  /** Decision of the provider, or a withdrawal; missing while it is open. */
  readonly decision?: MedDecision;
}

/**
 * A report that is not booked yet: the provider has not confirmed it, denies it, or a part of it is unreadable
 * (C-36). The rail asks about it again; the provider's answer is an event of its own.
 */
export interface UnconfirmedEvent {
  readonly kind: 'unconfirmed';
  /** Tells reports apart that differ in anything. */
  readonly reportId: string;
  readonly endToEndId: string;
  /** Name of our payout at the provider; null for a PIX that came. */
  readonly payoutName: string | null;
  readonly txid: string | null;
  /** Decimal BRL; null for a dispute without an amount. */
  readonly amount: string | null;
  readonly pixKey: string | null;
  /** ISO 8601. */
  readonly settledAt: string | null;
  /** CPF or CNPJ, where the caller was proved to be the provider; else null. */
  readonly payerTaxId: string | null;
  /** Ends that it reports, of returns and of our payout, each by its names at the provider; missing in reports of versions before. */
  readonly ends?: readonly (readonly string[])[];
  /** The dispute or report of fraud that the list of the provider lacks; missing where it reports a PIX. */
  readonly dispute?: DisputeEvent | InfractionEvent;
  /** Whether the caller that reports a dispute was proved to be the provider. */
  readonly isProved?: boolean;
  /** Reason that it is not booked. */
  readonly reason: string;
}

/** Money that comes. */
export type ArrivalEvent = PaymentEvent | DepositEvent | ReturnedPayoutEvent;

/** A report about money that is there or on its way: it moves none by itself. */
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
   * `duplicate`: it came before; `pending`: it is stored, and settled later; `failed`: its transaction never accepted
   * it, and it is in the operator's list.
   */
  readonly outcome: RailEventOutcome | 'duplicate' | WaitingOutcome;
  readonly row?: ProcessRow;
}

/** Accepts an event of a rail. Once this resolves, the event is stored and the rail may be answered. */
export type Receive = (event: RailEvent) => Promise<Receipt>;
