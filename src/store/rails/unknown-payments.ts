/**
 * Payments that left after the restored time and belong to no order, and the orders that they block. Times are on the
 * database's clock.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { known } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { RailKey } from './restores.ts';

/** A payment without an order, as a rail reports it. */
export interface NewUnknownPayment {
  /** The rail's own name for it. */
  readonly name: string;
  readonly kind: 'payout' | 'return' | 'transfer';
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  /** PIX key, address, or EndToEndId of the returned payment; null where the rail does not report it. */
  readonly destination: string | null;
  readonly sentAtMs: number;
}

/** Stored form of an unknown payment. */
export interface UnknownPayment extends Omit<NewUnknownPayment, 'amountMinor' | 'sentAtMs'> {
  readonly id: bigint;
  readonly rail: string;
  /** Minor units. */
  readonly amountMinor: string;
  readonly sentAt: Instant;
  readonly state: 'open' | 'matched' | 'dismissed';
  /** Keys of blocked orders, at most `HELD_MAX`, and the number of all. */
  readonly heldOrders: readonly string[];
  readonly heldCount: number;
  readonly orderKey: string | null;
  readonly decidedBy: string | null;
  readonly reason: string | null;
}

/** An order that may correspond to one of the unknown payments. */
export interface HeldOrder extends Pick<NewUnknownPayment, 'kind' | 'destination'> {
  readonly key: string;
  /** The rail's own name for it; null on networks, where it has none before it is sent. */
  readonly name: string | null;
}

/** Maximum number of blocked orders that are listed for a payment. */
const HELD_MAX = 20;
const ADD_PAYMENTS: Statement = {
  name: 'unknown_payment_add',
  text: `insert into unknown_payment (mode, rail, name, kind, currency, amount_minor, destination, sent_at)
    select $1, $2, u.* from unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::timestamptz[]) u
    on conflict (name, rail, mode) do nothing returning name`,
};
/** Waits for a decision in progress; after it the next undecided payment blocks the order. */
const HOLD: Statement = {
  name: 'unknown_payment_hold',
  text: `with payment as (
      select id, name from unknown_payment where rail = $2 and mode = $1 and state = 'open' and kind = $3
        and (destination is null or destination = $4) order by id limit 1 for no key update),
    held as (insert into held_order (payment_id, order_key, order_name) select id, $5, $6 from payment on conflict do nothing)
    select id, name from payment`,
};
const HOLDER: Statement = {
  name: 'unknown_payment_holder',
  text: `select u.id, u.name from unknown_payment u join held_order h on h.payment_id = u.id and h.order_key = $3
    where u.rail = $2 and u.mode = $1 and u.state = 'open' order by u.id limit 1`,
};
const HELD: Statement = {
  name: 'unknown_payment_held',
  text: `select exists (select from held_order where payment_id = $1 and order_key = $2) as "isHeld",
      (select h.order_key from held_order h join unknown_payment u on u.id = h.payment_id
        where u.rail = $4 and u.mode = $5 and h.order_name = $3 and h.order_key <> $2 limit 1) as "namesake"`,
};
const MATCHED: Statement = {
  name: 'unknown_payment_matched',
  text: 'select name from unknown_payment where order_key = $3 and rail = $2 and mode = $1',
};
const MATCH_OWN: Statement = {
  name: 'unknown_payment_match_own',
  text: `update unknown_payment set state = 'matched', order_key = $4, decided_by = 'gateway', decided_at = $5
    where name = $3 and rail = $2 and mode = $1 and state = 'open'`,
};
const COLUMNS = `id, rail, name, kind, currency, amount_minor::text as "amountMinor", destination, sent_at as "sentAt", state,
  array(select h.order_key from held_order h where h.payment_id = p.id order by 1 limit ${HELD_MAX}) as "heldOrders",
  (select count(*)::int from held_order h where h.payment_id = p.id) as "heldCount", order_key as "orderKey", decided_by as "decidedBy", reason`;
const LIST: Statement = {
  name: 'unknown_payments',
  text: `select ${COLUMNS} from unknown_payment p where mode = $1 and (state = 'open' or not $2::boolean) order by id limit $3`,
};
const FIND: Statement = {
  name: 'unknown_payment_find',
  text: `select ${COLUMNS} from unknown_payment p where id = $2 and mode = $1 for update`,
};
const DECIDE: Statement = {
  name: 'unknown_payment_decide',
  text: `update unknown_payment set state = $2, order_key = $3, decided_by = $4, decided_at = $6, reason = $5 where id = $1`,
};
const COUNT_OPEN: Statement = {
  name: 'unknown_payments_open',
  text: `select count(*)::int as count from unknown_payment where rail = $2 and mode = $1 and state = 'open'`,
};

