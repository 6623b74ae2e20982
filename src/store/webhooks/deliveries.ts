/** Running deliveries: a dispatcher leases them and writes the outcome of each attempt (C-60 to C-64). */
import type { StoredBody } from '../../events/body.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { OVERLAP_MS, WHOLE_EVERY_MS } from '../connection/poll-schedule.ts';
import { STORED_BODY, withBody } from '../events/events.ts';
import { claimEndpoints, type EndpointKey, type ScheduleTimes, scheduleNow } from './endpoint-schedule.ts';

/** A leased delivery, with all data for sending it. */
export interface LeasedDelivery {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly endpointId: string;
  readonly eventSeq: bigint;
  /** Negative for a test, which does not wait for other deliveries and does not count as a failure. */
  readonly round: number;
  /** Number of the attempt, from 1. The outcome of an older attempt is ignored. */
  readonly attempt: number;
  /**
   * End of the lease, in the database's format; it is unique among the leases of the delivery, unless the clock is set
   * back.
   */
  readonly leasedUntil: string;
  /** Whether it was due before a scan for new deliveries begins (poll-schedule.ts), so that others may be due, too. */
  readonly isLate: boolean;
  /** Whether it overtakes all waiting deliveries, because a person requested it. */
  readonly isByHand: boolean;
  /** Maximum number of concurrent requests of the process to the endpoint. */
  readonly most: number;
  readonly url: string;
  /** Sealed. */
  readonly signingKey: string | null;
  /** Id under which the secrets of the endpoint are stored. */
  readonly secretsId: string;
  /** The newest first, sealed. */
  readonly secrets: readonly string[];
  readonly token: string;
  readonly name: string;
  readonly sequence: number;
  readonly payload: string;
}

/** The outcome of one attempt. */
export interface AttemptedDelivery {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly endpointId: string;
  readonly eventSeq: bigint;
  readonly attempt: number;
  readonly isTest: boolean;
  readonly atMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly state: 'pending' | 'delivered' | 'dead' | 'skipped';
  /** Time of the next attempt; null for none. */
  readonly dueMs: number | null;
  /** End of a pause that the receiver requested; null without one. */
  readonly blockedUntilMs: number | null;
  /** Whether the receiver reported that it is overloaded. */
  readonly isGone: boolean;
}

/**
 * Lease duration: slightly longer than the time limit of a request (15 s), because deliveries of a dead dispatcher wait
 * for its end.
 */
const LEASE_SECONDS = 25;
/** Number of consecutive failures that open the breaker: then only one delivery at a time is attempted. */
export const BREAKER_FAILURES = 10;
const BREAKER_FIRST_SECONDS = 30;
const BREAKER_MAX_SECONDS = 300;
/** Maximum number of manual redeliveries in one turn of an endpoint. */
const MANUAL_MAX = 32;
/** Maximum number of endpoints in one step. */
const ENDPOINTS_MAX = 64;
/** Duration of failures after which an endpoint is disabled. */
const FAILING_DAYS = 5;

/**
 * Ids of waiting, unlocked deliveries of the endpoint `v`. A list instead of a join: PostgreSQL would begin a join with
 * all waiting deliveries, of any endpoint, or read the whole table if many wait.
 */
const WAITING_FOR_V = `array(select e.id from webhook_delivery e where e.account_id = v.account_id
          and e.endpoint_id = v.endpoint_id and e.state = 'pending' for update of e skip locked)`;
/** The next scan finds an endpoint with an unfinished turn, however long it has waited. */
const LEASED_UNTIL = `greatest(w.at, $3::timestamptz - interval '${OVERLAP_MS / 2} milliseconds')`;
/**
 * For an endpoint that answers well, a worker may lease more deliveries than it sends in parallel (`ahead`): if several
 * endpoints have waiting deliveries, those of the first. This does not apply with a limit per second, because waiting
 * deliveries would be sent together with those of the next second.
 */
const MAY_LEAD = `o.consecutive_failures = 0 and o.max_per_second is null and (l.others = 0 or (l.others < o.max_concurrency and $6 < l.first_other))`;
/**
 * Leases deliveries of endpoints whose turn was claimed before, in the order of each endpoint, and sets its next turn.
 * `by_hand` bypasses all other delays, on any clock, until an attempt has ended; unsent ones leave the endpoint's turn
 * open. Deliveries that a relay added while an endpoint was being disabled are skipped here. The statement waits for no
 * lock, so it cannot deadlock. Deliveries come in the order in which they became due. `several` and the next time use
 * `ended_at is null` for pending deliveries, which is the condition of their index. `due` is written in a form that no
 * index serves. Otherwise PostgreSQL would use an index of waiting deliveries while its statistics still count none,
 * and read all of it for each row (test/store/hot-plans.test.ts). For the same reason only the index by transaction
 * serves the condition on earlier deliveries: another index would be read from the first delivery of the endpoint.
 */
