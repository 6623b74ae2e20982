/**
 * Triggers of a transaction: all inputs of a machine from callers, rails and the clock, with the facts of each.
 * Amounts are decimal text, times ISO 8601 to the millisecond.
 */
import type { Facts } from './facts.ts';

/** Hours before the deadline of a MED case at which an alarm is raised, largest first. */
export const MED_ALARMS = [48, 24, 6] as const;
/** A member of MED_ALARMS. */
export type MedAlarm = (typeof MED_ALARMS)[number];

type Nothing = Record<never, never>;

/** A price: the facts that a quote fixes. */
export type QuoteFacts = Pick<
  Facts,
  'quote' | 'refQuote' | 'fees' | 'sourceAmount' | 'targetAmount' | 'networkFee'
>;

/** Charge of a network to the house, in minor units of the network's coin. */
export interface Gas {
  readonly currency: string;
  readonly amountMinor: string;
}

/** Facts of each trigger, by name. */
export interface TriggerFacts {
  /** The transaction is created. */
  created: Nothing;
  /** No price could be made. */
  quote_failed: Nothing;
  /** The customer entered an amount, which was priced; this sets the end of the session. */
  amount_given: { readonly price: QuoteFacts; readonly pricedAt: string } & Pick<Facts, 'expiresAt'>;
  /** The quote is accepted. */
  accepted: Nothing;
  /** The customer or payee is named; `payout` if the money goes to a PIX key. */
  identity_given: {
    readonly clientName: string;
    readonly clientTaxId: string;
    readonly payout?: Pick<Facts, 'pixKey' | 'pixKeyType'>;
  };
  identity_confirmed: Nothing;
  /** The customer's limit does not allow it. */
  limit_exceeded: Nothing;
  identity_passed: Nothing;
  identity_irregular: Nothing;
  step_up_required: Nothing;
  review_required: Nothing;
  /** A step-up is decided; `reason` if a person decided it. */
  step_up_approved: { readonly reason?: string };
  step_up_denied: { readonly reason?: string };
  /** The customer or payee was denied after the check had passed. */
  identity_revoked: Nothing;
  /** The PIX key belongs to another person. */
  key_divergent: Nothing;
  charge_created: { readonly txid: string; readonly brCode: string };
  charge_failed: Nothing;
  /** The session ended; `isForced` ends it before its time. */
  expired: { readonly isForced?: boolean };
  cancelled: Nothing;
  /**
   * A PIX arrived; `settledAt` determines whether it is late (C-32). `price`: the price of its arrival, if the lock was
   * over (C-21).
   */
  pix_received: {
    readonly endToEndId: string;
    readonly amount: string;
    readonly settledAt: string;
    /** Hidden characters are `*`. */
    readonly payerTaxId: string | null;
    readonly payerName?: string | null | undefined;
    readonly price?: QuoteFacts;
  };
  /** Screening found no hit, or holds the transaction. */
  cleared: Nothing;
  held: Nothing;
  /** A sanctioned payer, sender or destination. */
  frozen: Nothing;
  /**
   * `by`: id of the key or the person; `reason` if a person decided. `replaces`: author of the first release of frozen money
   * whose access has ended: this release is the first in its place.
   */
  released: { readonly by?: string; readonly reason?: string; readonly replaces?: string };
  hold_rejected: { readonly reason?: string };
  swap_settled: Nothing;
  swap_failed: Nothing;
  /** The payment has to be refunded to the payer. */
  refund_requested: Nothing;
  /** A refund has ended, successfully or not; without an id it is the one that the step waits for. */
  refund_settled: { readonly returnId?: string };
  refund_failed: { readonly returnId?: string };
  /** Failed refunds are ordered again, with a `reason` by a person; or were paid to the payer by hand. */
  refund_retried: { readonly reason?: string };
  refund_paid_by_hand: { readonly reference: string };
  /** The account holder refunds a finished payment; the whole remainder without an amount (C-35). */
  payment_refunded: { readonly amount?: string };
  /** An outgoing on-chain transfer; `gas` is the network's charge to the house, in minor units of its coin. */
  delivery_broadcast: {
    readonly txHash: string;
    readonly gas: Gas | null;
  };
  delivery_confirmed: Nothing;
  delivery_failed: Nothing;
  payout_settled: { readonly endToEndId: string };
  payout_rejected: Nothing;
  /** A PIX payout came back: the whole one if the amount is missing. */
  payout_returned: { readonly amount?: string };
  /** Address and exact amount of an expected deposit. */
  deposit_ready: { readonly address: string; readonly exactAmount: string };
  /** A deposit was seen, but is not final; `price` as for a PIX. */
  deposit_seen: {
    readonly txHash: string;
    readonly logIndex: number;
    readonly amount: string;
    readonly from: string;
    readonly seenAt: string;
    readonly price?: QuoteFacts;
  };
  /** `logIndex` distinguishes transfers of one hash, if the rail reports it. */
  deposit_confirmed: { readonly txHash: string; readonly logIndex?: number };
  deposit_dropped: { readonly txHash: string; readonly logIndex?: number };
  /**
   * A held deposit is sent back, kept, or converted at a new price. `worth`: BRL, if it goes to another address than
   * its own.
   */
  refund_ordered: { readonly address: string; readonly worth?: string };
  kept: Nothing;
  requoted: { readonly price: QuoteFacts };
  /** The deposit was returned to its sender; `networkFee` in its own currency. */
  return_confirmed: {
    readonly networkFee: string;
    readonly gas?: Gas | null;
    readonly txHash?: string | null;
  };
  /** The deposit could not be sent back. */
  return_failed: Nothing;
  /** A dispute (MED) about an amount of the payment; about the whole remainder if no amount is given. */
  dispute_opened: { readonly amount?: string; readonly disputeId?: string };
  /** Without an id it is the dispute that the step waits for. */
  dispute_accepted: { readonly disputeId?: string };
  dispute_rejected: { readonly disputeId?: string };
  /** The rail's statement reports the amount of the payment that a dispute returned. */
  dispute_returned: { readonly amount: string };
  /** A MED case about the payment is opened: a dispute, or a report of fraud. `name`: kind and the rail's name for it. */
  med_opened: { readonly name: string; readonly isReport: boolean };
  /** The deadline to answer the case ends within the given hours. */
  med_due: { readonly name: string; readonly hours: MedAlarm };
  /** The case was decided or cancelled. */
  med_closed: { readonly name: string; readonly isReport: boolean };
  /** `by`: id of the key or the person. `worth`: current worth in BRL of a redirected deposit or a withdrawal. */
  approved: { readonly by: string; readonly worth?: string };
  rejected: Nothing;
  /** The step was reached without further input; for steps that are only passed through. */
  reached: Nothing;
}

/** Name of a trigger. */
export type TriggerName = keyof TriggerFacts;

/** A trigger with its data. */
export type Trigger<Name extends TriggerName = TriggerName> = {
  [Each in Name]: { readonly on: Each } & TriggerFacts[Each];
}[Name];
