/** What the gateway asks of the signer, and what it hears: the words of their protocol (docs/signer.md). */

/** Which key signs: the one of the hot wallet, or of the deposit address with an index. */
export type SigningKey =
  | { readonly purpose: 'hot' }
  | { readonly purpose: 'deposit'; readonly index: number };

/**
 * What a transaction is for. Payouts and refunds go where a customer says; withdrawals to a whitelisted destination, with proof;
 * sweeps from a deposit address to the hot wallet; gas from the hot wallet to a deposit address.
 */
export const INTENTS = ['payout', 'refund', 'withdrawal', 'sweep', 'gas'] as const;

/** One of INTENTS. */
export type Intent = (typeof INTENTS)[number];

/** One transaction to be signed. */
export interface SignRequest {
  /** Key of the order: asked again, the same answer, counted once. */
  readonly id: string;
  /** ETH, POLYGON, BASE, BSC, TRX. */
  readonly network: string;
  readonly key: SigningKey;
  /** The whole unsigned transaction: `0x02…` on EVM networks, `raw_data` in hexadecimal digits on TRON. */
  readonly unsigned: string;
  readonly intent: Intent;
  /** For gas: index of the deposit address that it goes to. */
  readonly depositIndex?: number;
  /** Made outside of the gateway: that the destination is the account's (`WhitelistProof`). */
  readonly proof?: unknown;
}

/** A signed transaction, ready to be broadcast. */
export interface Signed {
  readonly raw: string;
  /** As block explorers name it. */
  readonly hash: string;
}

/** What the signer says of itself. */
export interface SignerFacts {
  /** Address of the hot wallet by network. */
  readonly hot: Readonly<Record<string, string>>;
  /** Extended public key of the account of deposit addresses by network. */
  readonly xpub: Readonly<Record<string, string>>;
  readonly limits: unknown;
  /** Origin of the page on which people prove destinations; null: there is none. */
  readonly page: string | null;
}
