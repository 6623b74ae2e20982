/**
 * The canonical facts of a transaction, the same for all templates: the columns that attributes are mapped to. Decimals are
 * text, instants have the database's format, and unknown facts are null.
 */

import type { StepName } from '../base/ids/step-name.ts';
import type { Instant } from '../base/time/instant.ts';

/**
 * The only list of facts, with the stored type of each. Its column has the same name in snake_case. Types, columns, the
 * blank row, imported history and the records of tests follow from it.
 */
export const FACTS = {
  quote: 'decimal',
  refQuote: 'decimal',
  fees: 'decimal',
  sourceCurrency: 'text',
  sourceAmount: 'decimal',
  targetCurrency: 'text',
  targetAmount: 'decimal',
  // A text keeps exactly the digits with which history was published.
  networkFee: 'text',
  exactDepositAmount: 'text',
  pixE2e: 'text',
  pixKey: 'text',
  pixKeyType: 'text',
  clientName: 'text',
  clientTaxId: 'text',
  expiresAt: 'instant',
  returnUrl: 'text',
  externalCode: 'text',
  webhook: 'text',
  fixedLink: 'text',
  wallet: 'text',
  depositAddress: 'text',
  txHash: 'text',
  groupId: 'text',
  notes: 'text',
} as const satisfies Readonly<Record<string, 'text' | 'decimal' | 'instant'>>;

type ListedFacts = { readonly [Name in keyof typeof FACTS]: string | null };

/** Facts that a template may publish as attributes. */
export interface Facts extends ListedFacts {
  readonly template: string;
}

/** A transaction without any facts. */
export const NO_FACTS: ListedFacts = Object.fromEntries(
  Object.keys(FACTS).map((name) => [name, null]),
) as ListedFacts;

/** A stored transaction: its identity, its step, and its facts. */
export interface TransactionRow extends Facts {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly end2end: string;
  readonly component: string;
  readonly state: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly errorEn: string;
  readonly errorPt: string;
  /** Published texts that differ from what the facts would give, by wire name (imported history, C-70). */
  readonly asPublished: Readonly<Record<string, string>> | null;
}

/** Published facts of a transaction: all except its internal ids. */
export type PublishedRow = Omit<TransactionRow, 'accountId' | 'id'>;

/**
 * Working facts of a process that are not published. Amounts are decimal text; a transaction of imported history has none of
 * them, and accepts no trigger.
 */
