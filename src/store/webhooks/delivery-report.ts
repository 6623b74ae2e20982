/** Deliveries of an account over a time, by outcome and latency: in all, by endpoint, and by slice of that time. */
import type { Statement, Tx } from '../connection/database.ts';

/** Deliveries that were created in the time, and the attempts to deliver them. Tests do not count. */
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
  /** Share of the attempts that succeeded, from 0 to 1, cut off after four decimals; null without an attempt. */
  readonly successRate: string | null;
  /** Of attempts that succeeded. Unit: ms. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Slices of the time. */
export const SLICES = 24;
/** Maximum number of deliveries that are read: the newest of the account, or of the endpoint. */
export const REPORT_DELIVERIES_MAX = 10_000;

const NEWEST_OF_ACCOUNT = `select id, endpoint_id, state, created_at from webhook_delivery
          where account_id = $1 and round >= 0 order by id desc limit ${REPORT_DELIVERIES_MAX}`;
/** By the unique index of endpoint and event: other deliveries of the account are not read. */
const NEWEST_OF_ENDPOINT = `select id, endpoint_id, state, created_at from webhook_delivery
          where account_id = $1 and endpoint_id = $4 and round >= 0 order by event_seq desc limit ${REPORT_DELIVERIES_MAX}`;

const REPORT: Statement = { name: 'delivery_report', text: reportOf(NEWEST_OF_ACCOUNT) };
const REPORT_OF_ENDPOINT: Statement = {
  name: 'delivery_report_of_endpoint',
  text: reportOf(NEWEST_OF_ENDPOINT),
};

function reportOf(newest: string): string {
  return `select d.endpoint_id as "endpointId", d.slice,
      count(*) filter (where d.state = 'delivered')::int as delivered, count(*) filter (where d.state = 'dead')::int as dead,
      count(*) filter (where d.state = 'pending')::int as pending,
      coalesce(sum(a.attempts), 0)::int as attempts, coalesce(sum(a.failed), 0)::int as "failedAttempts",
      trim_scale(trunc(1 - sum(a.failed) / nullif(sum(a.attempts), 0), 4))::text as "successRate",
      (percentile_disc(0.5) within group (order by a.ms))::int as "medianMs",
      (percentile_disc(0.95) within group (order by a.ms))::int as "p95Ms"
    from (select n.id, n.endpoint_id, n.state,
          least(${SLICES - 1}, floor(extract(epoch from n.created_at - $2::timestamptz) * ${SLICES}
            / extract(epoch from $3::timestamptz - $2::timestamptz)))::int as slice
        from (${newest}) n
        where n.created_at >= $2) d
    cross join lateral (select count(*) as attempts, count(*) filter (where w.status is null or w.status not between 200 and 299) as failed,
        max(w.duration_ms) filter (where w.status between 200 and 299) as ms
      from webhook_attempt w where w.account_id = $1 and w.delivery_id = d.id) a
    group by grouping sets ((), (d.endpoint_id), (d.slice)) order by 1 nulls first, 2 nulls first`;
}

/**
 * @param endpointId - undefined for all endpoints.
 * @returns a row of all, one for each endpoint that has a delivery, one for each slice that has one.
 */
export function readDeliveryReport(
  tx: Tx,
  accountId: bigint,
  time: { readonly since: Date; readonly until: Date },
  endpointId?: string,
): Promise<DeliveryReportRow[]> {
  const values = [accountId, time.since.toISOString(), time.until.toISOString()];
  if (endpointId === undefined) return tx.query<DeliveryReportRow>(REPORT, values);
  return tx.query<DeliveryReportRow>(REPORT_OF_ENDPOINT, [...values, endpointId]);
}
