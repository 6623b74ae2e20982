/**
 * Ports to the outside world. Orders carry a key of their own: a repeated key is the same order. Slow answers arrive later,
 * as rail events.
 */
import type { Currency } from '../../base/money/currency.ts';
import type { WhitelistProof } from '../../chains/whitelist-proof.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';
import type { MedAnalysis } from '../../store/rails/med-answers.ts';
import type { MedKind } from '../../store/rails/med-cases.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { RailEvent } from './rail-event.ts';
import type { RailStatement } from './statement.ts';

/** A rail's final refusal: retrying is of no use. */
export class RailRefused extends Error {
  override readonly name = 'RailRefused';
}

/** An order about a transaction. */
export interface Order {
  /** Idempotency key. */
  readonly key: string;
  readonly row: ProcessRow;
}

/** An order to give money back that no transaction took; a `refund_ended` event follows under its key. */
export interface RefundOrder {
  readonly key: string;
  /** Account whose suspense holds it. */
  readonly accountId: bigint;
}

/** Owner of a PIX key that has none. */
export const NO_OWNER = 'nobody';

/**
 * Answer of a provider about an order: unknown; under way; decided, now or before; returned with another amount than ordered;
 * unreachable.
 */
export type OrderAnswer = 'unknown' | 'open' | 'decided' | 'differs' | 'away';

/** An answer to a MED case. */
export interface MedAnswerOrder {
  /** Idempotency key: the provider accepts the answer once under it. */
  readonly key: string;
  readonly kind: MedKind;
  /** The rail's name for the case. */
  readonly reference: string;
  readonly analysis: MedAnalysis;
  readonly body: string;
  readonly files: readonly MedAnswerFile[];
  /** Whether it may have been sent before. */
  readonly isRepeat: boolean;
}

/** A file of an answer. */
export interface MedAnswerFile {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  readonly content: Buffer;
}

/** PIX at a payment service provider (domain.md 3.5). */
export interface PixRail {
  /** Code of the house's settlement bank, 8 characters of `[0-9A-Z]`: our ids begin with it. */
  readonly ispb: string;
  /** Whether a payment without a reported payer is held for a person; it passes by default. */
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
  /** Withdraws a charge, so that it can no longer be paid. */
  readonly cancelCharge: (order: Order) => Promise<unknown>;
  /**
   * Queries the payments of a charge before it counts as expired. Rails that are never late leave it out.
   *
   * @returns the provider's reports of payments; the caller receives them.
   */
  readonly queryCharge?: (order: Order & { readonly txid: string }) => Promise<readonly RailEvent[]>;
  /** Pays BRL to the transaction's PIX key; a `payout_ended` event follows under the key. */
  readonly payOut: (order: Order & { readonly amount: string }) => Promise<unknown>;
  /**
   * Returns BRL of the payment that came, under our return id; a `refund_ended` event follows with the id.
   *
   * @throws {RailRefused}
   */
  readonly returnPayment: (
    order: Order & { readonly returnId: string; readonly amount: string; readonly isExcess: boolean },
  ) => Promise<unknown>;
  /** Returns a PIX that no transaction accepted. */
  readonly refund: (
    order: RefundOrder & { readonly endToEndId: string; readonly amount: string },
  ) => Promise<unknown>;
  /**
   * @returns CPF or CNPJ of the owner of a key; `NO_OWNER` if there is no such key; null if the directory does not report it.
   */
  readonly keyOwner: (row: ProcessRow) => Promise<string | null>;
  /**
   * Polls an undecided order of ours; the provider's reports are received. Rails that never lose one leave it out.
   */
  readonly queryOrder?: (key: string) => Promise<OrderAnswer>;
  /** Movements for reconciliation; absent when the provider has no source of them. */
  readonly statement?: RailStatement;
  /**
   * Answers a MED case. Absent if the provider accepts answers only on its screens.
   *
   * @throws {RailRefused}
   */
  readonly answerMedCase?: (answer: MedAnswerOrder) => Promise<unknown>;
}

