/** Deliveries of an account in a period, by outcome and latency: in total, by endpoint, and by slice of the period. */
import type { Statement, Tx } from '../connection/database.ts';

/** Deliveries that were created in the period, and their attempts. Tests do not count. */
export interface DeliveryReportRow {
  /** Null for all endpoints together. */
  readonly endpointId: string | null;
  /** Position from 0; null for the whole period. */
  readonly slice: number | null;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Share of successful attempts, from 0 to 1, cut off after four decimals; null without an attempt. */
  readonly successRate: string | null;
  /** Latency of successful attempts. Unit: ms. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Number of slices of the period. */
export const SLICES = 24;
/** Maximum number of deliveries that are read: the newest of the account, or of the endpoint. */
export const REPORT_DELIVERIES_MAX = 10_000;

const NEWEST_OF_ACCOUNT = `select id, endpoint_id, state, created_at from webhook_delivery
          where account_id = $1 and round >= 0 order by id desc limit ${REPORT_DELIVERIES_MAX}`;
/** The unique index of endpoint and event finds them, so other deliveries of the account are not read. */
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
 * @returns a row for all, one for each endpoint with a delivery, and one for each slice with one.
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
