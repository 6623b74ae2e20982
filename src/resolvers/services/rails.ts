/**
 * What the gateway asks of the outside world. Orders carry a key of their own: an order that comes again under its key
 * is the same order. Answers that take time come later, as news.
 */
import type { Currency } from '../../base/money/currency.ts';
import type { WhitelistProof } from '../../chains/whitelist-proof.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { News } from './news.ts';
import type { RailStatement } from './statement.ts';

/** A rail's refusal for good: trying again is of no use. */
export class RailRefused extends Error {
  override readonly name = 'RailRefused';
}

/** An order about a transaction. */
export interface Order {
  /** Idempotency key. */
  readonly key: string;
  readonly row: ProcessRow;
}

/** An order to give money back that no transaction took; `refund_ended` news follows under its key. */
export interface GiveBack {
  readonly key: string;
  /** Whose suspense it lies in. */
  readonly accountId: bigint;
}

/** Whose a PIX key is that nobody has. */
export const NO_OWNER = 'nobody';

/**
 * What a provider says of an order: it does not have it; it is under way; it has decided it, or had before; another amount went back than
 * was ordered; it cannot be asked.
 */
export type OrderAnswer = 'unknown' | 'open' | 'decided' | 'differs' | 'away';

/** PIX at a payment service provider (domain.md 3.5). */
export interface PixRail {
  /** The bank that the house settles at, 8 characters of `[0-9A-Z]`: ids that we make begin with it. */
  readonly ispb: string;
  /** Whether a payment of which nobody tells the payer is held for a person to look at; it passes when not set. */
  readonly holdsUnknownPayer?: boolean;
  /**
   * Opens the charge of a transaction; its code carries the name of the merchant where the provider allows that.
   *
   * @returns its copy-and-paste code.
   * @throws {RailRefused}
   */
  readonly createCharge: (
    order: Order & { readonly txid: string; readonly merchantName: string },
  ) => Promise<{ readonly brCode: string }>;
  /** Withdraws a charge, so that nobody can pay it any more. */
  readonly cancelCharge: (order: Order) => Promise<unknown>;
  /**
   * Asked before a charge is called expired: what it was paid with. A rail that is never late has no use for it.
   *
   * @returns the payments that the provider tells of; whoever asks receives them.
   */
  readonly askCharge?: (order: Order & { readonly txid: string }) => Promise<readonly News[]>;
  /** Pays BRL to the transaction's PIX key; `payout_ended` news follows under the key. */
  readonly payOut: (order: Order & { readonly amount: string }) => Promise<unknown>;
  /**
   * Returns BRL of the payment that came, under our return id; `refund_ended` news follows with the id.
   *
   * @throws {RailRefused}
   */
  readonly returnPayment: (
    order: Order & { readonly returnId: string; readonly amount: string; readonly isExcess: boolean },
  ) => Promise<unknown>;
  /** Returns a PIX that no transaction took. */
  readonly giveBack: (
    order: GiveBack & { readonly endToEndId: string; readonly amount: string },
  ) => Promise<unknown>;
  /** @returns CPF or CNPJ of whom a key belongs to; `NO_OWNER` where there is no such key; null where the directory does not tell. */
  readonly keyOwner: (row: ProcessRow) => Promise<string | null>;
  /** Asks about an order of ours that is not decided; what the provider tells is received. A rail that never loses one has no use for it. */
  readonly askOrder?: (key: string) => Promise<OrderAnswer>;
  /** What moved, for reconciliation; absent where the provider has nothing to read it from. */
  readonly statement?: RailStatement;
}

/** The networks. */
export interface ChainRail {
  /** @returns what a transfer costs, minor units of the currency itself. */
  readonly networkFee: (currency: Currency) => Promise<bigint>;
  /** @returns an address to receive deposits at; one of its own for each call where the network allows it. */
  readonly depositAddress: (currency: Currency) => Promise<string>;
  /** Watches for a deposit; `deposit_seen` and `deposit_confirmed` follow when it is made. */
  readonly watchDeposit: (
    order: Order & { readonly currency: Currency; readonly address: string; readonly exactAmount: string },
  ) => Promise<unknown>;
  /** Sends crypto; `broadcast_sent` and `broadcast_confirmed` news follow, or `broadcast_failed`. */
  readonly send: (
    order: Order & {
      readonly currency: Currency;
      readonly to: string;
      readonly amountMinor: bigint;
      /** Of a withdrawal: its destination is whitelisted, with the proof that was made of it, if any. */
      readonly whitelisted?: { readonly proof: WhitelistProof | null };
    },
  ) => Promise<unknown>;
  /** Sends a deposit back that no transaction took. @throws as `sendBack`. */
  readonly giveBack: (
    order: GiveBack & { readonly currency: Currency; readonly to: string; readonly amountMinor: bigint },
  ) => Promise<unknown>;
  /**
   * Sends a held deposit back; `refund_ended` news follows under the key.
   *
   * @throws {RailRefused} where it is no more than what it costs: nothing is ever sent under the key then.
   */
  readonly sendBack: (
    order: Order & { readonly currency: Currency; readonly to: string; readonly amountMinor: bigint },
  ) => Promise<unknown>;
  /** @returns what moved on a network, and what there is, for reconciliation; undefined where there is nothing to read it from. */
  readonly statementOf?: (network: string) => RailStatement | undefined;
}