const LEASE: Statement = {
  name: 'delivery_lease',
  text: `with taken as materialized (
      select p.*, u.since, u.ahead, p.state = 'disabled' or p.removed_at is not null as is_closed,
          p.state = 'enabled' and p.removed_at is null as is_open, coalesce(p.blocked_until > $3, false) as is_blocked
        from unnest($1::bigint[], $2::text[], $7::timestamptz[], $8::int[]) u(account_id, id, since, ahead)
        join webhook_endpoint p on p.account_id = u.account_id and p.id = u.id
    ), skipped as (
      update webhook_delivery d set state = 'skipped', ended_at = $3, leased_until = null, leased_by = null
        from (select account_id, id as endpoint_id from taken where is_closed) v
       where d.account_id = v.account_id and d.id = any(${WAITING_FOR_V})
    ), roomy as materialized (
      select o.*, l.n as under_way, o.max_concurrency - l.others as most, case when o.is_blocked then 0 else
          least(greatest(o.max_concurrency - l.others, case when ${MAY_LEAD} then o.ahead end) - (l.n - l.others),
            o.max_per_second, case when o.order_mode = 'account' then 1 - l.n end,
            case when o.consecutive_failures >= ${BREAKER_FAILURES} then 1 - l.n end) end as room
        from taken o cross join lateral (
          select count(*) as n, count(*) filter (where d.leased_by is distinct from $6) as others,
              min(d.leased_by) filter (where d.leased_by <> $6) as first_other
            from webhook_delivery d where d.account_id = o.account_id and d.endpoint_id = o.id
             and d.state = 'pending' and d.leased_until is not null and d.leased_until >= $4) l
       where o.is_open
    ), by_hand as materialized (
      select d.account_id, d.id from roomy r join webhook_delivery d on d.account_id = r.account_id and d.endpoint_id = r.id
       where d.at_once and d.state = 'pending' and (d.leased_until is null or d.leased_until < $4)
       limit least($5, ${MANUAL_MAX})
    ), next as materialized (
      select * from by_hand union all
      select c.account_id, c.id from roomy r cross join lateral (
        select * from (
          select d.account_id, d.id from webhook_delivery d
           where r.order_mode <> 'account' and r.room > 0 and d.account_id = r.account_id and d.endpoint_id = r.id
             and d.ended_at is null and not d.at_once and d.due_at >= r.since and d.due_at <= $3
             and (d.leased_until is null or d.leased_until < $4) and (d.round < 0 or not exists (
               select from webhook_delivery e where r.order_mode = 'transaction' and e.account_id = d.account_id
                  and e.transaction_id = d.transaction_id and e.endpoint_id || '' = d.endpoint_id
                  and coalesce(e.ended_at, 'infinity') = 'infinity' and e.round >= 0 and (e.event_seq + 0, e.id) < (d.event_seq, d.id)))
           order by d.due_at, d.id limit greatest(r.room, 0)) several
        union all
        select first.account_id, first.id from (
          select d.account_id, d.id, d.due_at, d.leased_until from webhook_delivery d
           where r.order_mode = 'account' and r.room > 0 and d.account_id = r.account_id and d.endpoint_id = r.id
             and d.state = 'pending' and not d.at_once
           order by d.round < 0 desc, d.event_seq, d.id limit 1) first
         where first.due_at <= $3 and (first.leased_until is null or first.leased_until < $4)) c
    ), due as materialized (
      select d.account_id, d.id, d.at_once, d.due_at from (select * from next limit $5) n
        join webhook_delivery d on d.account_id = n.account_id and d.id = n.id
       where coalesce(d.ended_at, 'infinity') = 'infinity' and (d.leased_until is null or d.leased_until < $4)
         for update of d skip locked
    ), leased as (
      update webhook_delivery d set leased_until = $4::timestamptz + interval '${LEASE_SECONDS} seconds', leased_by = $6,
          attempts = d.attempts + 1
        from due where d.account_id = due.account_id and d.id = due.id
      returning d.account_id, d.id, d.endpoint_id, d.event_seq, d.round, d.attempts, d.leased_until, d.due_at, due.at_once as is_by_hand
    ), sent as materialized (
      select account_id, endpoint_id, count(*) as n, count(*) filter (where not is_by_hand) as paced from leased group by 1, 2
    ), paced as (
      update webhook_endpoint p set blocked_until = greatest(p.blocked_until, $3::timestamptz + case
          when p.consecutive_failures >= ${BREAKER_FAILURES} then interval '${LEASE_SECONDS} seconds'
          else make_interval(secs => u.paced / p.max_per_second::double precision) end)
        from sent u where p.account_id = u.account_id and p.id = u.endpoint_id and u.paced > 0
         and (p.max_per_second is not null or p.consecutive_failures >= ${BREAKER_FAILURES})
      returning p.account_id, p.id, p.blocked_until
    ), gone as (
      delete from webhook_turn w using taken t where t.removed_at is not null and w.account_id = t.account_id and w.endpoint_id = t.id
    ), again as (
      update webhook_turn w set at = case
          when not t.is_open then 'infinity'
          when (select count(*) from leased) >= $5 then ${LEASED_UNTIL}
          when exists (
            select from webhook_delivery d where d.account_id = t.account_id and d.endpoint_id = t.id and d.at_once
               and d.state = 'pending' and (d.leased_until is null or d.leased_until < $4)
               and not exists (select from leased l where l.account_id = d.account_id and l.id = d.id)) then ${LEASED_UNTIL}
          when b.blocked_until is not null then b.blocked_until
          when t.is_blocked then t.blocked_until
          else least(n.due_at, case when r.under_way + coalesce(u.n, 0) > 0
            then $3::timestamptz + interval '${LEASE_SECONDS} seconds' end,
            case when t.since > '-infinity' then $3::timestamptz + interval '${WHOLE_EVERY_MS} milliseconds' end, 'infinity') end
        from taken t left join roomy r on r.account_id = t.account_id and r.id = t.id
        left join sent u on u.account_id = t.account_id and u.endpoint_id = t.id
        left join paced b on b.account_id = t.account_id and b.id = t.id
        left join lateral (
          select d.due_at from webhook_delivery d where d.account_id = t.account_id and d.endpoint_id = t.id
             and d.ended_at is null and d.due_at > $3 order by d.due_at limit 1) n on true
       where w.account_id = t.account_id and w.endpoint_id = t.id and t.removed_at is null
    )
    select l.account_id as "accountId", l.id, l.endpoint_id as "endpointId", l.event_seq as "eventSeq", l.round,
        l.attempts as attempt, l.leased_until::text as "leasedUntil", l.due_at < $3::timestamptz - interval '${OVERLAP_MS} milliseconds' as "isLate", l.is_by_hand as "isByHand",
        r.most::int, p.url, p.signing_key as "signingKey",
        case p.kind when 'transaction' then 'transactions' else p.id end as "secretsId", e.token, e.name, e.sequence, ${STORED_BODY},
        array(select s.secret from webhook_secret s where s.account_id = p.account_id
                 and s.endpoint_id = case p.kind when 'transaction' then 'transactions' else p.id end
                 and (s.valid_until is null or s.valid_until > $3)
               order by s.valid_until desc nulls first, s.created_at desc) as secrets
      from leased l join webhook_endpoint p on p.account_id = l.account_id and p.id = l.endpoint_id
      join roomy r on r.account_id = l.account_id and r.id = l.endpoint_id
      join event e on e.account_id = l.account_id and e.seq = l.event_seq
     order by l.due_at, l.id`,
};

