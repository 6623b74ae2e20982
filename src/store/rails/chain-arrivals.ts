/** Issued deposit addresses, and the state of the transfers to them on their network. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { NetworkKey } from './chain-network.ts';

/** seen: in a block; missing: that block was reorganised; confirmed: final; dropped: reported as missing. */
export type ArrivalState = 'seen' | 'missing' | 'confirmed' | 'dropped';

/** A transfer to an issued address. */
export interface ArrivalRow {
  readonly txHash: string;
  readonly logIndex: number;
  readonly height: number;
  readonly blockHash: string;
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly from: string;
  readonly seenAt: Instant;
  readonly state: ArrivalState;
}

/** An issued deposit address. */
export interface WatchedAddress {
  readonly index: number;
  readonly address: string;
}

/** Money on a deposit address that no order has swept yet. */
export interface Unswept {
  readonly address: string;
  readonly index: number;
  readonly currency: string;
  readonly amountMinor: bigint;
}

const STORE_ADDRESS: Statement = {
  name: 'chain_address_give',
  text: `insert into chain_address (mode, family, index, address) values ($1, $2, $3, $4)`,
};
const READ_ADDRESSES: Statement = {
  name: 'chain_address_given',
  text: `select index, address from chain_address where mode = $1 and family = $2 and index >= $3 order by index`,
};
const COLUMNS = `tx_hash as "txHash", log_index as "logIndex", height::int as height, block_hash as "blockHash", address, currency,
  amount_minor::text as "amountMinor", from_address as "from", seen_at as "seenAt", state`;
const FIND: Statement = {
  name: 'chain_arrival_find',
  text: `select ${COLUMNS} from chain_arrival where network = $2 and tx_hash = $3 and log_index = $4 and mode = $1`,
};
const STORE: Statement = {
  name: 'chain_arrival_keep',
  text: `insert into chain_arrival as a (mode, network, tx_hash, log_index, height, block_hash, address, currency, amount_minor,
      from_address, seen_at, state)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict (network, tx_hash, log_index, mode) do update
      set height = excluded.height, block_hash = excluded.block_hash, state = excluded.state,
          address = excluded.address, currency = excluded.currency, amount_minor = excluded.amount_minor,
          from_address = excluded.from_address
      where a.state <> 'confirmed' or excluded.state = 'dropped'`,
};
const MISS: Statement = {
  name: 'chain_arrival_miss',
  text: `update chain_arrival set state = 'missing' where mode = $1 and network = $2 and height > $3 and state in ('seen', 'confirmed')`,
};
const OPEN: Statement = {
  name: 'chain_arrival_open',
  text: `select ${COLUMNS} from chain_arrival
    where mode = $1 and network = $2 and height <= $3 and state = any ($4::text[]) and state in ('seen', 'missing')
    order by height, tx_hash, log_index`,
};
const UNSWEPT: Statement = {
  name: 'chain_arrival_unswept',
  text: `select a.address, c.index, a.currency, sum(a.amount_minor)::text as "amountMinor"
    from chain_arrival a join chain_address c on c.address = a.address and c.mode = a.mode
    where a.mode = $1 and a.network = $2 and a.state = 'confirmed' and a.swept_by is null
    group by a.address, c.index, a.currency
    having sum(a.amount_minor) >= (select least from unnest($4::text[], $5::numeric[]) u(code, least) where u.code = a.currency)
    order by min(a.seen_at) limit $3`,
};
const SWEEP: Statement = {
  name: 'chain_arrival_sweep',
  text: `update chain_arrival set swept_by = $5
    where mode = $1 and network = $2 and address = $3 and currency = $4 and state = 'confirmed' and swept_by is null`,
};
const UNSWEEP: Statement = {
  name: 'chain_arrival_unsweep',
  text: `update chain_arrival set swept_by = null where swept_by = $1`,
};

/** Stores that an address was issued; after that it is watched. */
export async function storeAddress(
  tx: Tx,
  where: { readonly mode: AccountMode; readonly family: string },
  { index, address }: WatchedAddress,
): Promise<void> {
  await tx.query(STORE_ADDRESS, [where.mode, where.family, index, address]);
}

/** @returns the issued addresses, beginning at an index. */
export function readAddresses(
  tx: Tx,
  where: { readonly mode: AccountMode; readonly family: string },
  fromIndex: number,
): Promise<WatchedAddress[]> {
  return tx.query<WatchedAddress>(READ_ADDRESSES, [where.mode, where.family, fromIndex]);
}

/** A row in the form of the database driver. */
type Raw<Row extends { readonly amountMinor: bigint }> = Omit<Row, 'amountMinor'> & {
  readonly amountMinor: string;
};
const read = <Row extends { readonly amountMinor: bigint }>(row: Raw<Row>): Row =>
  ({ ...row, amountMinor: BigInt(row.amountMinor) }) as unknown as Row;

/** @returns a transfer by its name on its network. */
export async function findArrival(
  tx: Tx,
  { mode, network }: NetworkKey,
  { txHash, logIndex }: Pick<ArrivalRow, 'txHash' | 'logIndex'>,
): Promise<ArrivalRow | undefined> {
  const [row] = await tx.query<Raw<ArrivalRow>>(FIND, [mode, network, txHash, logIndex]);
  return row && read(row);
}

/**
 * Stores the current state of a transfer on its network. A final transfer does not change any more, except that it can
 * be dropped.
 */
export async function storeArrival(tx: Tx, { mode, network }: NetworkKey, row: ArrivalRow): Promise<void> {
  const { txHash, logIndex, height, blockHash, address, currency, amountMinor, from, seenAt, state } = row;
  const where = [mode, network, txHash, logIndex, height, blockHash];
  await tx.query(STORE, [...where, address, currency, amountMinor, from, seenAt, state]);
}

/** Marks the transfers above a height as missing: their blocks were reorganised, and other blocks may contain them. */
export async function missArrivals(tx: Tx, { mode, network }: NetworkKey, above: number): Promise<void> {
  await tx.query(MISS, [mode, network, above]);
}

/** @returns unsettled transfers up to a height, which are in one of these states. */
export async function readOpenArrivals(
  tx: Tx,
  { mode, network }: NetworkKey,
  upTo: number,
  states: readonly ('seen' | 'missing')[],
): Promise<readonly ArrivalRow[]> {
  return (await tx.query<Raw<ArrivalRow>>(OPEN, [mode, network, upTo, states])).map((row) =>
    read<ArrivalRow>(row),
  );
}

/**
 * @param least - minimum amount by currency, minor units.
 * @returns the holdings of deposit addresses by address and currency, oldest first.
 */
export async function readUnswept(
  tx: Tx,
  { mode, network }: NetworkKey,
  least: ReadonlyMap<string, bigint>,
  limit: number,
): Promise<readonly Unswept[]> {
  const values = [mode, network, limit, [...least.keys()], [...least.values()]];
  return (await tx.query<Raw<Unswept>>(UNSWEPT, values)).map((row) => read<Unswept>(row));
}

/** Marks the balance of an address as swept by an order. */
export async function sweepArrivals(
  tx: Tx,
  { mode, network }: NetworkKey,
  { address, currency }: Pick<Unswept, 'address' | 'currency'>,
  orderId: bigint,
): Promise<void> {
  await tx.query(SWEEP, [mode, network, address, currency, orderId]);
}

/** The sweep failed, so its amount is still on the address. */
export async function unsweepArrivals(tx: Tx, orderId: bigint): Promise<void> {
  await tx.query(UNSWEEP, [orderId]);
}
