/**
 * Queries of a network, independent of its protocol. A driver serves one provider (node). Drivers only query and
 * broadcast; conclusions need the agreement of several (agree.ts, watch.ts, send.ts).
 */
import type { Currency } from '../../base/money/currency.ts';

/** Identity of a block: its height and hash. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

/** The facts of a block that the rail needs. */
export interface Block extends BlockRef {
  readonly parentHash: string;
  /** Time of the block as stated in it. Unit: ms. */
  readonly atMs: number;
}

/** Blocks from one height to another, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A successful transfer to an address of the gateway. */
export interface Arrival {
  readonly txHash: string;
  /** Index of the transfer within its transaction, which does not depend on the block that includes it. */
  readonly logIndex: number;
  readonly block: BlockRef;
  /** Receiving address in canonical form, like `from`. */
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly from: string;
}

/** A successful transfer to or from an address of the gateway. */
export interface Transfer extends Omit<Arrival, 'address'> {
  readonly to: string;
}

/** An address and a currency whose balance is queried. */
export interface Holding {
  readonly address: string;
  readonly currency: Currency;
}

/** A transfer that the gateway wants to make. */
export interface Movement {
  readonly from: string;
  readonly to: string;
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** Sequence number of a transaction among those of its sender; null on networks without nonces. */
export type Nonce = number | null;

/** Price of a unit of gas (energy on TRON). */
export interface GasPrice {
  /** Base price, the same for all transactions. */
  readonly base: bigint;
  /** Extra price for earlier inclusion. */
  readonly tip: bigint;
}

/** The network would refuse the transfer, because of a frozen address or a low balance. Nothing was signed. */
export class MovementRefused extends Error {
  override readonly name = 'MovementRefused';
}

/** A complete transaction without its signature. */
export interface Unsigned {
  /** Transaction in hexadecimal digits, as the signer expects it. */
  readonly unsigned: string;
  readonly nonce: Nonce;
  /** Maximum cost, in minor units of the network's coin. */
  readonly costMinor: bigint;
  /**
   * Time after which no block can include the transaction, ms since 1970; null if it is valid until another transaction
   * uses its nonce.
   */
  readonly expiresAtMs: number | null;
}

/** A signed transaction, which other parties may know from then on. */
export interface Signed {
  readonly from: string;
  readonly nonce: Nonce;
  readonly raw: string;
  readonly hash: string;
  readonly expiresAtMs: number | null;
}

/** Result of a transaction in a block. */
export interface Inclusion {
  readonly block: BlockRef;
  /** False if the network charged the fee without executing the transaction. */
  readonly isDone: boolean;
  /** Cost, in minor units of the network's coin. */
  readonly gasMinor: bigint;
}

/**
 * State of a transaction at one provider. `open`: in no block that the provider knows, but may still be included;
 * `never`: a final block permanently rules out its inclusion.
 */
export type TransactionStatus =
  | { readonly state: 'open' | 'never' }
  | ({ readonly state: 'included' | 'final' } & Inclusion);

/** One provider of a network. Each function has its own time limit, and throws on failure. */
export interface NetworkDriver {
  /** Host of the provider, without the secret parts of its URL. */
  readonly provider: string;
  /** @throws {Error} if the node belongs to another network than the configured one. */
  readonly check: () => Promise<void>;
  readonly head: () => Promise<Block>;
  /** @returns undefined if the chain does not reach this height. */
  readonly block: (height: number) => Promise<Block | undefined>;
  /** @returns the last final height by the network's rule. */
  readonly finalHeight: () => Promise<number>;
  /** @returns arrivals at these addresses in currencies of the catalogue, ordered by block and position. */
  readonly arrivals: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Arrival[]>;
  /**
   * @returns movements to and from these addresses in currencies of the catalogue, ordered by block and position. Coins
   *   that customers never hold may be left out.
   */
  readonly transfers: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Transfer[]>;
  readonly balance: (address: string, currency: Currency) => Promise<bigint>;
  /**
   * @param addresses - all addresses of the gateway.
   * @returns the balances after a recent final block, in the order of the holdings.
   */
  readonly balancesAt: (
    height: number,
    holdings: readonly Holding[],
    addresses: ReadonlySet<string>,
  ) => Promise<readonly bigint[]>;
  /** Present price of gas. */
  readonly gasPrice: () => Promise<GasPrice>;
  /** @returns the first nonce of this sender that no block has used, or no block up to a height. */
  readonly nextNonce: (from: string, height?: number) => Promise<Nonce>;
  /** @returns the first nonce that is used neither in a block nor by a transaction that waits for one. */
  readonly pendingNonce: (from: string) => Promise<Nonce>;
  /** @returns a transaction that makes the movement. @throws {MovementRefused} */
  readonly build: (movement: Movement, nonce: Nonce, price: GasPrice) => Promise<Unsigned>;
  /** Broadcasts a signed transaction, which the network may already have. @throws if the network refuses it. */
  readonly broadcast: (raw: string) => Promise<void>;
  readonly status: (transaction: Signed) => Promise<TransactionStatus>;
}

/** Cost rules of gas on a network. */
export interface GasFacts {
  /** Maximum price of a unit. */
  readonly maxPrice: bigint;
  /** Unit in which prices are shown, such as gwei, and its decimals. */
  readonly unit: string;
  readonly decimals: number;
  /** Whether the network fixes the price. If so, all providers must report the same price. */
  readonly isFixed: boolean;
  /** @returns the cost of a transfer, in minor units of the network's coin. */
  readonly transferCost: (currency: Currency, price: GasPrice) => bigint;
}

/** Configured facts of a network. */
export interface NetworkFacts {
  /** Name in the catalogue, such as ETH or TRX. */
  readonly network: string;
  /** Networks of one family have the same addresses: EVM, TRX. */
  readonly family: 'EVM' | 'TRX';
  /** The coin in which fees are paid. */
  readonly coin: Currency;
  /** Address from which the gateway sends money, and to which deposits are swept. */
  readonly hotAddress: string;
  /** Polling interval of the network. Unit: ms. */
  readonly pollMs: number;
  /** Age of the newest block from which a provider counts as stopped. Unit: ms. */
  readonly headMaxAgeMs: number;
  /** Time for which a signed transaction without a nonce can get into a block, with its finality; 0 if nonces decide. Unit: ms. */
  readonly validMs: number;
  /** Age from which a transfer without a block is replaced, if the network allows replacements. Unit: ms. */
  readonly stuckMs: number;
  /** Number of providers that must agree before money moves. */
  readonly quorum: number;
  readonly gas: GasFacts;
  /**
   * @returns a replacement of a stuck transaction at a higher fee; undefined if that is impossible or too expensive.
   */
  readonly replace: (stuck: string, price: GasPrice) => Unsigned | undefined;
  /** Extended public key from which deposit addresses are derived. */
  readonly xpub: string;
  /** @returns the deposit address of an index. */
  readonly deriveAddress: (index: number) => string;
}