/**
 * Stores the outcomes of attempts, in one statement. The call may be repeated after a lost answer: `valid` are the
 * attempts that still have their lease, or that end their delivery. Other attempts change only the log. Endpoints are
 * locked before deliveries, as by a lease. People of the account are notified when the breaker opens, and when an
 * endpoint is disabled. Healthy endpoints that stay healthy are not updated. A disabled endpoint skips pending
 * deliveries.
 */
const END: Statement = {
  name: 'delivery_end',
  text: `with given as materialized (
      select * from jsonb_to_recordset($1::jsonb) g(account_id bigint, id bigint, endpoint_id text, event_seq bigint, attempt int,
        is_test boolean, at timestamptz, duration_ms int, status int, error text, answer text, state text, due_at timestamptz,
        blocked_until timestamptz, is_gone boolean)
    ), endpoint as materialized (
      select p.account_id, p.id, p.state, p.consecutive_failures, p.failing_since
        from webhook_endpoint p join (
          select account_id, endpoint_id, bool_or(state <> 'delivered') as has_failed from given where not is_test group by 1, 2) t
          on t.account_id = p.account_id and t.endpoint_id = p.id
       where t.has_failed or p.consecutive_failures > 0 or p.failing_since is not null
       order by p.account_id, p.id for no key update of p
    ), valid as materialized (
      select g.* from (select * from given where (select count(*) from endpoint) >= 0 order by account_id, id) g
       cross join lateral (
         select from webhook_delivery d where d.account_id = g.account_id and d.id = g.id and d.attempts = g.attempt and case d.state
             when 'pending' then g.state <> 'pending' or d.leased_until is not null
             when 'skipped' then g.state = 'delivered' else false end
           for no key update of d) d
    ), told as materialized (
      select account_id, endpoint_id, bool_or(state = 'delivered') as is_well, count(*)::int as tries,
          min(at) filter (where state <> 'delivered') as failed_at, min(event_seq) filter (where state <> 'delivered') as failed_seq,
          max(blocked_until) as blocked_until, bool_or(is_gone) as is_gone
        from valid where not is_test group by 1, 2
    ), verdict as materialized (
      select t.*, p.consecutive_failures as before,
          case when t.is_well then 0
               when p.consecutive_failures >= ${BREAKER_FAILURES} then p.consecutive_failures + 1
               else least(p.consecutive_failures + t.tries, ${BREAKER_FAILURES}) end as failures,
          case when p.state = 'disabled' then null
               when t.is_gone then 'the receiver answered 410 Gone'
               when not t.is_well and p.failing_since <= $2::timestamptz - interval '${FAILING_DAYS} days'
                 then 'every delivery failed for ${FAILING_DAYS} days' end as disables
        from told t join endpoint p on p.account_id = t.account_id and p.id = t.endpoint_id
    ), notified as (
      insert into notification (account_id, kind, subject, facts)
        select account_id, 'endpoint', endpoint_id, jsonb_build_object('state', case when disables is null then 'failing' else 'disabled' end)
          from verdict v where disables is not null or before < ${BREAKER_FAILURES} and failures >= ${BREAKER_FAILURES}
           and not exists (select from notification n where n.account_id = v.account_id and n.kind = 'endpoint'
             and n.subject = v.endpoint_id and n.at > $2::timestamptz - interval '1 hour')
    ), ended as (
      update webhook_delivery d set leased_until = null, leased_by = null, at_once = false, due_at = coalesce(g.due_at, d.due_at),
          state = case when g.state = 'pending' and v.disables is not null and not g.is_test then 'skipped' else g.state end,
          ended_at = case when g.state <> 'pending' or (v.disables is not null and not g.is_test) then $2::timestamptz end
        from valid g left join verdict v on v.account_id = g.account_id and v.endpoint_id = g.endpoint_id
       where d.account_id = g.account_id and d.id = g.id
      returning d.account_id, d.endpoint_id
    ), logged as (
      insert into webhook_attempt (account_id, delivery_id, attempt, at, duration_ms, status, error, answer)
        select account_id, id, attempt, at, duration_ms, status, error, answer from given
      on conflict do nothing
    ), skipped as (
      update webhook_delivery d set state = 'skipped', leased_until = null, leased_by = null, ended_at = $2::timestamptz from verdict v
       where v.disables is not null and d.account_id = v.account_id and d.id = any(${WAITING_FOR_V})
         and not exists (select from valid g where g.account_id = d.account_id and g.id = d.id)
    ), turned as (
      ${scheduleNow('select account_id, endpoint_id from ended', '$2::timestamptz')}
    )
    update webhook_endpoint p set consecutive_failures = v.failures,
        failing_since = case when not v.is_well then coalesce(p.failing_since, v.failed_at) end,
        blocked_until = case
          when v.is_well and v.before >= ${BREAKER_FAILURES} then v.blocked_until
          when v.failures >= ${BREAKER_FAILURES} then greatest(v.blocked_until, $2::timestamptz + make_interval(secs =>
            least(${BREAKER_FIRST_SECONDS} * power(2, least(v.failures - ${BREAKER_FAILURES}, 10)), ${BREAKER_MAX_SECONDS})))
          else greatest(p.blocked_until, v.blocked_until) end,
        state = case when v.disables is null then p.state else 'disabled' end,
        disabled_reason = coalesce(v.disables, p.disabled_reason),
        disabled_at = case when v.disables is null then p.disabled_at else $2::timestamptz end,
        disabled_from_seq = case when v.disables is null then p.disabled_from_seq else least(v.failed_seq, (
          select min(d.event_seq) from webhook_delivery d
           where d.account_id = v.account_id and d.endpoint_id = v.endpoint_id and d.state = 'pending' and d.round >= 0)) end
      from verdict v where p.account_id = v.account_id and p.id = v.endpoint_id`,
};

