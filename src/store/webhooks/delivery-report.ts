/** Deliveries of an account over a time, by outcome and latency: in all, by endpoint, and by slice of that time. */
import type { Statement, Tx } from '../connection/database.ts';

/** Deliveries that were created in the time, and the attempts to deliver them. */
export interface DeliveryReportRow {
  /** Null where the row is of all endpoints. */
  readonly endpointId: string | null;
  /** From 0; null where the row is of the whole time. */
  readonly slice: number | null;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Of attempts that succeeded. Unit: ms. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Slices of the time. */
export const SLICES = 24;
/** Most deliveries that are read: the newest of the account. */
export const REPORT_DELIVERIES_MAX = 10_000;

const REPORT: Statement = {
  name: 'delivery_report',
  text: `select d.endpoint_id as "endpointId", d.slice,
      count(*) filter (where d.state = 'delivered')::int as delivered, count(*) filter (where d.state = 'dead')::int as dead,
      count(*) filter (where d.state = 'pending')::int as pending,
      coalesce(sum(a.attempts), 0)::int as attempts, coalesce(sum(a.failed), 0)::int as "failedAttempts",
      (percentile_disc(0.5) within group (order by a.ms))::int as "medianMs",
      (percentile_disc(0.95) within group (order by a.ms))::int as "p95Ms"
    from (select n.id, n.endpoint_id, n.state,
          least(${SLICES - 1}, floor(extract(epoch from n.created_at - $2::timestamptz) * ${SLICES}
            / extract(epoch from $3::timestamptz - $2::timestamptz)))::int as slice
        from (select id, endpoint_id, state, created_at from webhook_delivery where account_id = $1
          order by id desc limit ${REPORT_DELIVERIES_MAX}) n
        where n.created_at >= $2) d
    cross join lateral (select count(*) as attempts, count(*) filter (where w.status is null or w.status not between 200 and 299) as failed,
        max(w.duration_ms) filter (where w.status between 200 and 299) as ms
      from webhook_attempt w where w.account_id = $1 and w.delivery_id = d.id) a
    group by grouping sets ((), (d.endpoint_id), (d.slice)) order by 1 nulls first, 2 nulls first`,
};

/** @returns a row of all, one for each endpoint that has a delivery, one for each slice that has one. */
export function readDeliveryReport(
  tx: Tx,
  accountId: bigint,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<DeliveryReportRow[]> {
  return tx.query<DeliveryReportRow>(REPORT, [accountId, since.toISOString(), until.toISOString()]);
}
