/**
 * Recorded transfers of a network's rail, for its statement: orders with the hashes of their transactions, and
 * arrivals.
 */
import type { Statement, Tx } from '../connection/database.ts';
import type { NetworkKey } from './chain-network.ts';
import type { OrderIntent } from './chain-orders.ts';

/** An order, and a signed transaction of it. */
export interface SignedOrder {
  readonly key: string;
  readonly intent: OrderIntent;
  /** Raw ledger code. */
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly amountMinor: bigint;
  readonly hash: string;
  readonly nonce: number | null;
  readonly state: string;
  /** Time of its end; null before. */
  readonly endedAt: string | null;
}

/** A reported transfer. */
export interface ReportedArrival {
  readonly txHash: string;
  readonly logIndex: number;
  readonly height: number;
  readonly address: string;
  readonly currency: string;
}

/** A deposit that is in the chain and not in the ledger yet, or vice versa. */
export interface MovingDeposit {
  readonly currency: string;
  /** Amount; negative if only the ledger has it. */
  readonly minor: bigint;
}

const COLUMNS = `o.key, o.intent, o.currency, o.from_address as "from", o.to_address as "to", o.amount_minor::text as "amountMinor", a.hash,
    a.place::int as nonce, o.state, o.ended_at as "endedAt"`;
const ENDED: Statement = {
  name: 'chain_statement_ended',
  text: `select ${COLUMNS} from chain_order o join chain_attempt a on a.order_id = o.id and a.hash is not null
    where o.mode = $1 and o.network = $2 and o.ended_at >= $3 and o.ended_at < $4 order by o.id, a.number`,
};
const BY_HASH: Statement = {
  name: 'chain_statement_by_hash',
  text: `select ${COLUMNS} from chain_attempt a join chain_order o on o.id = a.order_id
    where a.hash = any ($3::text[]) and o.mode = $1 and o.network = $2`,
};
/** Orders that the chain may have and the ledger not, or vice versa. */
const MOVING: Statement = {
  name: 'chain_statement_moving',
  text: `select ${COLUMNS} from chain_order o join chain_attempt a on a.order_id = o.id and a.hash is not null
    where o.mode = $1 and o.network = $2 and (o.ended_at is null or o.included_height > $3) order by o.id, a.number`,
};
const ARRIVALS: Statement = {
  name: 'chain_statement_arrivals',
  text: `select tx_hash as "txHash", log_index as "logIndex", height::int as height, address, currency from chain_arrival
    where network = $2 and tx_hash = any ($3::text[]) and mode = $1`,
};
const DEPOSITS: Statement = {
  name: 'chain_statement_deposits',
  text: `select a.currency, sum(case when a.height > $3 then -a.amount_minor else a.amount_minor end)::text as minor
    from chain_arrival a
    left join rail_news n on n.mode = a.mode and n.kind = 'deposit_confirmed'
      and n.key = 'chain:' || a.network || ':' || a.tx_hash || ':' || a.log_index and n.outcome not in ('pending', 'failed')
    where a.mode = $1 and a.network = $2 and a.state in ('seen', 'confirmed') and (a.height > $3) = (n.id is not null)
    group by a.currency`,
};
const HOLDINGS: Statement = {
  name: 'chain_statement_holdings',
  text: `select address, currency from chain_arrival where mode = $1 and network = $2
    union select to_address, currency from chain_order where mode = $1 and network = $2 and intent = 'gas' order by 1, 2`,
};

type Raw = Omit<SignedOrder, 'amountMinor'> & { readonly amountMinor: string };
const read = (rows: readonly Raw[]): readonly SignedOrder[] =>
  rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));

/**
 * @param period - on the clock of the database. @returns orders that ended in a period, once for each of their
 * transactions.
 */
export async function readEndedOrders(
  tx: Tx,
  { mode, network }: NetworkKey,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly SignedOrder[]> {
  return read(await tx.query<Raw>(ENDED, [mode, network, from.toISOString(), to.toISOString()]));
}

/** @returns the orders of transactions. */
export async function readOrdersByHash(
  tx: Tx,
  { mode, network }: NetworkKey,
  hashes: readonly string[],
): Promise<readonly SignedOrder[]> {
  return hashes.length === 0 ? [] : read(await tx.query<Raw>(BY_HASH, [mode, network, hashes]));
}

/** @returns orders that have not ended, or that are in a block above a height. */
export async function readMovingOrders(
  tx: Tx,
  { mode, network }: NetworkKey,
  height: number,
): Promise<readonly SignedOrder[]> {
  return read(await tx.query<Raw>(MOVING, [mode, network, height]));
}

/** @returns transfers as they were reported. */
export async function readReportedArrivals(
  tx: Tx,
  { mode, network }: NetworkKey,
  hashes: readonly string[],
): Promise<readonly ReportedArrival[]> {
  return hashes.length === 0 ? [] : tx.query<ReportedArrival>(ARRIVALS, [mode, network, hashes]);
}

/** @returns deposits up to a height that the ledger lacks, and those above it that the ledger has, by currency. */
export async function readMovingDeposits(
  tx: Tx,
  { mode, network }: NetworkKey,
  height: number,
): Promise<readonly MovingDeposit[]> {
  const rows = await tx.query<{ currency: string; minor: string }>(DEPOSITS, [mode, network, height]);
  return rows.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) }));
}

/** @returns addresses with known arrivals, each with a raw ledger code. */
export function readHoldings(
  tx: Tx,
  { mode, network }: NetworkKey,
): Promise<{ readonly address: string; readonly currency: string }[]> {
  return tx.query(HOLDINGS, [mode, network]);
}
