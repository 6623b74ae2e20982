/** Orders for transfers on a network, each stored once under its key, and the transactions made for them. */
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import { type EndedOrder, measure } from '../../base/trace/measures.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import type { NetworkKey } from './chain-network.ts';

/** Purpose of a transfer, as sent to the signer. */
export type OrderIntent = 'payout' | 'refund' | 'withdrawal' | 'sweep' | 'gas';

/** A transfer to make. */
export interface NewOrder {
  readonly key: string;
  readonly intent: OrderIntent;
  /** Raw ledger code. */
  readonly currency: string;
  readonly to: string;
  readonly amountMinor: bigint;
  /** For a refund: the network fee that was subtracted. */
  readonly feeMinor: bigint;
  readonly from: string;
  /** Index of the deposit address that it leaves; null for the hot wallet. */
  readonly keyIndex: number | null;
  /** For gas: index of the receiving deposit address. */
  readonly depositIndex: number | null;
  /** Value for the signer only. */
  readonly proof?: unknown;
}

/** A transfer with its outcome. */
export interface OrderRow extends NewOrder {
  readonly id: bigint;
  readonly state: 'queued' | 'signing' | 'sent' | 'failing' | 'confirmed' | 'failed';
  readonly nonce: number | null;
  readonly includedHeight: number | null;
  readonly toldHash: string | null;
  readonly tries: number;
  readonly lastError: string | null;
  readonly orderedAt: Instant;
}

/** A transaction of an order; signed once `raw` is set. */
export interface AttemptRow {
  readonly orderId: bigint;
  readonly number: number;
  readonly nonce: number | null;
  readonly unsigned: string;
  readonly expiresAt: Instant | null;
  readonly madeAt: Instant;
  readonly raw: string | null;
  readonly hash: string | null;
}

/** A transaction to store before it is signed. */
export interface NewAttempt {
  readonly nonce: number | null;
  readonly unsigned: string;
  readonly costMinor: bigint;
  readonly expiresAtMs: number | null;
}

const ADD: Statement = {
  name: 'chain_order_add',
  text: `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, fee_minor, from_address, key_index,
      deposit_index, proof, due_at, ordered_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13, $13)
    on conflict (key, network, mode) do nothing returning id`,
};
const ADD_REFUSED: Statement = {
  name: 'chain_order_add_refused',
  text: `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, fee_minor, from_address, due_at,
      ordered_at, state, ended_at, last_error)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, 'failed', $10, $11) on conflict (key, network, mode) do nothing`,
};
const FEE: Statement = {
  name: 'chain_order_fee',
  text: `select fee_minor::text as fee from chain_order where key = $3 and network = $2 and mode = $1`,
};
const COLUMNS = `id, key, intent, currency, to_address as "to", amount_minor::text as "amountMinor", fee_minor::text as "feeMinor",
  from_address as "from", key_index as "keyIndex", deposit_index as "depositIndex", proof, state, place::int as nonce, included_height::int as "includedHeight",
  told_hash as "toldHash", tries, last_error as "lastError", ordered_at as "orderedAt"`;
