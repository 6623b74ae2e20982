/** Deliveries as operators see them: the event of each, its state, and why its last attempt failed. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** States of deliveries. */
export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'skipped'] as const;

/** Which deliveries are listed. */
export interface DeliveryFilter {
  readonly accountId: bigint;
  /** Null for those to all endpoints. */
  readonly endpointId: string | null;
  /** Null for all states. */
  readonly state: (typeof DELIVERY_STATES)[number] | null;
  readonly limit: number;
}

/** A delivery with its last attempt. */
export interface ListedDelivery {
  readonly id: bigint;
  readonly endpointId: string;
  /** Null where the event is no longer kept. */
  readonly event: string | null;
  readonly end2end: string | null;
  readonly state: string;
  readonly attempts: number;
  /** When the next attempt is due; null once it has ended. */
  readonly dueAt: Instant | null;
  readonly endedAt: Instant | null;
  /** HTTP status of the last answer; null where none came. */
  readonly status: number | null;
  /** Why no whole answer came; null where one did. */
  readonly error: string | null;
}

/** Newest first, by the primary key: a rare state is looked for in all deliveries of the account. */
const LIST: Statement = {
  name: 'delivery_list',
  text: `select d.id, d.endpoint_id as "endpointId", v.name as event, t.end2end, d.state, d.attempts,
      case when d.state = 'pending' then d.due_at end as "dueAt", d.ended_at as "endedAt", a.status, a.error
    from (select * from webhook_delivery where account_id = $1 and ($2::text is null or endpoint_id = $2) and ($3::text is null or state = $3)
           order by id desc limit $4) d
    left join event v on v.account_id = d.account_id and v.seq = d.event_seq
    left join transaction t on t.account_id = d.account_id and t.id = d.transaction_id
    left join lateral (select status, error from webhook_attempt w where w.account_id = d.account_id and w.delivery_id = d.id
           order by w.attempt desc limit 1) a on true
    order by d.id desc`,
};

/** @returns the deliveries, newest first. */
export function listDeliveries(
  tx: Tx,
  { accountId, endpointId, state, limit }: DeliveryFilter,
): Promise<ListedDelivery[]> {
  return tx.query<ListedDelivery>(LIST, [accountId, endpointId, state, limit]);
}