/** The networks. */
export interface ChainRail {
  /** @returns the cost of a transfer, minor units of the currency itself. */
  readonly networkFee: (currency: Currency) => Promise<bigint>;
  /** @returns an address to receive deposits at; a new one for each call where the network allows it. */
  readonly depositAddress: (currency: Currency) => Promise<string>;
  /** Watches for a deposit; `deposit_seen` and `deposit_confirmed` are reported after the deposit. */
  readonly watchDeposit: (
    order: Order & { readonly currency: Currency; readonly address: string; readonly exactAmount: string },
  ) => Promise<unknown>;
  /** Sends crypto; `broadcast_sent` and `broadcast_confirmed` events follow, or `broadcast_failed`. */
  readonly send: (
    order: Order & {
      readonly currency: Currency;
      readonly to: string;
      readonly amountMinor: bigint;
      /** For a withdrawal: its destination is whitelisted, with its proof, if any. */
      readonly whitelisted?: { readonly proof: WhitelistProof | null };
    },
  ) => Promise<unknown>;
  /** Sends back a deposit that no transaction accepted. @throws as `sendBack`. */
  readonly refund: (
    order: RefundOrder & { readonly currency: Currency; readonly to: string; readonly amountMinor: bigint },
  ) => Promise<unknown>;
  /**
   * Sends back a held deposit; a `refund_ended` event follows under the key.
   *
   * @throws {RailRefused} when it is worth no more than its cost: then no transfer is ever sent under the key.
   */
  readonly sendBack: (
    order: Order & { readonly currency: Currency; readonly to: string; readonly amountMinor: bigint },
  ) => Promise<unknown>;
  /** @returns movements on a network, and its balances, for reconciliation; undefined without a source. */
  readonly statementOf?: (network: string) => RailStatement | undefined;
}

/** No price may be quoted, including earlier ones; the message tells the caller the reason. */
export class RateRefused extends Error {
  override readonly name = 'RateRefused';
}

/** Price of a feed for an asset, and whether it counts. */
export interface FeedReport {
  readonly feed: string;
  /** BRL for one unit; null if there is none. */
  readonly price: string | null;
  readonly observedAtMs: number | null;
  /** Counts; too old; too far from the others; has no price. */
  readonly state: 'IN' | 'STALE' | 'OFF' | 'NONE';
  /** Reason for which it does not count; empty if it does. */
  readonly why: string;
}

/** Prices of all feeds for an asset. */
export interface RateReport {
  readonly asset: string;
  /** Enough feeds agree; too few have a recent price; too few recent prices agree. */
  readonly state: 'AGREED' | 'STALE' | 'CONTESTED';
  /** BRL for one unit; null unless they agree. */
  readonly mid: string | null;
  readonly observedAtMs: number | null;
  /** Number of feeds that must agree. */
  readonly quorum: number;
  readonly feeds: readonly FeedReport[];
}

/** Mid-market rates. */
export interface RateSource {
  /**
   * @returns BRL for one unit of the asset, and the time of that rate; undefined when no rate is known now.
   * @throws {RateRefused}
   */
  readonly observe: (
    asset: string,
  ) => Promise<{ readonly mid: string; readonly observedAtMs: number } | undefined>;
  /** @returns the price of each source, if there are several. */
  readonly report?: () => Promise<readonly RateReport[]>;
}

/** Checks of customers and payees. */
export interface IdentityCheck {
  readonly check: (order: Order) => Promise<'passed' | 'irregular' | 'step_up' | 'review'>;
  /** Set if customers have cases, which transactions check: `check` is not called then. */
  readonly cases?: CaseChecks;
}

/** Checks of customers' cases. */
export interface CaseChecks {
  /** Kind of the rail; null: people decide. */
  readonly provider: string | null;
  /** Levels that the provider checks; people decide about `VERIFIED` otherwise, and for `BASIC` no case is needed. */
  readonly levels: readonly CustomerLevel[];
  /** Time for which an approval is valid. Unit: ms. */
  readonly validMs: number;
  /**
   * @returns the provider's page for the customer of a case, new for each call if the provider makes such links; null if
   * there is none now.
   */
  readonly link?: (row: CustomerCase) => Promise<string | null>;
}

/** Part that a subject has in a transaction. */
export type ScreeningRole =
  | 'customer'
  | 'payee'
  | 'payer'
  | 'sender'
  | 'wallet'
  | 'destination'
  | 'own_address'
  | 'holder'
  | 'owner';

