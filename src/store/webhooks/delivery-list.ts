/**
 * Deliveries in lists: the event, the state, and the reason of the last failure; one delivery with all its attempts.
 */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** States of deliveries. */
export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'skipped'] as const;

/** Filter of listed deliveries. */
export interface DeliveryFilter {
  readonly accountId: bigint;
  /** Null for deliveries to all endpoints. */
  readonly endpointId: string | null;
  /** Null for all states. */
  readonly state: (typeof DELIVERY_STATES)[number] | null;
  /** Only deliveries older than this one; null for all. */
  readonly before: bigint | null;
  /** Maximum number of deliveries scanned for matches; null for all. */
  readonly scanMax: number | null;
  readonly limit: number;
}

/** A delivery with its last attempt. */
export interface ListedDelivery {
  readonly id: bigint;
  readonly endpointId: string;
  /** Null if the event is no longer stored. */
  readonly event: string | null;
  readonly end2end: string | null;
  readonly state: string;
  /** 0 for the first delivery of the event, 1 and higher for redeliveries, below 0 for tests. */
  readonly round: number;
  readonly attempts: number;
  readonly createdAt: Instant;
  /** Due time of the next attempt; null after the end. */
  readonly dueAt: Instant | null;
  readonly endedAt: Instant | null;
  /** HTTP status of the last answer; null if there was none. */
  readonly status: number | null;
  /** Reason for the missing or incomplete answer; null after a complete one. */
  readonly error: string | null;
}

/** The order is newest first, by the primary key: a rare state is searched in all scanned deliveries. */
const NEAR = `select * from webhook_delivery where account_id = $1 and ($5::bigint is null or id < $5) order by id desc`;
const LIST = listed(
  'delivery_list',
  `(${NEAR} limit $6) near where ($2::text is null or endpoint_id = $2) and ($3::text is null or state = $3)
    order by id desc limit $4`,
);
const SCANNED: Statement = {
  name: 'delivery_scanned',
  text: `select id from webhook_delivery where account_id = $1 and ($2::bigint is null or id < $2) order by id desc
    offset $3::bigint - 1 limit 1`,
};
const ONE = listed('delivery_one', 'webhook_delivery where account_id = $1 and id = $2');
const ATTEMPTS: Statement = {
  name: 'delivery_attempts',
  text: `select attempt, at, duration_ms as "durationMs", status, error, answer from webhook_attempt
    where account_id = $1 and delivery_id = $2 order by attempt`,
};

/** @param which - source of the deliveries, with its conditions and its order. */
function listed(name: string, which: string): Statement {
  return {
    name,
    text: `select d.id, d.endpoint_id as "endpointId", v.name as event, t.end2end, d.state, d.round, d.attempts,
      d.created_at as "createdAt", case when d.state = 'pending' then d.due_at end as "dueAt", d.ended_at as "endedAt",
      a.status, a.error
    from (select * from ${which}) d
    left join event v on v.account_id = d.account_id and v.seq = d.event_seq
    left join transaction t on t.account_id = d.account_id and t.id = d.transaction_id
    left join lateral (select status, error from webhook_attempt w where w.account_id = d.account_id and w.delivery_id = d.id
           order by w.attempt desc limit 1) a on true
    order by d.id desc`,
  };
}

/** @returns the deliveries, newest first. */
export function listDeliveries(
  tx: Tx,
  { accountId, endpointId, state, before, limit, scanMax }: DeliveryFilter,
): Promise<ListedDelivery[]> {
  return tx.query<ListedDelivery>(LIST, [accountId, endpointId, state, limit, before, scanMax]);
}

/** @returns the last delivery of a scan of this length; undefined if there are fewer. */
export async function lastScanned(
  tx: Tx,
  accountId: bigint,
  { before, scanMax }: { readonly before: bigint | null; readonly scanMax: number },
): Promise<bigint | undefined> {
  const [row] = await tx.query<{ id: bigint }>(SCANNED, [accountId, before, scanMax]);
  return row?.id;
}

/** @returns a delivery; undefined if the account has none with this id. */
export async function findDelivery(
  tx: Tx,
  accountId: bigint,
  id: bigint,
): Promise<ListedDelivery | undefined> {
  const [row] = await tx.query<ListedDelivery>(ONE, [accountId, id]);
  return row;
}

/** An attempt to deliver. */
export interface AttemptRecord {
  /** From 1. */
  readonly attempt: number;
  readonly at: Instant;
  readonly durationMs: number;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Reason for the missing or incomplete answer; null after a complete one. */
  readonly error: string | null;
  /** Start of the answer. */
  readonly answer: string | null;
}

/** @returns the attempts of a delivery, in order. */
export function readAttempts(tx: Tx, accountId: bigint, deliveryId: bigint): Promise<AttemptRecord[]> {
  return tx.query<AttemptRecord>(ATTEMPTS, [accountId, deliveryId]);
}