export interface Process {
  /** Changes of state so far: the position of the newest event in the transaction. */
  readonly sequence: number;
  /** Number of journals posted in addition to those of events, which makes their refs unique. */
  readonly posted?: number;
  /** Id of the key or the person that made it; null for a session that a visitor opened. */
  readonly createdBy: string | null;
  /** Whether its creator has accepted the quote by creating it. */
  readonly isAccepted?: boolean;
  /** Whether a withdrawal waits at its own step for approval (C-22), and whether it was approved. */
  readonly needsApproval?: boolean;
  readonly isApproved?: boolean;
  /** Money out that waits for approval (C-25). */
  readonly approval?: Approval | undefined;
  /** Money that has left under the rule; amounts that come back are subtracted. */
  readonly hasOutflow?: true;
  /** Whether the customer or payee is admitted: verified, or approved after extra verification. */
  readonly isAdmitted?: boolean;
  /** Whether compliance rejected it, so that the payment is being refunded. */
  readonly isTurnedDown?: boolean;
  /** Whether it holds money of a sanctioned person, which two people have to release. */
  readonly isFrozen?: boolean;
  /** First of the two. */
  readonly release?: { readonly by: string; readonly reason: string } | undefined;
  /**
   * Time of the release by a person, ISO 8601: earlier hits no longer stop it; a freezing hit does unless two people released
   * it.
   */
  readonly released?: { readonly from: 'held' | 'frozen'; readonly at: string };
  /** The step at which screening stopped money that was about to be refunded. */
  readonly stoppedAt?: StepName | undefined;
  /** Whether a deposit of a wrong amount, or a late one, waits for the screening of its sender. */
  readonly awaitsScreening?: boolean;
  /** The PIX charge: its txid and its copy-and-paste code. */
  readonly txid?: string;
  readonly brCode?: string;
  /** Time at which the session was ended early (sandbox). */
  readonly expiredAt?: string;
  /** Paid BRL that is neither refunded nor converted yet. */
  readonly paid?: string;
  /** BRL that was paid beyond the price. */
  readonly excess?: string;
  /** CPF or CNPJ of the payer, if the rail reports it; hidden characters are `*`, and the visible ones contradict the customer's. */
  readonly payerTaxId?: string | null;
  /** Name of the payer as the rail reports it, if it differs from the customer's declared name. */
  readonly payerName?: string;
  /** The deposit as the network reports it: hash, log index and amount. */
  readonly deposit?: {
    readonly txHash: string;
    readonly logIndex: number;
    readonly amount: string;
    readonly isLate: boolean;
    readonly from: string;
    /** Whether the network dropped it after it had been final; its value is owed to the house. */
    readonly isLost?: true;
  } | null;
  /** The customer's corrected data before the confirmation; published with it. */
  readonly correction?: { readonly clientName: string; readonly clientTaxId: string };
  /** Return address of a held deposit, and the step at which it was held; undefined after a failed return. */
  readonly refundAddress?: string | undefined;
  /** Worth in BRL of a deposit when it was sent to another address than its own. */
  readonly refundWorth?: string | undefined;
  readonly heldAt?: StepName | undefined;
  /** Hash of the transfer that sent it back. */
  readonly refundTxHash?: string;
  /** Whether a held deposit was converted later, from the balance. */
  readonly isRequoted?: boolean;
  /** Time of the payment, by the clock of the rail if that reports it; ISO 8601. */
  readonly paidAt?: string;
  /** BRL that a withdrawal is worth. */
  readonly worth?: string;
  /** Amount that limits count (C-21, C-22). */
  readonly counted?: Counted | undefined;
  /** Whether the payment exceeds the customer's daily limit, and is held. */
  readonly isOverLimit?: boolean;
  /** Whether the volume of 30 days requires extra verification of the customer, or was approved. */
  readonly stepUp?: 'due' | 'approved' | undefined;
  /** Crypto that is held because of a dispute. */
  readonly disputed?: string;
  /** Amount of a dispute, in minor units: its part of the conversion. */
  readonly dispute?: ConvertedPart;
  /** The rail's name for that dispute, if it has one. */
  readonly disputeId?: string | undefined;
  /** Cents of the open dispute, if refunds under way leave less of the payment. */
  readonly disputeClaim?: string | undefined;
  /** Rejected disputes, by the rail's names: a bank may still accept one. */
  readonly rejectedDisputes?: readonly DisputeClaim[];
  /** Open MED cases about the payment, by kind and the rail’s name; meanwhile it cannot be refunded. */
  readonly medCases?: readonly string[];
  /** A dispute about a payment that is being refunded whole. */
  readonly refundDispute?: DisputeClaim | undefined;
  /**
   * Time at which the payment was finished, if a later event moved the step; disputes and refunds count their days from it.
   */
  readonly finishedAt?: Instant;
  /** Every refund to the payer, under way or ended, in the order in which they were requested. */
  readonly returns?: readonly PixReturn[];
  /** Time from which the charge is known to exist, ISO 8601: an earlier payment is impossible. */
  readonly chargedAt?: string;
  /** Time of the price, ISO 8601, at which its lock begins (C-21). */
  readonly pricedAt?: string;
  /** Side of the price that the request fixes; BRL by default. */
  readonly fixes?: 'brl' | 'crypto';
  /** The ended session that this one replaces. */
  readonly renews?: RenewedOrder;
  /** Token of the hosted page. */
  readonly session?: string;
}