/** Earliest due time of a lease; undefined for any time. Unit: ms. */
export interface LeaseSince {
  /** The turns of endpoints. */
  readonly endpointsMs: number | undefined;
  /** The deliveries of an endpoint in its turn. */
  readonly ofEndpoint: (endpoint: EndpointKey) => number | undefined;
}

/** Result of a lease. */
export interface Leased {
  readonly leased: readonly LeasedDelivery[];
  /** Whether other endpoints may be due, too. */
  readonly areMoreEndpoints: boolean;
  /** Whether more may be due. */
  readonly isMore: boolean;
}

const ALWAYS: LeaseSince = { endpointsMs: undefined, ofEndpoint: () => undefined };

/**
 * Leases due deliveries, in order, of the mode's endpoints whose turn it is. The deliveries of a dead dispatcher are
 * free when its heartbeats end, and at the end of the lease at the latest.
 * @param lease - `worker`: the leaseholder, and the duration on the clock of the database; `limit`: maximum number of
 * deliveries; `since`: only deliveries due since then; `ahead`: maximum number of leased deliveries of an endpoint,
 * even if fewer are sent in parallel. No other worker leases deliveries of that endpoint meanwhile, and half of `limit`
 * is left for other endpoints. An endpoint with an incomplete scan has its next turn soon.
 */
