/** Open orders to a PIX provider, and their decision by hand. Times are on the database's clock. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { ORDER_COLUMNS, orderOf, type PixOrder, type PixOrderEnd, type StoredOrder } from './pix-orders.ts';

const OPEN: Statement = {
  name: 'pix_orders_open',
  text: `select ${ORDER_COLUMNS} from pix_order where mode = $1 and is_done is null
    and placed_at < coalesce($3::timestamptz, 'infinity') order by placed_at, key limit $2`,
};
const DECIDE: Statement = {
  name: 'pix_order_decide',
  text: `update pix_order set is_done = $3, end_to_end_id = coalesce($4, end_to_end_id), ended_at = $5, ask_at = null
    where mode = $1 and key = $2 and is_done is null and sent_at < $6 returning key`,
};
const REPORTED_BY: Statement = {
  name: 'pix_order_told_of',
  text: `select body ->> 'order' as key from rail_news where mode = $1 and kind = $2 and key = $3`,
};

/** @returns the open orders, oldest first; if a time is given, only orders submitted before it. */
export async function listOpenPixOrders(
  tx: Tx,
  mode: AccountMode,
  { limit, submittedBeforeMs }: { readonly limit: number; readonly submittedBeforeMs?: number },
): Promise<PixOrder[]> {
  const submittedBefore = submittedBeforeMs === undefined ? null : new Date(submittedBeforeMs).toISOString();
  return (await tx.query<StoredOrder>(OPEN, [mode, limit, submittedBefore])).map(orderOf);
}

/**
 * Ends an order that was sent before a time; it is not sent or polled any more.
 * @returns whether it was open and older than that.
 */
export async function decidePixOrder(
  tx: Tx,
  { mode, key }: Pick<PixOrder, 'mode' | 'key'>,
  end: Omit<PixOrderEnd, 'askAtMs'> & { readonly sentBeforeMs: number },
): Promise<boolean> {
  const { isDone, endToEndId, endedAtMs, sentBeforeMs } = end;
  const times = [endedAtMs, sentBeforeMs].map((ms) => new Date(ms).toISOString());
  return (await tx.query(DECIDE, [mode, key, isDone, endToEndId, ...times])).length > 0;
}

/** @returns the key of the order whose end a rail event reports; undefined without such an event. */
export async function findReportedOrder(
  tx: Tx,
  { mode, kind, key }: { readonly mode: AccountMode; readonly kind: string; readonly key: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ key: string }>(REPORTED_BY, [mode, kind, key]);
  return row?.key;
}
