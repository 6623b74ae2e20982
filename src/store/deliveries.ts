/** Deliveries under way: leased by a pump, and ended by what came of the try (contract C-60 to C-64). */
import type { Statement, Tx } from './database.ts';

/** A delivery that a pump has leased, with all that is needed to send it. */
export interface LeasedDelivery {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly endpointId: string;
  readonly eventSeq: bigint;
  /** Below zero for a test, which neither waits for others nor counts. */
  readonly round: number;
  /** Which try this is, from 1; also fences what comes of it. */
  readonly attempt: number;
  readonly url: string;
  readonly signingKey: string | null;
  /** The newest first. */
  readonly secrets: readonly string[];
  readonly token: string;
  readonly name: string;
  readonly sequence: number;
  readonly payload: string;
}

/** What came of one try. */
export interface TriedDelivery {
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
  /** When it is tried again; null when it is not. */
  readonly dueMs: number | null;
  /** Until when the receiver wants nothing at all; null when it did not say. */
  readonly blockedUntilMs: number | null;
  /** Whether the receiver said that it takes no more. */
  readonly isGone: boolean;
}

/** Longer than a receiver has to answer (15 s), and not by much: what a pump that died has leased waits for its end. */
const LEASE_SECONDS = 25;
/** After so many failures in a row one delivery at a time finds out whether the receiver is back. */
const BREAKER_FAILURES = 10;
const BREAKER_FIRST_SECONDS = 30;
const BREAKER_MAX_SECONDS = 300;
/** An endpoint that fails for so long is disabled. */
const FAILING_DAYS = 5;

/**
 * `busy` goes from endpoint to endpoint through the index of what is pending. The rows of endpoints are locked while
 * their deliveries are picked, so that pumps of other processes keep to the same bounds. What a relay added while an
 * endpoint was being disabled is skipped here. `due` says `ended_at is null` for what is pending: by `state` PostgreSQL
 * would take an index of what waits, while its statistics still say that nothing does, and read all of it for each row.
 */
const LEASE: Statement = {
  name: 'delivery_lease',
  text: `with recursive busy as (
      (select account_id, endpoint_id from webhook_delivery where state = 'pending' order by account_id, endpoint_id limit 1)
      union all
      select n.account_id, n.endpoint_id from busy b cross join lateral (
        select d.account_id, d.endpoint_id from webhook_delivery d
         where d.state = 'pending' and (d.account_id, d.endpoint_id) > (b.account_id, b.endpoint_id)
         order by d.account_id, d.endpoint_id limit 1) n
    ), closed as materialized (
      select p.account_id, p.id from busy b join webhook_endpoint p on p.account_id = b.account_id and p.id = b.endpoint_id
       where p.state = 'disabled' or p.removed_at is not null for no key update of p skip locked
    ), skipped as (
      update webhook_delivery d set state = 'skipped', ended_at = $1::timestamptz, leased_until = null
        from closed c where d.account_id = c.account_id and d.endpoint_id = c.id and d.state = 'pending'
    ), open as materialized (
      select p.account_id, p.id, p.order_mode, p.max_concurrency, p.max_per_second, p.consecutive_failures
        from busy b join webhook_endpoint p on p.account_id = b.account_id and p.id = b.endpoint_id
       where p.state = 'enabled' and p.removed_at is null and (p.blocked_until is null or p.blocked_until <= $1::timestamptz)
       order by random() for no key update of p skip locked
    ), roomy as materialized (
      select o.*, least(o.max_concurrency - l.n, o.max_per_second, case when o.order_mode = 'account' then 1 - l.n end,
          case when o.consecutive_failures >= ${BREAKER_FAILURES} then 1 - l.n end) as room
        from open o cross join lateral (
          select count(*) as n from webhook_delivery d where d.account_id = o.account_id and d.endpoint_id = o.id
             and d.state = 'pending' and d.leased_until is not null and d.leased_until >= clock_timestamp()) l
    ), next as materialized (
      select c.account_id, c.id from roomy r cross join lateral (
        select * from (
          select d.account_id, d.id from webhook_delivery d
           where r.order_mode <> 'account' and d.account_id = r.account_id and d.endpoint_id = r.id and d.state = 'pending'
             and d.due_at <= $1 and (d.leased_until is null or d.leased_until < clock_timestamp())
             and (d.round < 0 or not exists (
               select from webhook_delivery e where r.order_mode = 'transaction' and e.account_id = d.account_id
                  and e.endpoint_id = d.endpoint_id and e.transaction_id = d.transaction_id and e.state = 'pending'
                  and e.round >= 0 and (e.event_seq, e.id) < (d.event_seq, d.id)))
           order by d.transaction_id, d.event_seq, d.id limit greatest(r.room, 0)) several
        union all
        select first.account_id, first.id from (
          select d.account_id, d.id, d.due_at, d.leased_until from webhook_delivery d
           where r.order_mode = 'account' and r.room > 0 and d.account_id = r.account_id and d.endpoint_id = r.id
             and d.state = 'pending'
           order by d.round < 0 desc, d.event_seq, d.id limit 1) first
         where first.due_at <= $1 and (first.leased_until is null or first.leased_until < clock_timestamp())) c
      limit $2
    ), due as materialized (
      select d.account_id, d.id from next n join webhook_delivery d on d.account_id = n.account_id and d.id = n.id
       where d.ended_at is null and (d.leased_until is null or d.leased_until < clock_timestamp())
         for update of d skip locked
    ), leased as (
      update webhook_delivery d set leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), attempts = d.attempts + 1
        from due where d.account_id = due.account_id and d.id = due.id
      returning d.account_id, d.id, d.endpoint_id, d.event_seq, d.round, d.attempts
    ), paced as (
      update webhook_endpoint p set blocked_until = $1::timestamptz + case
          when p.consecutive_failures >= ${BREAKER_FAILURES} then make_interval(secs => ${LEASE_SECONDS})
          else make_interval(secs => u.n / p.max_per_second::double precision) end
        from (select account_id, endpoint_id, count(*) as n from leased group by 1, 2) u
       where p.account_id = u.account_id and p.id = u.endpoint_id
         and (p.max_per_second is not null or p.consecutive_failures >= ${BREAKER_FAILURES})
    )
    select l.account_id as "accountId", l.id, l.endpoint_id as "endpointId", l.event_seq as "eventSeq", l.round,
        l.attempts as attempt, p.url, p.signing_key as "signingKey", v.token, v.name, v.sequence, v.payload,
        array(select s.secret from webhook_secret s where s.account_id = p.account_id
                 and s.endpoint_id = case p.kind when 'transaction' then 'transactions' else p.id end
                 and (s.valid_until is null or s.valid_until > $1)
               order by s.valid_until desc nulls first, s.created_at desc) as secrets
      from leased l join webhook_endpoint p on p.account_id = l.account_id and p.id = l.endpoint_id
      join event v on v.account_id = l.account_id and v.seq = l.event_seq`,
};