const OPEN: Statement = {
  name: 'chain_order_open',
  text: `select ${COLUMNS} from chain_order
    where mode = $1 and network = $2 and (state <> 'queued' or due_at <= $3) and ended_at is null
    order by state = 'queued', place, id limit $4`,
};
const ATTEMPTS: Statement = {
  name: 'chain_attempts',
  text: `select order_id as "orderId", number, place::int as nonce, unsigned, expires_at as "expiresAt", made_at as "madeAt", raw, hash
    from chain_attempt where order_id = any ($1::int8[]) order by order_id, number`,
};
const NEXT_NONCE: Statement = {
  name: 'chain_next_nonce',
  text: `select max(place)::int + 1 as nonce from chain_order where mode = $1 and network = $2 and from_address = $3 and place is not null`,
};
const CLAIM_NONCE: Statement = {
  name: 'chain_take_nonce',
  text: `update chain_order set state = 'signing', place = $2 where id = $1 and state = 'queued' returning id`,
};
const ADD_ATTEMPT: Statement = {
  name: 'chain_attempt_add',
  text: `insert into chain_attempt (order_id, number, place, unsigned, cost_minor, expires_at, made_at)
    select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6 from chain_attempt where order_id = $1 returning number`,
};
const SIGN: Statement = {
  name: 'chain_attempt_sign',
  text: `update chain_attempt set raw = $3, hash = $4, signed_at = $5
    where order_id = $1 and number = $2 and raw is null and number = (select max(number) from chain_attempt where order_id = $1)
    returning number`,
};
const LOCK: Statement = {
  name: 'chain_order_lock',
  text: `select id from chain_order where id = $1 and state in ('signing', 'sent') for update`,
};
const SENT: Statement = {
  name: 'chain_order_sent',
  text: `update chain_order set state = 'sent', tries = 0, last_error = null where id = $1 and state in ('signing', 'sent')`,
};
const REQUEUE: Statement = {
  name: 'chain_order_requeue',
  text: `update chain_order set state = 'queued', place = null, included_height = null, tries = tries + 1, due_at = $2, last_error = $3
    where id = $1 and state = $4`,
};
const NOTE: Statement = {
  name: 'chain_order_note',
  text: `update chain_order set included_height = $2, told_hash = $3, last_error = $4
    where id = $1 and state in ('signing', 'sent') and (included_height, told_hash, last_error) is distinct from ($2::int8, $3::text, $4::text)`,
};
const END: Statement = {
  name: 'chain_order_end',
  text: `update chain_order set state = $2, ended_at = $3, included_height = $4, last_error = $5
    where id = $1 and state in ('sent', 'failing')
    returning mode, network as rail,
      least(greatest(extract(epoch from ended_at - ordered_at) * 1000, 0), 2000000000)::int as ms`,
};
const GIVE_UP: Statement = {
  name: 'chain_order_give_up',
  text: `update chain_order set state = 'failing', place = null, last_error = $2 where id = $1 and state = $3 returning id`,
};
const PENDING: Statement = {
  name: 'chain_order_pending',
  text: `select coalesce(sum(amount_minor), 0)::text as amount from chain_order
    where mode = $1 and network = $2 and from_address = $3 and currency = $4 and state in ('signing', 'sent')
      and included_height is null`,
};
const COUNT_TO: Statement = {
  name: 'chain_order_count_to',
  text: `select count(*)::int as count, count(*) filter (where ended_at is null)::int as open from chain_order
    where mode = $1 and network = $2 and coalesce(key_index, deposit_index) = $3 and intent in ('sweep', 'gas')`,
};
const OWN_HASHES: Statement = {
  name: 'chain_own_hashes',
  text: `select a.hash from chain_attempt a join chain_order o on o.id = a.order_id
    where a.hash = any ($3::text[]) and o.mode = $1 and o.network = $2 and o.intent in ('sweep', 'gas')`,
};
const WAITING: Statement = {
  name: 'chain_order_waiting',
  text: `select count(*)::int as count, min(ordered_at) as oldest, min(last_error) as error from chain_order
    where mode = $1 and network = $2 and ended_at is null and ordered_at < $3`,
};

type Raw = Omit<OrderRow, 'amountMinor' | 'feeMinor'> & {
  readonly amountMinor: string;
  readonly feeMinor: string;
};
const read = (row: Raw): OrderRow => ({
  ...row,
  amountMinor: BigInt(row.amountMinor),
  feeMinor: BigInt(row.feeMinor),
});
const timeOf = (ms: number) => new Date(ms).toISOString();