/** Money out that waits for people other than its maker (C-25). */
export interface Approval {
  /** Id of the key or the person that requested it. */
  readonly maker: string;
  readonly reason: ApprovalReason;
  /** Number of required approvals, each by another maker. */
  readonly needed: number;
  /** Ids of the keys and people that have approved it. */
  readonly by: readonly string[];
  /** ISO 8601. */
  readonly askedAt: string;
  /** The trigger that is applied after enough makers have approved; a withdrawal continues from its own step. */
  readonly trigger?: WaitingTrigger;
}

/** Whether the amount exceeds the threshold of the day, or a ceiling of the hour. */
export type ApprovalReason = 'threshold' | 'ceiling';

/** A trigger of the account holder that can wait for approval. */
export type WaitingTrigger =
  | { readonly on: 'accepted' }
  | ({ readonly on: 'identity_given'; readonly clientName: string; readonly clientTaxId: string } & {
      readonly payout?: Pick<Facts, 'pixKey' | 'pixKeyType'>;
    })
  | { readonly on: 'payment_refunded'; readonly amount?: string }
  | { readonly on: 'refund_ordered'; readonly address: string; readonly worth?: string };

/** Counted amount of a transaction, stored so that the same amount can be subtracted later. */
export interface Counted {
  readonly subject: string;
  /** Day in Brasília. */
  readonly day: string;
  readonly brl: string;
  readonly isPaid: boolean;
}

/** A dispute by the rail's name, and its amount in cents; the whole remainder if the rail names no amount. */
export interface DisputeClaim {
  readonly id?: string | undefined;
  readonly claim?: string | undefined;
  readonly isAccepted?: true;
}

/** A part of a conversion in minor units, as text. */
export interface ConvertedPart {
  readonly brl: string;
  readonly fee: string;
  readonly crypto: string;
}

/**
 * Reason for a refund of BRL: a payment that is not converted, an excess over the price, a refund of the whole
 * remainder or of a part by the account holder, or an accepted dispute.
 */
export type ReturnKind = 'payment' | 'excess' | 'refund' | 'part' | 'dispute';

/**
 * States of a refund: ordered and not ended; returned; failed and still owed to the payer; failed and ordered again
 * under another id; failed and paid by hand; failed and credited back to the balance.
 */
export type ReturnState = 'requested' | 'done' | 'failed' | 'retried' | 'paid_by_hand' | 'credited_back';

/** A refund of BRL to the payer, under way or ended. */
export interface PixReturn {
  /** Return id of PIX, `D…`. */
  readonly returnId: string;
  readonly kind: ReturnKind;
  readonly state: ReturnState;
  /** BRL, decimal text. */
  readonly amount: string;
  /** ISO 8601. */
  readonly requestedAt: string;
  readonly endedAt?: string;
  /** Share of the conversion that it unwinds; less than the amount if the payer got the same money twice. */
  readonly part?: ConvertedPart;
  /** Note of the operator about a payment by hand. */
  readonly reference?: string | undefined;
  /** For an accepted dispute: the disputed cents, if running refunds left less of the payment. */
  readonly claim?: string | undefined;
  /** Name of the dispute that paid the payer this money before the refund could. */
  readonly dispute?: string | undefined;
  /** Whether a dispute paid the payer this money while the rail had the refund, whose outcome is still open. */
  readonly isOvertaken?: true | undefined;
}

/** A session that ended without a payment, with the amounts of its order. */
export interface RenewedOrder {
  readonly end2end: string;
  readonly targetAmount: string | null;
}

/** A transaction in the form that the machine uses. */
export interface ProcessRow extends TransactionRow {
  readonly depositFrom: string | null;
  readonly process: Process | null;
}

/** Facts that are computed from columns. */
export type DerivedFact = 'explorerUrl' | 'amountDisplay';

/** Possible sources of an attribute. */
export type FactName = keyof Facts | DerivedFact;