/**
 * What came of tries, in one statement. A try whose lease was taken over changes nothing but the log. Endpoints that
 * were well and stay well are not touched. A disabled endpoint skips what was pending.
 */
const END: Statement = {
  name: 'delivery_end',
  text: `with given as materialized (
      select * from jsonb_to_recordset($1::jsonb) g(account_id bigint, id bigint, endpoint_id text, event_seq bigint, attempt int,
        is_test boolean, at timestamptz, duration_ms int, status int, error text, answer text, state text, due_at timestamptz,
        blocked_until timestamptz, is_gone boolean)
    ), told as materialized (
      select account_id, endpoint_id, bool_or(state = 'delivered') as is_well, count(*)::int as tries,
          min(at) filter (where state <> 'delivered') as failed_at, min(event_seq) filter (where state <> 'delivered') as failed_seq,
          max(blocked_until) as blocked_until, bool_or(is_gone) as is_gone
        from given where not is_test group by 1, 2
    ), endpoint as materialized (
      select p.account_id, p.id, p.state, p.consecutive_failures, p.failing_since
        from webhook_endpoint p join told t on t.account_id = p.account_id and t.endpoint_id = p.id
       where t.failed_at is not null or p.consecutive_failures > 0 or p.failing_since is not null
       order by p.account_id, p.id for no key update of p
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
    ), ended as (
      update webhook_delivery d set leased_until = null, due_at = coalesce(g.due_at, d.due_at),
          state = case when g.state = 'pending' and v.disables is not null and not g.is_test then 'skipped' else g.state end,
          ended_at = case when g.state <> 'pending' or (v.disables is not null and not g.is_test) then $2::timestamptz end
        from given g left join verdict v on v.account_id = g.account_id and v.endpoint_id = g.endpoint_id
       where d.account_id = g.account_id and d.id = g.id and d.attempts = g.attempt
         and (d.state = 'pending' or (d.state = 'skipped' and g.state = 'delivered'))
    ), logged as (
      insert into webhook_attempt (account_id, delivery_id, attempt, at, duration_ms, status, error, answer)
        select account_id, id, attempt, at, duration_ms, status, error, answer from given
      on conflict do nothing
    ), skipped as (
      update webhook_delivery d set state = 'skipped', leased_until = null, ended_at = $2::timestamptz
        from verdict v where v.disables is not null and d.account_id = v.account_id and d.endpoint_id = v.endpoint_id
         and d.state = 'pending' and not exists (select from given g where g.account_id = d.account_id and g.id = d.id)
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

/**
 * Leases deliveries that are due, of endpoints that may be sent to, in their order. A pump that dies gives them back
 * when the lease ends.
 */
export function leaseDeliveries(database: Tx, nowMs: number, limit: number): Promise<LeasedDelivery[]> {
  return database.query<LeasedDelivery>(LEASE, [instant(nowMs), limit]);
}

/** Writes what came of tries, for the deliveries and the health of their endpoints. */
export async function endTries(database: Tx, tries: readonly TriedDelivery[], nowMs: number): Promise<void> {
  const records = tries.map((tried) => ({
    account_id: String(tried.accountId),
    id: String(tried.id),
    endpoint_id: tried.endpointId,
    event_seq: String(tried.eventSeq),
    attempt: tried.attempt,
    is_test: tried.isTest,
    at: instant(tried.atMs),
    duration_ms: tried.durationMs,
    status: tried.status,
    error: tried.error,
    answer: tried.answer,
    state: tried.state,
    due_at: tried.dueMs === null ? null : instant(tried.dueMs),
    blocked_until: tried.blockedUntilMs === null ? null : instant(tried.blockedUntilMs),
    is_gone: tried.isGone,
  }));
  await database.query(END, [JSON.stringify(records), instant(nowMs)]);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
