/**
 * Queries of a network, whatever its protocol: one driver is one provider (a node) of it. Drivers only read and pass
 * on: consequences follow from the agreement of several (agree.ts, watch.ts, send.ts).
 */
import type { Currency } from '../../base/money/currency.ts';

/** A place in the chain. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

/** A block, as far as it matters here. */
export interface Block extends BlockRef {
  readonly parentHash: string;
  /** When it was made, by its own word. Unit: ms. */
  readonly atMs: number;
}

/** Blocks from one height to another, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A transfer to an address of ours that succeeded. */
export interface Arrival {
  readonly txHash: string;
  /** Index of the transfer in its transaction; the same in whatever block the transaction stands. */
  readonly logIndex: number;
  readonly block: BlockRef;
  /** In canonical form, like `from`. */
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly from: string;
}

/** A transfer to or from an address of ours that succeeded. */
export interface Transfer extends Omit<Arrival, 'address'> {
  readonly to: string;
}

/** Something that an address may have. */
export interface Holding {
  readonly address: string;
  readonly currency: Currency;
}

/** A transfer that we want to make. */
export interface Movement {
  readonly from: string;
  readonly to: string;
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** The number of a transaction among those of its sender; null on networks that have none. */
export type Nonce = number | null;

/** Price of one unit of a transfer's work: gas, on TRON energy. */
export interface GasPrice {
  /** Base price for everybody. */
  readonly base: bigint;
  /** Addition for earlier inclusion. */
  readonly tip: bigint;
}

/** The network would not execute the transfer: a frozen address, a balance that is too small. Nothing was signed. */
export class MovementRefused extends Error {
  override readonly name = 'MovementRefused';
}

/** A whole transaction without its signature. */
export interface Unsigned {
  /** Hex, as the signer reads it. */
  readonly unsigned: string;
  readonly nonce: Nonce;
  /** Maximum cost, minor units of the network's coin. */
  readonly costMinor: bigint;
  /** Time after which no block includes it. Unit: ms. Null: it is valid until another one takes its nonce. */
  readonly expiresAtMs: number | null;
}

/** A signed transaction: it may be known to others from then on. */
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
  /** False: the network took the fee and did nothing else. */
  readonly isDone: boolean;
  /** Its cost, minor units of the network's coin. */
  readonly gasMinor: bigint;
}

/**
 * State of a transaction at one provider. `open`: in no block known to this provider, and may get into one; `never`:
 * a final block rules that out for ever.
 */
export type TransactionStatus =
  | { readonly state: 'open' | 'never' }
  | ({ readonly state: 'included' | 'final' } & Inclusion);

/** One provider of a network. Every function has its own time limit, and throws its problem. */
export interface NetworkDriver {
  /** Host of the provider, without what may be secret in its URL. */
  readonly provider: string;
  /** @throws {Error} when this is another network than the one that is configured. */
  readonly check: () => Promise<void>;
  readonly head: () => Promise<Block>;
  /** @returns undefined where the chain does not reach so far. */
  readonly block: (height: number) => Promise<Block | undefined>;
  /** @returns the height up to which nothing changes any more, by the rule of the network. */
  readonly finalHeight: () => Promise<number>;
  /** @returns arrivals at these addresses in currencies of the catalogue: by block, and by position in it. */
  readonly arrivals: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Arrival[]>;
  /**
   * @returns movements to and from these addresses in currencies of the catalogue: by block, and by position in it.
   *   Coins that are never customers' money may be left out.
   */
  readonly transfers: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Transfer[]>;
  readonly balance: (address: string, currency: Currency) => Promise<bigint>;
  /**
   * @param addresses - all of ours.
   * @returns the balances after a block that is final and recent, in the order of the holdings.
   */
  readonly balancesAt: (
    height: number,
    holdings: readonly Holding[],
    addresses: ReadonlySet<string>,
  ) => Promise<readonly bigint[]>;
  /** Present price of gas. */
  readonly gasPrice: () => Promise<GasPrice>;
  /** @returns the first nonce of this sender that no block has a transaction with. */
  readonly nextNonce: (from: string) => Promise<Nonce>;
  /** @returns a transaction that makes the movement. @throws {MovementRefused} */
  readonly build: (movement: Movement, nonce: Nonce, price: GasPrice) => Promise<Unsigned>;
  /**
   * Broadcasts a signed transaction; one that the network has already is fine.
   *
   * @throws the network's objection.
   */
  readonly broadcast: (raw: string) => Promise<void>;
  readonly status: (transaction: Signed) => Promise<TransactionStatus>;
}

/** Payment of gas on a network. */
export interface GasFacts {
  /** Maximum price of a unit. */
  readonly maxPrice: bigint;
  /** The unit that prices are told in, and its decimals: gwei. */
  readonly unit: string;
  readonly decimals: number;
  /** The price is the same for everybody until the network decides on another one: providers have to say the same. */
  readonly isFixed: boolean;
  /** @returns the cost of a transfer, minor units of the network's coin. */
  readonly transferCost: (currency: Currency, price: GasPrice) => bigint;
}

/** Configured facts of a network. */
export interface NetworkFacts {
  /** As in the catalogue: ETH, TRX. */
  readonly network: string;
  /** Networks of one family have the same addresses: EVM, TRX. */
  readonly family: 'EVM' | 'TRX';
  /** The coin that fees are paid in. */
  readonly coin: Currency;
  /** Address from which money is sent, and to which it is swept. */
  readonly hotAddress: string;
  /** Polling interval of the network. Unit: ms. */
  readonly pollMs: number;
  /** A head that is older than this is no head: the provider has stopped. Unit: ms. */
  readonly headMaxAgeMs: number;
  /** A transfer that is in no block after so long is replaced, where the network allows it. Unit: ms. */
  readonly stuckMs: number;
  /** Number of providers that must agree before money moves. */
  readonly quorum: number;
  readonly gas: GasFacts;
  /**
   * @returns a replacement of a stuck transaction with a higher fee; undefined when that is impossible or too
   *   expensive.
   */
  readonly replace: (stuck: string, price: GasPrice) => Unsigned | undefined;
  /** Extended public key that deposit addresses come of. */
  readonly xpub: string;
  /** @returns the deposit address of an index. */
  readonly deriveAddress: (index: number) => string;
}