/** Stores payments; existing ones stay unchanged. @returns names of the new payments. */
export async function addUnknownPayments(
  tx: Tx,
  { mode, rail }: RailKey,
  payments: readonly NewUnknownPayment[],
): Promise<readonly string[]> {
  if (payments.length === 0) return [];
  const column = <Value>(value: (each: NewUnknownPayment) => Value) => payments.map(value);
  const rows = await tx.query<{ name: string }>(ADD_PAYMENTS, [
    mode,
    rail,
    column(({ name }) => name),
    column(({ kind }) => kind),
    column(({ currency }) => currency),
    column(({ amountMinor }) => amountMinor),
    column(({ destination }) => destination),
    column(({ sentAtMs }) => new Date(sentAtMs).toISOString()),
  ]);
  return rows.map(({ name }) => name);
}

/**
 * Blocks an order if an undecided payment of its kind went to its destination. The amount does not matter, because a
 * lost order may have had another price or fee.
 * @returns the payment.
 */
export async function holdOrder(
  tx: Tx,
  { mode, rail }: RailKey,
  { key, kind, destination, name }: HeldOrder,
): Promise<Pick<UnknownPayment, 'id' | 'name'> | undefined> {
  const [row] = await tx.query<Pick<UnknownPayment, 'id' | 'name'>>(HOLD, [
    mode,
    rail,
    kind,
    destination,
    key,
    name,
  ]);
  return row;
}

/** @returns the undecided payment that holds an order already. */
export async function findHolder(
  tx: Tx,
  { mode, rail }: RailKey,
  key: string,
): Promise<Pick<UnknownPayment, 'id' | 'name'> | undefined> {
  const [row] = await tx.query<Pick<UnknownPayment, 'id' | 'name'>>(HOLDER, [mode, rail, key]);
  return row;
}

/** @returns the rail's name of the payment that a person matched with an order. */
export async function matchedPayment(
  tx: Tx,
  { mode, rail }: RailKey,
  key: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(MATCHED, [mode, rail, key]);
  return row?.name;
}

/**
 * @returns whether a locked payment blocks an order, and the key of another blocked order with the payment's name; null
 * for none.
 */
export async function readHolding(
  tx: Tx,
  { id, name, rail }: Pick<UnknownPayment, 'id' | 'name' | 'rail'>,
  mode: AccountMode,
  orderKey: string,
): Promise<{ readonly isHeld: boolean; readonly namesake: string | null }> {
  const [row] = await tx.query<{ isHeld: boolean; namesake: string | null }>(HELD, [
    id,
    orderKey,
    name,
    rail,
    mode,
  ]);
  return known(row, 'a row');
}

/** Matches a payment with the order whose id it has. */
export async function matchOwnPayment(
  tx: Tx,
  { mode, rail }: RailKey,
  { name, orderKey, atMs }: { readonly name: string; readonly orderKey: string; readonly atMs: number },
): Promise<void> {
  await tx.query(MATCH_OWN, [mode, rail, name, orderKey, new Date(atMs).toISOString()]);
}

/** @returns payments of a mode, in the order in which they were found. */
export function listUnknownPayments(
  tx: Tx,
  mode: AccountMode,
  { isOpen, limit }: { readonly isOpen: boolean; readonly limit: number },
): Promise<UnknownPayment[]> {
  return tx.query<UnknownPayment>(LIST, [mode, isOpen, limit]);
}

/** Locks a payment. @returns undefined if the mode has none with this id. */
export async function lockUnknownPayment(
  tx: Tx,
  mode: AccountMode,
  id: bigint,
): Promise<UnknownPayment | undefined> {
  const [row] = await tx.query<UnknownPayment>(FIND, [mode, id]);
  return row;
}

/** Stores a decision about a payment: it belongs to an order, or, with a reason, to none. */
export async function decideUnknownPayment(
  tx: Tx,
  { id }: Pick<UnknownPayment, 'id'>,
  {
    orderKey,
    by,
    reason,
    atMs,
  }: {
    readonly orderKey: string | null;
    readonly by: string;
    readonly reason: string | null;
    readonly atMs: number;
  },
): Promise<void> {
  await tx.query(DECIDE, [
    id,
    orderKey === null ? 'dismissed' : 'matched',
    orderKey,
    by,
    reason,
    new Date(atMs).toISOString(),
  ]);
}

/** @returns the number of undecided payments of a rail. */
export async function countUnknownPayments(tx: Tx, { mode, rail }: RailKey): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT_OPEN, [mode, rail]);
  return row?.count ?? 0;
}
