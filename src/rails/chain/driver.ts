/**
 * What a network is asked, whatever its protocol: one driver is one provider (a node) of it. Drivers only read and pass on: what
 * counts is decided by those who ask several of them (agree.ts, watch.ts, send.ts).
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
  /** Which of the transfers of its transaction it is; the same in whatever block the transaction stands. */
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

/** What one unit of the work that a transfer makes costs: gas, on TRON energy. */
export interface GasPrice {
  /** What everybody pays. */
  readonly base: bigint;
  /** What is given besides, to be taken sooner. */
  readonly tip: bigint;
}

/** The network would not carry this out: a frozen address, a balance that is too small. Nothing was signed. */
export class MovementRefused extends Error {
  override readonly name = 'MovementRefused';
}

/** A whole transaction without its signature. */
export interface Unsigned {
  /** Hex, as the signer reads it. */
  readonly unsigned: string;
  readonly nonce: Nonce;
  /** What it can cost at most, minor units of the network's coin. */
  readonly costMinor: bigint;
  /** No block takes it after this. Unit: ms. Null: it holds until another one takes its nonce. */
  readonly expiresAtMs: number | null;
}

/** A transaction that was signed: it may be known to others from then on. */
export interface Signed {
  readonly from: string;
  readonly nonce: Nonce;
  readonly raw: string;
  readonly hash: string;
  readonly expiresAtMs: number | null;
}

/** What became of a transaction in a block. */
export interface Inclusion {
  readonly block: BlockRef;
  /** False: the network took the fee and did nothing else. */
  readonly isDone: boolean;
  /** What it cost, minor units of the network's coin. */
  readonly gasMinor: bigint;
}

/**
 * What one provider knows of a transaction. `open`: it is in no block yet as far as this one knows, and may get into one; `never`: a
 * final block rules out that it ever will.
 */
export type Fate =
  | { readonly state: 'open' | 'never' }
  | ({ readonly state: 'included' | 'final' } & Inclusion);

/** One provider of a network. Every function has its own time limit, and throws what went wrong. */
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
  /** @returns what arrived at these addresses in currencies of the catalogue: by block, and by place in it. */
  readonly arrivals: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Arrival[]>;
  /**
   * @returns what moved to and from these addresses in currencies of the catalogue: by block, and by place in it. Coins that are no
   *   money of customers may be left out.
   */
  readonly transfers: (range: BlockRange, addresses: ReadonlySet<string>) => Promise<readonly Transfer[]>;
  readonly balance: (address: string, currency: Currency) => Promise<bigint>;
  /**
   * @param addresses - all of ours.
   * @returns the balances as they were after a block that is final and not old, in the order of the holdings.
   */
  readonly balancesAt: (
    height: number,
    holdings: readonly Holding[],
    addresses: ReadonlySet<string>,
  ) => Promise<readonly bigint[]>;
  /** What gas costs now. */
  readonly gasPrice: () => Promise<GasPrice>;
  /** @returns the first nonce of this sender that no block has a transaction with. */
  readonly nextNonce: (from: string) => Promise<Nonce>;
  /** @returns a transaction that makes the movement. @throws {MovementRefused} */
  readonly build: (movement: Movement, nonce: Nonce, price: GasPrice) => Promise<Unsigned>;
  /** Hands a signed transaction to the network; one that it knows already is fine. @throws what it says against it. */
  readonly broadcast: (raw: string) => Promise<void>;
  readonly fate: (transaction: Signed) => Promise<Fate>;
}

/** How gas is paid on a network. */
export interface GasFacts {
  /** The most that a unit of it may cost. */
  readonly maxPrice: bigint;
  /** The unit that prices are told in, and its decimals: gwei. */
  readonly unit: string;
  readonly decimals: number;
  /** The price is the same for everybody until the network decides on another one: providers have to say the same. */
  readonly isFixed: boolean;
  /** @returns what a transfer costs, minor units of the network's coin. */
  readonly transferCost: (currency: Currency, price: GasPrice) => bigint;
}

/** What is known of a network by configuration. */
export interface NetworkFacts {
  /** As in the catalogue: ETH, TRX. */
  readonly network: string;
  /** Networks of one family have the same addresses: EVM, TRX. */
  readonly family: 'EVM' | 'TRX';
  /** The coin that fees are paid in. */
  readonly coin: Currency;
  /** Where money is sent from, and swept to. */
  readonly hotAddress: string;
  /** How far apart looks at the network are. Unit: ms. */
  readonly pollMs: number;
  /** A head that is older than this is no head: the provider has stopped. Unit: ms. */
  readonly headMaxAgeMs: number;
  /** A transfer that is in no block after so long is replaced, where the network allows it. Unit: ms. */
  readonly stuckMs: number;
  /** How many providers have to say the same before money moves by it. */
  readonly quorum: number;
  readonly gas: GasFacts;
  /** @returns what replaces a stuck transaction, for more; undefined where that cannot be, or would cost too much. */
  readonly replace: (stuck: string, price: GasPrice) => Unsigned | undefined;
  /** Extended public key that deposit addresses come of. */
  readonly xpub: string;
  /** @returns the deposit address of an index. */
  readonly deriveAddress: (index: number) => string;
}
