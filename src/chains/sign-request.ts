/** Requests of the gateway to the signer, and their answers (docs/signer.md). */

/** Signing key: that of the hot wallet, or that of the deposit address with an index. */
export type SigningKey =
  | { readonly purpose: 'hot' }
  | { readonly purpose: 'deposit'; readonly index: number };

/**
 * Purpose of a transaction. Payouts and refunds go to a customer's destination; withdrawals to a whitelisted
 * destination, with proof; sweeps from a deposit address to the hot wallet; gas from the hot wallet to a deposit
 * address.
 */
export const INTENTS = ['payout', 'refund', 'withdrawal', 'sweep', 'gas'] as const;

/** A member of INTENTS. */
export type Intent = (typeof INTENTS)[number];

/** One transaction to be signed. */
export interface SignRequest {
  /** Key of the order. A repeated request gets the same answer, and is counted once. */
  readonly id: string;
  /** `ETH`, `POLYGON`, `BASE`, `BSC` or `TRX`. */
  readonly network: string;
  readonly key: SigningKey;
  /** The whole unsigned transaction: `0x02…` on EVM networks, `raw_data` in hexadecimal digits on TRON. */
  readonly unsigned: string;
  readonly intent: Intent;
  /** For gas: index of the receiving deposit address. */
  readonly depositIndex?: number;
  /** Proof, made outside of the gateway, that the destination belongs to the account (`WhitelistProof`). */
  readonly proof?: unknown;
}

/** A signed transaction, ready to be broadcast. */
export interface Signed {
  readonly raw: string;
  /** Hash of the transaction as block explorers show it. */
  readonly hash: string;
}

/** Facts that the signer reports about itself. */
export interface SignerFacts {
  /** Address of the hot wallet by network. */
  readonly hot: Readonly<Record<string, string>>;
  /** Extended public key of the account of deposit addresses by network. */
  readonly xpub: Readonly<Record<string, string>>;
  readonly limits: {
    /** Limits of destinations without proof, as decimal text in US dollars. */
    readonly unproven?: Readonly<Record<'transaction' | 'hour' | 'day', string>>;
  };
  /** Origin of the page on which people prove destinations; null when there is none. */
  readonly page: string | null;
}
