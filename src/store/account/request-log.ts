/** Reads the request log, newest first: requests of keys, people and payers, and their responses. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type AnsweredRequest, type RequestFilter, termsOf } from './request-batches.ts';

/** An entry of the log in the form in which it is read. */
export interface LoggedRequest extends Omit<AnsweredRequest, 'accountId' | 'atMs'> {
  readonly id: bigint;
  /** On the database's clock, when the answer had ended. */
  readonly at: Instant;
  /** Of the key or the person. */
  readonly actorName: string | null;
}

/** Part of the records that a filter finds. */
export interface RequestSlice {
  readonly after: bigint | null;
  readonly before: bigint | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** Number of entries before the slice; 0 by default. */
  readonly skip?: number;
}

/** Maximum of a count; beyond it the number is unknown. */
export const REQUESTS_COUNTED_MAX = 10_000;
const ID_MAX = 2n ** 63n - 1n;

/**
 * Selects, by index, the batches with the first term, then those that also have the other terms, and then their
 * matching requests. The ids of a batch begin with the batch's id.
 */
const FOUND = `from request_term t join request_log r on r.batch_id = t.batch_id
  where t.account_id = $1 and t.term = $2 and r.account_id = $1
    and ($3::text is null or r.actor_kind = $3) and ($4::text is null or r.actor_id = $4)
    and ($5::text is null or r.request_id = $5) and ($6::text is null or r.end2end = $6)
    and ($7::int is null or r.status between $7 * 100 and $7 * 100 + 99)
    and (select coalesce(bool_and(exists (select from request_term x
             where x.account_id = $1 and x.term = o.term and x.batch_id = t.batch_id)), true) from unnest($8::text[]) o(term))`;

const page = (name: string, order: 'asc' | 'desc'): Statement => ({
  name,
  text: `select r.id, r.at, r.actor_kind as "actorKind", r.actor_id as "actorId", coalesce(k.name, p.name) as "actorName", r.method,
      r.route, r.operation, r.status, r.duration_ms as "durationMs", r.request_id as "requestId", r.end2end, r.error_code as "errorCode"
    from (select r.* ${FOUND} and t.batch_id between $9::bigint >> 10 and $10::bigint >> 10 and r.id > $9 and r.id < $10
      order by t.batch_id ${order}, r.id ${order} limit $11 offset $12) r
    left join api_key k on r.actor_kind = 'KEY' and k.account_id = r.account_id and k.id = r.actor_id
    left join person p on r.actor_kind = 'PERSON' and p.id = r.actor_id
    order by r.id ${order}`,
});
const OLDEST = page('request_log_oldest', 'asc');
const NEWEST = page('request_log_newest', 'desc');
const COUNT: Statement = {
  name: 'request_log_count',
  text: `select count(*)::int as count from (select ${FOUND} limit ${REQUESTS_COUNTED_MAX + 1}) r`,
};

/** @returns the entries of a slice. */
export function readRequests(
  database: Tx,
  accountId: bigint,
  filter: RequestFilter,
  { after, before, isNewestFirst, limit, skip = 0 }: RequestSlice,
): Promise<LoggedRequest[]> {
  const statement = isNewestFirst ? NEWEST : OLDEST;
  return database.query<LoggedRequest>(statement, [
    ...valuesOf(accountId, filter),
    after ?? -1n,
    before ?? ID_MAX,
    limit,
    skip,
  ]);
}

/** @returns the number of entries that match a filter; null above the maximum of a count. */
export async function countRequests(
  database: Tx,
  accountId: bigint,
  filter: RequestFilter,
): Promise<number | null> {
  const [row] = await database.query<{ count: number }>(COUNT, valuesOf(accountId, filter));
  const count = row?.count ?? 0;
  return count > REQUESTS_COUNTED_MAX ? null : count;
}

function valuesOf(accountId: bigint, filter: RequestFilter): unknown[] {
  const { actorKind, actorId, requestId, end2end, statusClass } = filter;
  const [first, ...others] = termsOf(filter);
  return [accountId, first, actorKind, actorId, requestId, end2end, statusClass, others];
}