/** There is no price that may be quoted, also none of before; the message says why to whoever asks for a price. */
export class RateRefused extends Error {
  override readonly name = 'RateRefused';
}

/** What a feed says of an asset, and whether that counts. */
export interface FeedReport {
  readonly feed: string;
  /** BRL for one unit; null where there is none. */
  readonly price: string | null;
  readonly observedAtMs: number | null;
  /** It counts; it is too old; it is too far from the others; it says nothing. */
  readonly state: 'IN' | 'STALE' | 'OFF' | 'NONE';
  /** Why it does not count; empty where it does. */
  readonly why: string;
}

/** What the feeds say of an asset together. */
export interface RateReport {
  readonly asset: string;
  /** Enough feeds agree; too few have a young price; too few of those that have one agree. */
  readonly state: 'AGREED' | 'STALE' | 'CONTESTED';
  /** BRL for one unit; null unless they agree. */
  readonly mid: string | null;
  readonly observedAtMs: number | null;
  /** So many have to agree. */
  readonly quorum: number;
  readonly feeds: readonly FeedReport[];
}

/** Mid-market rates. */
export interface RateSource {
  /**
   * @returns BRL for one unit of the asset, and when that was so; undefined when nothing is known of it now.
   * @throws {RateRefused}
   */
  readonly observe: (
    asset: string,
  ) => Promise<{ readonly mid: string; readonly observedAtMs: number } | undefined>;
  /** @returns what each source says, where there are several. */
  readonly report?: () => Promise<readonly RateReport[]>;
}

/** Checks of customers and payees. */
export interface IdentityCheck {
  readonly check: (order: Order) => Promise<'passed' | 'irregular' | 'step_up' | 'review'>;
  /** Set where customers have cases, which transactions ask for: `check` is not called then. */
  readonly cases?: CaseChecks;
}

/** How cases of customers are checked. */
export interface CaseChecks {
  /** Kind of the rail; null: people decide. */
  readonly provider: string | null;
  /** Levels that the provider checks; people decide about `VERIFIED` otherwise, and for `BASIC` no case is needed. */
  readonly levels: readonly CustomerLevel[];
  /** For how long an approval holds. Unit: ms. */
  readonly validMs: number;
  /**
   * @returns the page of the provider for the customer of a case, new for each call where the provider makes such links; null where
   *   there is none now.
   */
  readonly link?: (row: CustomerCase) => Promise<string | null>;
}

/** Screening of payments, addresses and people against lists and rules. */
export interface Screening {
  readonly screen: (order: Order) => Promise<'cleared' | 'held' | 'step_up'>;
}

/** What the house owns of a currency, with its limits; decimal texts. */
export interface HousePosition {
  readonly currency: Currency;
  /** Below zero: what it lacks. */
  readonly owned: string;
  readonly target: string;
  /** Conversions never bring it to own more, or to lack more than `short`. */
  readonly long: string;
  readonly short: string;
  /** What is missing to the target; below zero what is too much. */
  readonly missing: string;
  readonly isWithin: boolean;
}

/** Where positions are bought and sold. */
export interface Liquidity {
  /** Answers for a conversion that is booked: it stands, or is unwound. */
  readonly convert: (order: Order) => Promise<'settled' | 'failed'>;
  /** @returns the positions, where the house converts against its own. */
  readonly positions?: () => Promise<readonly HousePosition[]>;
}

/** All of them. */
export interface Rails {
  /** What is not configured, by the names of `railsFor`; nothing when not given. */
  readonly missing?: readonly string[];
  readonly pix: PixRail;
  readonly chain: ChainRail;
  readonly rates: RateSource;
  readonly identity: IdentityCheck;
  readonly screening: Screening;
  readonly liquidity: Liquidity;
  /** Account at the bank that files of the bank must be of; any account if it is not configured. */
  readonly bankAccount?: string | undefined;
  /** Origin of the page of the signer, on which people prove destinations; undefined: there is none. */
  readonly signerPage?: string | undefined;
}