/** A person, a company or an address that is screened. */
export interface ScreeningSubject {
  readonly role: ScreeningRole;
  readonly name?: string | undefined;
  /** CPF or CNPJ without punctuation. */
  readonly taxId?: string | undefined;
  /** Canonical form of its network. */
  readonly address?: string | undefined;
  /** `YYYY` or `YYYY-MM-DD`. */
  readonly birthDate?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string | undefined;
}

/** An entry of a list, or a finding of a provider, that a subject matches. */
export interface ScreeningMatch {
  readonly subject: ScreeningSubject;
  /** Name of the list or of the provider. */
  readonly list: string;
  /** Identifier of the entry within the list. */
  readonly entry: string;
  readonly entryName: string;
  /** Decimal text from 0 to 1, four decimals at most. */
  readonly score: string;
  /** The same address or tax id; a name as good as the same; a name that resembles it. */
  readonly strength: 'exact' | 'strong' | 'review';
  /** Whether a person has to review it, or the money is frozen. */
  readonly answer: 'held' | 'frozen';
  /** Version of the list that was compared with. */
  readonly version: string;
}

/** A list that a gateway screens against. */
export interface ScreeningList {
  readonly list: string;
  /** Version in use; null where no version could be read. */
  readonly version: string | null;
  readonly entries: number;
  /** Time at which its file was written, ISO 8601; null if there is none. */
  readonly fileAt: string | null;
  readonly isStale: boolean;
  /** Reason that the newest file is not used; null where it is. */
  readonly refusal: string | null;
}

/** A screener that cannot answer now. Nothing passes without its answer; it is queried again. The message holds no secret. */
export class ScreenerUnavailable extends Error {
  override readonly name = 'ScreenerUnavailable';
}

/** Screening of payments, addresses and people against lists and rules. */
export interface Screening {
  /** Decision about a payment or money out by rules of the rail itself, apart from its matches. */
  readonly screen: (order: Order) => Promise<'cleared' | 'held' | 'step_up'>;
  /**
   * Compares subjects with lists and queries providers; the strictest answer counts. Absent if no one is screened.
   *
   * @throws {ScreenerUnavailable}
   */
  readonly match?: (subjects: readonly ScreeningSubject[]) => Promise<readonly ScreeningMatch[]>;
  /** As `match`, against the lists of this machine alone: for the part that is repeated for every customer. */
  readonly matchLists?: (subjects: readonly ScreeningSubject[]) => Promise<readonly ScreeningMatch[]>;
  /** The lists of this machine. */
  readonly lists?: () => Promise<readonly ScreeningList[]>;
  /** Lists and providers that `match` compares with now. */
  readonly screeners?: () => Promise<readonly ScreenerName[]>;
}

/** A list or a provider as the records of screenings name it. */
export interface ScreenerName {
  /** Name, of a list with its version. */
  readonly name: string;
  readonly screens: (subject: ScreeningSubject) => boolean;
}

/** Holdings of the house in a currency, with their limits; decimal texts. */
export interface HousePosition {
  readonly currency: Currency;
  /** Negative for a shortage. */
  readonly owned: string;
  readonly target: string;
  /** Conversions never take it above its maximum, or more than `short` below zero. */
  readonly long: string;
  readonly short: string;
  /** Shortfall to the target; negative for an excess. */
  readonly missing: string;
  readonly isWithin: boolean;
}

/** Venue where positions are bought and sold. */
export interface Liquidity {
  /** Answers for a booked conversion: it is kept, or reversed. */
  readonly convert: (order: Order) => Promise<'settled' | 'failed'>;
  /** @returns the positions, where the house converts against its own. */
  readonly positions?: () => Promise<readonly HousePosition[]>;
}

/** All rails. */
export interface Rails {
  /** Rails that are not configured, by the names of `railsFor`; none by default. */
  readonly missing?: readonly string[];
  readonly pix: PixRail;
  readonly chain: ChainRail;
  readonly rates: RateSource;
  readonly identity: IdentityCheck;
  readonly screening: Screening;
  readonly liquidity: Liquidity;
  /** Account at the bank that files of the bank must be of; any account if it is not configured. */
  readonly bankAccount?: string | undefined;
  /** Origin of the signer's page, on which people prove destinations; undefined without one. */
  readonly signerPage?: string | undefined;
}
