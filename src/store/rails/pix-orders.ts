/**
 * Orders to a provider of PIX: payouts and refunds. Each order is stored under its key before it is sent, so that its
 * outcome can be polled, whatever happened to the sending process. Times are on the database's clock.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { measure } from '../../base/trace/measures.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Kind of an order. */
export type PixOrderKind = 'payout' | 'return';

/** An order to send. */
export interface NewPixOrder {
  readonly mode: AccountMode;
  /** Idempotency key. */
  readonly key: string;
  readonly kind: PixOrderKind;
  readonly accountId: bigint;
  /** The name of the order at the provider. */
  readonly pspId: string;
  /** Decimal BRL with two decimals. */
  readonly amount: string;
  /** For a payout: its payee, and the required CPF or CNPJ of the key's owner, null for any; null for a refund. */
  readonly pixKey: string | null;
  readonly payeeTaxId: string | null;
  /** EndToEndId of the refunded payment; null for a payout. */
  readonly endToEndId: string | null;
}

/** An order in its stored form. */
export interface PixOrder extends NewPixOrder {
  readonly placedAtMs: number;
  /** Time of the last sending. */
  readonly sentAtMs: number;
  /** Null until the provider has decided. */
  readonly isDone: boolean | null;
  /** The provider's own name for it; null if it gave none, or none was stored. */
  readonly reference: string | null;
}

/** An ended order. */
export interface EndedPixOrder extends PixOrder {
  readonly endedAtMs: number;
}

/** An order, by its name at the provider. */
export type NamedPixOrder = Pick<PixOrder, 'key' | 'amount'>;

/** End of an order. */
export interface PixOrderEnd {
  readonly isDone: boolean;
  /** Null when the provider reported none. */
  readonly endToEndId: string | null;
  readonly endedAtMs: number;
  /** Time of the next poll of the provider for later changes; null for none. */
  readonly askAtMs: number | null;
}

/** An order in the form of its row. */
export type StoredOrder = Omit<PixOrder, 'placedAtMs' | 'sentAtMs'> & {
  readonly placedAtMs: bigint;
  readonly sentAtMs: bigint;
};

type StoredEnd = StoredOrder & { readonly endedAtMs: bigint };

/** All columns of an order, by the names of its members. */
export const ORDER_COLUMNS = `mode, key, kind, account_id as "accountId", psp_id as "pspId", amount, pix_key as "pixKey",
  payee_tax_id as "payeeTaxId", end_to_end_id as "endToEndId",
  (extract(epoch from placed_at) * 1000)::bigint as "placedAtMs", (extract(epoch from sent_at) * 1000)::bigint as "sentAtMs",
  is_done as "isDone", reference`;