/** Stores an order. @returns its id; undefined if the key is already in use. */
export async function addOrder(
  tx: Tx,
  { mode, network }: NetworkKey,
  order: NewOrder,
  nowMs: number,
): Promise<bigint | undefined> {
  const { key, intent, currency, to, amountMinor, feeMinor, from, keyIndex, depositIndex, proof } = order;
  const what = [key, intent, currency, to, amountMinor, feeMinor, from, keyIndex, depositIndex];
  const proofJson = proof === undefined ? null : JSON.stringify(proof);
  const [row] = await tx.query<{ id: bigint }>(ADD, [mode, network, ...what, proofJson, timeOf(nowMs)]);
  return row?.id;
}

/** Stores an order as failed, unless its key is in use: afterwards no process can use the key. */
export async function addRefused(
  tx: Tx,
  { mode, network }: NetworkKey,
  { key, intent, currency, to, amountMinor, feeMinor, from }: NewOrder,
  { nowMs, error }: { readonly nowMs: number; readonly error: string },
): Promise<void> {
  const what = [key, intent, currency, to, amountMinor, feeMinor, from];
  await tx.query(ADD_REFUSED, [mode, network, ...what, timeOf(nowMs), error]);
}

/** @returns the network fee that was subtracted when the order of this key was stored. */
export async function feeOfOrder(tx: Tx, { mode, network }: NetworkKey, key: string): Promise<bigint> {
  const [row] = await tx.query<{ fee: string }>(FEE, [mode, network, key]);
  assert(row, `order ${key} is stored`);
  return BigInt(row.fee);
}

/** @returns open orders: first those with a nonce, in that order, then the due ones. */
export async function readOpenOrders(
  tx: Tx,
  { mode, network }: NetworkKey,
  nowMs: number,
  limit: number,
): Promise<readonly OrderRow[]> {
  return (await tx.query<Raw>(OPEN, [mode, network, timeOf(nowMs), limit])).map(read);
}

/** @returns the transactions of these orders, in the order of creation. */
export function readAttempts(tx: Tx, orders: readonly bigint[]): Promise<AttemptRow[]> {
  return tx.query<AttemptRow>(ATTEMPTS, [orders]);
}

/** @returns the nonce after all nonces of this sender's orders; undefined without any. */
export async function nextNonceHere(
  tx: Tx,
  { mode, network }: NetworkKey,
  from: string,
): Promise<number | undefined> {
  const [row] = await tx.query<{ nonce: number | null }>(NEXT_NONCE, [mode, network, from]);
  return row?.nonce ?? undefined;
}

/**
 * Gives an order its nonce and stores the transaction to sign, in one database transaction of the caller.
 * @throws the driver's error when another order has the nonce, or another one is being signed.
 */
export async function beginSigning(
  tx: Tx,
  orderId: bigint,
  attempt: NewAttempt,
  nowMs: number,
): Promise<number | undefined> {
  const claimed = await tx.query(CLAIM_NONCE, [orderId, attempt.nonce]);
  return claimed.length > 0 ? addAttempt(tx, orderId, attempt, nowMs) : undefined;
}

/** Stores another transaction of an order, to be signed. @returns its number. */
export async function addAttempt(
  tx: Tx,
  orderId: bigint,
  { nonce, unsigned, costMinor, expiresAtMs }: NewAttempt,
  nowMs: number,
): Promise<number> {
  const expires = expiresAtMs === null ? null : timeOf(expiresAtMs);
  const [row] = await tx.query<{ number: number }>(ADD_ATTEMPT, [
    orderId,
    nonce,
    unsigned,
    costMinor,
    expires,
    timeOf(nowMs),
  ]);
  return row?.number as number;
}

/**
 * Stores a signed transaction: after that it may be broadcast.
 * @returns false if its order was given up or reset meanwhile; then the bytes must not be used.
 */
