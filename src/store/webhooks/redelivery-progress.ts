/** Progress of redeliveries of many events. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A redelivery of many events, with the current states of its deliveries. */
export interface RedeliveryProgress {
  readonly id: bigint;
  readonly requestedAt: Instant;
  readonly matched: number;
  readonly redelivered: number;
  readonly pending: number;
  readonly delivered: number;
  readonly dead: number;
  readonly skipped: number;
}

/**
 * Its deliveries have ids between the first and the last one, and its time; those of later events have another round.
 */
const PROGRESS: Statement = {
  name: 'redelivery_progress',
  text: `select r.id, r.requested_at as "requestedAt", r.matched, r.redelivered, d.* from (
      select * from webhook_redelivery where account_id = $1 order by id desc limit $2) r
    cross join lateral (
      select count(*) filter (where d.state = 'pending')::int as pending, count(*) filter (where d.state = 'delivered')::int as delivered,
          count(*) filter (where d.state = 'dead')::int as dead, count(*) filter (where d.state = 'skipped')::int as skipped
        from webhook_delivery d where d.account_id = $1 and d.id between r.first_delivery_id and r.last_delivery_id
         and d.round > 0 and d.created_at = r.requested_at) d
    order by r.id desc`,
};

/** @returns the newest redeliveries of the account, the newest first. */
export function readRedeliveries(tx: Tx, accountId: bigint, limit: number): Promise<RedeliveryProgress[]> {
  return tx.query<RedeliveryProgress>(PROGRESS, [accountId, limit]);
}