export function leaseDeliveries(
  database: Database,
  lease: ScheduleTimes & {
    readonly worker: string;
    readonly limit: number;
    readonly since?: LeaseSince;
    readonly ahead?: (endpoint: EndpointKey) => number;
  },
): Promise<Leased> {
  const { mode, nowMs, machineMs, worker, limit, since = ALWAYS, ahead = () => 0 } = lease;
  return database.withTx(async (tx) => {
    const limits = { since: sinceInstant(since.endpointsMs), limit: ENDPOINTS_MAX };
    const endpoints = await claimEndpoints(tx, { mode, nowMs }, limits);
    const areMoreEndpoints = endpoints.length === ENDPOINTS_MAX;
    if (endpoints.length === 0) return { leased: [], areMoreEndpoints, isMore: false };
    const aheadMax = Math.floor(limit / 2 / endpoints.length);
    const rows = await tx.query<LeasedDelivery & StoredBody>(LEASE, [
      endpoints.map(({ accountId }) => accountId),
      endpoints.map(({ endpointId }) => endpointId),
      instant(nowMs),
      instant(machineMs),
      limit,
      worker,
      endpoints.map((endpoint) => sinceInstant(since.ofEndpoint(endpoint))),
      endpoints.map((endpoint) => Math.min(ahead(endpoint), aheadMax)),
    ]);
    const leased = rows.map(withBody);
    return { leased, areMoreEndpoints, isMore: leased.length > 0 || areMoreEndpoints };
  });
}

function sinceInstant(ms: number | undefined): string {
  return ms === undefined ? '-infinity' : instant(ms);
}

/** Writes the outcomes of attempts, and the health of their endpoints. */
export async function endAttempts(
  database: Tx,
  attempts: readonly AttemptedDelivery[],
  nowMs: number,
): Promise<void> {
  const records = attempts.map((attempted) => ({
    account_id: String(attempted.accountId),
    id: String(attempted.id),
    endpoint_id: attempted.endpointId,
    event_seq: String(attempted.eventSeq),
    attempt: attempted.attempt,
    is_test: attempted.isTest,
    at: instant(attempted.atMs),
    duration_ms: attempted.durationMs,
    status: attempted.status,
    error: attempted.error,
    answer: attempted.answer,
    state: attempted.state,
    due_at: attempted.dueMs === null ? null : instant(attempted.dueMs),
    blocked_until: attempted.blockedUntilMs === null ? null : instant(attempted.blockedUntilMs),
    is_gone: attempted.isGone,
  }));
  await database.query(END, [JSON.stringify(records), instant(nowMs)]);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