export async function storeSigned(
  database: Pick<Database, 'withTx'>,
  { orderId, number }: Pick<AttemptRow, 'orderId' | 'number'>,
  { raw, hash }: { readonly raw: string; readonly hash: string },
  nowMs: number,
): Promise<boolean> {
  return database.withTx(async (tx) => {
    if ((await tx.query(LOCK, [orderId])).length === 0) return false;
    const isStored = (await tx.query(SIGN, [orderId, number, raw, hash, timeOf(nowMs)])).length > 0;
    if (isStored) await tx.query(SENT, [orderId]);
    return isStored;
  });
}

/**
 * Resets an order, without its nonce, unless its state has changed: none of its transactions can ever be in a block, or
 * none was signed.
 */
export async function requeueOrder(
  tx: Tx,
  { id, state }: Pick<OrderRow, 'id' | 'state'>,
  { dueMs, error }: { readonly dueMs: number; readonly error: string },
): Promise<void> {
  await tx.query(REQUEUE, [id, timeOf(dueMs), error.slice(0, 500), state]);
}

/**
 * Gives up an order without a signature; it ends when that was reported.
 * @returns false if its state has changed meanwhile.
 */
export async function giveUpOrder(
  tx: Tx,
  { id, state }: Pick<OrderRow, 'id' | 'state'>,
  error: string,
): Promise<boolean> {
  return (await tx.query(GIVE_UP, [id, error.slice(0, 500), state])).length > 0;
}

/** Stores the state of an order on its network, the reported hash, and the obstacle. */
export async function noteOrder(
  tx: Tx,
  orderId: bigint,
  noted: Pick<OrderRow, 'includedHeight' | 'toldHash' | 'lastError'>,
): Promise<void> {
  const error = noted.lastError?.slice(0, 500) ?? null;
  await tx.query(NOTE, [orderId, noted.includedHeight, noted.toldHash, error]);
}

/** Ends an order that is in a final block, or that was given up. */
export async function endOrder(
  tx: Tx,
  orderId: bigint,
  ending: {
    readonly state: 'confirmed' | 'failed';
    readonly atMs: number;
    readonly height: number | null;
    readonly error: string | null;
  },
): Promise<void> {
  const error = ending.error?.slice(0, 500) ?? null;
  const values = [orderId, ending.state, timeOf(ending.atMs), ending.height, error];
  const [ended] = await tx.query<Omit<EndedOrder, 'isDone'>>(END, values);
  if (ended) measure((by) => by.order({ ...ended, isDone: ending.state === 'confirmed' }));
}

/** @returns the amount of a currency, in minor units, that a sender's orders will need and no block contains yet. */
export async function readPending(
  tx: Tx,
  { mode, network }: NetworkKey,
  from: string,
  currency: string,
): Promise<bigint> {
  const [row] = await tx.query<{ amount: string }>(PENDING, [mode, network, from, currency]);
  return BigInt(row?.amount ?? '0');
}

/** @returns the number of orders that sweep a deposit address or bring it gas, and how many of them are open. */
export async function countOrdersTo(
  tx: Tx,
  { mode, network }: NetworkKey,
  index: number,
): Promise<{ readonly count: number; readonly open: number }> {
  const [row] = await tx.query<{ count: number; open: number }>(COUNT_TO, [mode, network, index]);
  return row ?? { count: 0, open: 0 };
}

/** @returns the hashes of transfers between our own addresses. */
export async function ownHashes(
  tx: Tx,
  { mode, network }: NetworkKey,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await tx.query<{ hash: string }>(OWN_HASHES, [mode, network, hashes]);
  return new Set(rows.map(({ hash }) => hash));
}

/** Orders with a long wait. */
export interface WaitingOrders {
  readonly count: number;
  readonly oldest: Instant | null;
  readonly error: string | null;
}

/** @returns open orders from before a given time. */
export async function readWaitingOrders(
  tx: Tx,
  { mode, network }: NetworkKey,
  beforeMs: number,
): Promise<WaitingOrders> {
  const [row] = await tx.query<WaitingOrders>(WAITING, [mode, network, timeOf(beforeMs)]);
  return row ?? { count: 0, oldest: null, error: null };
}