const SUBMIT: Statement = {
  name: 'pix_order_place',
  text: `insert into pix_order (mode, key, kind, account_id, psp_id, amount, pix_key, payee_tax_id, end_to_end_id, placed_at, sent_at, ask_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11) on conflict do nothing returning key`,
};
const READ: Statement = {
  name: 'pix_order_read',
  text: `select ${ORDER_COLUMNS} from pix_order where mode = $1 and key = $2`,
};
const NAMED: Statement = {
  name: 'pix_orders_named',
  text: `select psp_id as "pspId", key, amount from pix_order where mode = $1 and kind = $2 and psp_id = any ($3::text[])`,
};
const SEND_AGAIN: Statement = {
  name: 'pix_order_send_again',
  text: `update pix_order set sent_at = $3, ask_at = $5 where mode = $1 and key = $2 and sent_at < $4 and is_done is null returning key`,
};
const REFERENCE: Statement = {
  name: 'pix_order_reference',
  text: `update pix_order set reference = $3 where mode = $1 and key = $2 and reference is null`,
};
/** Duration from an order to its end. */
const ELAPSED = 'least(greatest(extract(epoch from ended_at - sent_at) * 1000, 0), 2000000000)::int as ms';
const END: Statement = {
  name: 'pix_order_end',
  text: `update pix_order set is_done = $3, end_to_end_id = coalesce($4, end_to_end_id), ended_at = $5, ask_at = $6
    where mode = $1 and key = $2 and is_done is null returning ${ELAPSED}`,
};
const CLAIM: Statement = {
  name: 'pix_order_claim',
  text: `update pix_order set ask_at = $2 where mode = $1 and key = any (array(
      select key from pix_order where mode = $1 and ask_at <= $3 order by ask_at limit $4 for update skip locked))
    returning ${ORDER_COLUMNS}`,
};
const SCHEDULE: Statement = {
  name: 'pix_order_ask_at',
  text: `update pix_order set ask_at = $3 where mode = $1 and key = $2 and is_done is not distinct from $4 and sent_at = $5`,
};
const ENDED: Statement = {
  name: 'pix_order_ended',
  text: `select ${ORDER_COLUMNS}, (extract(epoch from ended_at) * 1000)::bigint as "endedAtMs" from pix_order
      where mode = $1 and ended_at >= $2 and ended_at < $3
    union select ${ORDER_COLUMNS}, (extract(epoch from ended_at) * 1000)::bigint as "endedAtMs" from pix_order
      where mode = $1 and ended_at is not null and key = any (array(
        select p.body ->> 'order' from rail_news r
          join rail_news p on p.mode = r.mode and p.kind = 'payout_ended' and p.key = 'pix:' || (r.body ->> 'endToEndId')
         where r.mode = $1 and r.kind = 'payout_returned' and r.seen_at >= $2 and r.seen_at < $3))`,
};
const REPORTED: Statement = {
  name: 'pix_order_told',
  text: `select ${ORDER_COLUMNS}, (extract(epoch from ended_at) * 1000)::bigint as "endedAtMs" from pix_order
    where mode = $1 and ended_at is not null and key = any (array(
      select n.body ->> 'order' from unnest($2::text[], $3::text[]) g(kind, key)
        join rail_news n on n.mode = $1 and n.kind = g.kind and n.key = g.key))`,
};
const OPEN: Statement = {
  name: 'pix_order_open',
  text: `select count(*)::int as count, (extract(epoch from min(placed_at)) * 1000)::bigint as "sinceMs"
    from pix_order where mode = $1 and is_done is null`,
};

/** Stores an order before it is sent. @returns whether it is new; false if an order with this key exists. */
export async function storePixOrder(
  tx: Tx,
  { mode, key, kind, accountId, pspId, amount, pixKey, payeeTaxId, endToEndId }: NewPixOrder,
  { nowMs, askAtMs }: { readonly nowMs: number; readonly askAtMs: number },
): Promise<boolean> {
  const order = [mode, key, kind, accountId, pspId, amount, pixKey, payeeTaxId, endToEndId];
  return (await tx.query(SUBMIT, [...order, timeOf(nowMs), timeOf(askAtMs)])).length > 0;
}

/** @returns the order with this key. */
export async function readPixOrder(tx: Tx, mode: AccountMode, key: string): Promise<PixOrder | undefined> {
  const [row] = await tx.query<StoredOrder>(READ, [mode, key]);
  return row && orderOf(row);
}

/** @returns orders by their names at the provider; unknown names are left out. */
export async function readNamedPixOrders(
  tx: Tx,
  mode: AccountMode,
  kind: PixOrderKind,
  pspIds: readonly string[],
): Promise<ReadonlyMap<string, NamedPixOrder>> {
  if (pspIds.length === 0) return new Map();
  const rows = await tx.query<NamedPixOrder & { readonly pspId: string }>(NAMED, [mode, kind, pspIds]);
  return new Map(rows.map(({ pspId, ...order }) => [pspId, order]));
}

/** Claims the right to resend an order that was sent before a time; only one of several parallel callers gets it. */
export async function claimResend(
  tx: Tx,
  { mode, key }: Pick<PixOrder, 'mode' | 'key'>,
  {
    nowMs,
    askAtMs,
    sentBeforeMs,
  }: { readonly nowMs: number; readonly askAtMs: number; readonly sentBeforeMs: number },
): Promise<boolean> {
  const times = [nowMs, sentBeforeMs, askAtMs].map(timeOf);
  return (await tx.query(SEND_AGAIN, [mode, key, ...times])).length > 0;
}

