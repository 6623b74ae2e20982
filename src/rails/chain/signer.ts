/** The signer as the gateway sees it: a process of its own that has the keys and its own policy. The gateway has none. */

/** What is to be signed. */
export interface SignRequest {
  /** Key of the order: asked again, the same answer, counted once. */
  readonly id: string;
  /** ETH, POLYGON, BASE, BSC, TRX. */
  readonly network: string;
  /** Which key signs: the hot wallet's, or that of the deposit address of an index. */
  readonly key: { readonly purpose: 'hot' } | { readonly purpose: 'deposit'; readonly index: number };
  /** The whole unsigned transaction, hex; the signer parses it itself and believes nothing else. */
  readonly unsigned: string;
  /** What it is for: payout, refund, sweep (to the hot wallet only), gas (from the hot wallet to an own deposit address only). */
  readonly intent: 'payout' | 'refund' | 'sweep' | 'gas';
  /** Proof, made outside of the gateway, that the destination is the account's; without one the limits alone hold. */
  readonly proof?: unknown;
}

/** Has the keys. */
export interface Signer {
  /** Watch-only facts: extended public keys by family and the hot addresses by network. */
  describe(): Promise<{
    readonly hot: Record<string, string>;
    readonly xpub: Record<string, string>;
    readonly limits: unknown;
  }>;
  /** @throws {SignerRefused} or {SignerAway}. */
  sign(request: SignRequest): Promise<{ readonly raw: string; readonly hash: string }>;
}

/** The signer does not sign this; nothing was signed under this id. */
export class SignerRefused extends Error {
  override readonly name = 'SignerRefused';
  /** Its name for the reason; one that begins with `limit` passes with time. */
  readonly reason: string;

  constructor(reason: string, message = reason) {
    super(message);
    this.reason = reason;
  }
}

/** The signer gave no answer: it may have signed. Ask again under the same id. */
export class SignerAway extends Error {
  override readonly name = 'SignerAway';
}
