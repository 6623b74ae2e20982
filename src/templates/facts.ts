/**
 * The canonical facts of a transaction, the same for all templates: the columns that attributes are mapped to.
 * Decimals are text, instants are as the database prints them, and what is not known is null.
 */
import type { Instant } from '../base/instant.ts';

/** Facts that a template may publish as attributes. */
export interface Facts {
  readonly template: string;
  readonly quote: string | null;
  readonly refQuote: string | null;
  readonly fees: string | null;
  readonly sourceCurrency: string | null;
  readonly sourceAmount: string | null;
  readonly targetCurrency: string | null;
  readonly targetAmount: string | null;
  readonly networkFee: string | null;
  readonly exactDepositAmount: string | null;
  readonly pixE2e: string | null;
  readonly pixKey: string | null;
  readonly pixKeyType: string | null;
  readonly clientName: string | null;
  readonly clientTaxId: string | null;
  readonly expiresAt: Instant | null;
  readonly returnUrl: string | null;
  readonly externalCode: string | null;
  readonly webhook: string | null;
  readonly fixedLink: string | null;
  readonly wallet: string | null;
  readonly depositAddress: string | null;
  readonly txHash: string | null;
  readonly groupId: string | null;
  readonly notes: string | null;
}

/** A transaction as it is stored: its identity, its step, and its facts. */
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
  /** Texts that were published differently from what the facts say, by wire name (imported history, C-70). */
  readonly asPublished: Readonly<Record<string, string>> | null;
}

/** Facts that are worked out from columns instead of being one. */
export type DerivedFact = 'explorerUrl' | 'amountDisplay';

/** What an attribute can be mapped to. */
export type FactName = keyof Facts | DerivedFact;