/** Stores the provider's own name for an order; an existing name is not replaced. */
export async function namePixOrder(
  tx: Tx,
  { mode, key }: Pick<PixOrder, 'mode' | 'key'>,
  reference: string,
): Promise<void> {
  await tx.query(REFERENCE, [mode, key, reference]);
}

/** Stores the outcome of an order; an existing outcome is not replaced. */
export async function endPixOrder(
  tx: Tx,
  { mode, key }: Pick<PixOrder, 'mode' | 'key'>,
  { isDone, endToEndId, endedAtMs, askAtMs }: PixOrderEnd,
): Promise<void> {
  const askAt = askAtMs === null ? null : timeOf(askAtMs);
  const values = [mode, key, isDone, endToEndId, timeOf(endedAtMs), askAt];
  const [ended] = await tx.query<{ ms: number }>(END, values);
  if (ended) measure((by) => by.order({ mode, rail: 'pix', isDone, ...ended }));
}

/**
 * Claims orders that are due for a poll of their provider.
 * @param againMs - time until which no other caller claims them.
 */
export async function claimPixOrders(
  tx: Tx,
  mode: AccountMode,
  { nowMs, againMs, limit }: { readonly nowMs: number; readonly againMs: number; readonly limit: number },
): Promise<PixOrder[]> {
  const rows = await tx.query<StoredOrder>(CLAIM, [mode, timeOf(againMs), timeOf(nowMs), limit]);
  return rows.map(orderOf);
}

/**
 * Sets the time of the next poll of an unchanged order; null for no further poll. An outcome or another sending that came
 * meanwhile sets the time itself.
 */
export async function schedulePixOrder(
  tx: Tx,
  { mode, key, isDone, sentAtMs }: Pick<PixOrder, 'mode' | 'key' | 'isDone' | 'sentAtMs'>,
  askAtMs: number | null,
): Promise<void> {
  await tx.query(SCHEDULE, [mode, key, askAtMs === null ? null : timeOf(askAtMs), isDone, timeOf(sentAtMs)]);
}

/** @returns the number of orders that the provider has not decided, and the time of the oldest. */
export async function readOpenPixOrders(
  tx: Tx,
  mode: AccountMode,
): Promise<{ readonly count: number; readonly sinceMs: number | null }> {
  const [row] = await tx.query<{ count: number; sinceMs: bigint | null }>(OPEN, [mode]);
  const sinceMs = row?.sinceMs ?? null;
  return { count: row?.count ?? 0, sinceMs: sinceMs === null ? null : Number(sinceMs) };
}

/** @returns orders that ended in a period, and payouts that were reported as returned in it. */
export async function readEndedPixOrders(
  tx: Tx,
  mode: AccountMode,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<EndedPixOrder[]> {
  return endedOf(await tx.query<StoredEnd>(ENDED, [mode, from.toISOString(), to.toISOString()]));
}

/** @returns ended orders, by the event that reported the end. */
export async function readReportedPixOrders(
  tx: Tx,
  mode: AccountMode,
  names: readonly { readonly kind: string; readonly key: string }[],
): Promise<EndedPixOrder[]> {
  if (names.length === 0) return [];
  const values = [mode, names.map(({ kind }) => kind), names.map(({ key }) => key)];
  return endedOf(await tx.query<StoredEnd>(REPORTED, values));
}

function endedOf(rows: readonly StoredEnd[]): EndedPixOrder[] {
  return rows.map(({ endedAtMs, ...row }) => ({ ...orderOf(row), endedAtMs: Number(endedAtMs) }));
}

/** @returns a row as an order. */
export function orderOf({ placedAtMs, sentAtMs, ...order }: StoredOrder): PixOrder {
  return { ...order, placedAtMs: Number(placedAtMs), sentAtMs: Number(sentAtMs) };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
