/** Outcomes and durations of recently ended orders, by rail. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Ended orders of one rail; durations from the order to its end, in ms. */
export interface OrderTimesRow {
  /** `pix` or `chain`. */
  readonly rail: string;
  readonly done: number;
  readonly failed: number;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Maximum number of orders that are read: the newest. */
export const ORDERS_MAX = 20_000;

const TIMES: Statement = {
  name: 'order_times',
  text: `select o.rail, count(*) filter (where o.is_done)::int as done, count(*) filter (where not o.is_done)::int as failed,
      (percentile_disc(0.5) within group (order by o.ms) filter (where o.is_done))::int as "medianMs",
      (percentile_disc(0.95) within group (order by o.ms) filter (where o.is_done))::int as "p95Ms"
    from (
      (select 'pix' as rail, coalesce(is_done, false) as is_done,
          least(extract(epoch from ended_at - sent_at) * 1000, 2000000000)::int as ms
        from pix_order where mode = $1 and ended_at > $2 order by ended_at desc limit ${ORDERS_MAX})
      union all
      (select 'chain', state = 'confirmed', least(extract(epoch from ended_at - ordered_at) * 1000, 2000000000)::int
        from chain_order where mode = $1 and ended_at > $2 order by ended_at desc limit ${ORDERS_MAX})
    ) o group by o.rail`,
};

/** @returns a row for each rail with an order that ended after `since`. */
export function readOrderTimes(tx: Tx, mode: AccountMode, since: Date): Promise<OrderTimesRow[]> {
  return tx.query<OrderTimesRow>(TIMES, [mode, since.toISOString()]);
}
