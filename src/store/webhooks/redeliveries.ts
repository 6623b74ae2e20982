/** Redelivery: of one delivery, of all that match a filter, and of events that a disabled endpoint missed (C-64). */
import { POSITION_TOKEN_LENGTH } from '../../events/cursor.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { BREAKER_FAILURES } from './deliveries.ts';
import { scheduleNow } from './endpoint-schedule.ts';
import { isNamed, WANTED_BY } from './relay.ts';

/** Filter of the deliveries to send again; a delivery has to match all given members. */
export interface RedeliveryFilter {
  readonly endpointId: string | null;
  /** Final states of the deliveries. */
  readonly states: readonly string[];
  readonly since: Date | null;
  /** Only events that occurred before this time. */
  readonly until: Date | null;
  readonly afterSeq: bigint | null;
  readonly eventNames: readonly string[];
}

/** The result of a redelivery. */
export interface Redelivered {
  /** Number of matching deliveries. */
  readonly matched: number;
  /** Deliveries that are sent again, oldest events first; 0 in a dry run. */
  readonly redelivered: number;
  /** The last event among them. */
  readonly lastSeq: bigint | null;
  /** Its token, as positions contain it. */
  readonly lastToken: string | null;
  /** Id of its progress record; null if nothing is sent. */
  readonly redeliveryId: bigint | null;
}

/** Maximum number of redeliveries of an account with a progress record: the newest. */
export const REDELIVERIES_LISTED = 20;

/** Token of the newest event that is sent again, of account $1. */
const LAST_TOKEN = `(select left(v.token, ${POSITION_TOKEN_LENGTH}) from event v
      where v.account_id = $1 and v.seq = (select max(event_seq) from again))`;

/** @returns CTEs that record the deliveries added by `again` at this time as progress, and delete the oldest record. */
function noted(matched: string, at: string): string {
  return `forgotten as (
      delete from webhook_redelivery where account_id = $1 and id in (
        select id from webhook_redelivery where account_id = $1 order by id desc offset ${REDELIVERIES_LISTED - 1})
         and exists (select from again)
    ), noted as (
      insert into webhook_redelivery (account_id, requested_at, matched, redelivered, first_delivery_id, last_delivery_id)
        select $1, ${at}, (select count(*) from ${matched}), count(*), min(id), max(id) from again having count(*) > 0
      returning id
    )`;
}
/** Members of the answer about the deliveries added by `again`. */
const ANSWERED = `count(*)::int as redelivered, max(event_seq) as "lastSeq",
      ${LAST_TOKEN} as "lastToken", (select id from noted) as "redeliveryId" from again`;

/** Maximum number of deliveries in one call. */
export const REDELIVERIES_MAX = 10_000;

// Sent immediately, whatever the breaker and the order of deliveries. A running delivery stays unchanged.
const ONE: Statement = {
  name: 'redeliver_one',
  text: `with given as (
      select d.*, p.state as endpoint_state, p.removed_at from webhook_delivery d
        join webhook_endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
       where d.account_id = $1 and d.id = $2
    ), open as (
      select * from given where removed_at is null and endpoint_state <> 'disabled'
    ), hurried as (
      update webhook_delivery d set due_at = least(d.due_at, $3), at_once = true from open g
       where d.account_id = g.account_id and d.id = g.id and g.state = 'pending' returning d.account_id, d.endpoint_id, d.id
    ), again as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, round, transaction_id, due_at, at_once, created_at)
        select g.account_id, g.endpoint_id, g.event_seq, (select greatest(max(round), 0) + 1 from webhook_delivery o
            where o.account_id = g.account_id and o.endpoint_id = g.endpoint_id and o.event_seq = g.event_seq),
            g.transaction_id, $3, true, $3
          from open g where g.state <> 'pending' returning account_id, endpoint_id, id
    ), turned as (
      ${scheduleNow(
        'select account_id, endpoint_id from hurried union all select account_id, endpoint_id from again',
        '$3::timestamptz',
      )}
    )
    select coalesce((select id from hurried), (select id from again)) as id,
      case when removed_at is not null then 'removed' else endpoint_state end as "endpointState" from given`,
};
const ALL: Statement = {
  name: 'redeliver_all',
  text: `with newest as (
      select distinct on (d.event_seq, d.endpoint_id) d.* from webhook_delivery d
        join webhook_endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
       where d.account_id = $1 and p.removed_at is null and p.state <> 'disabled' and d.round >= 0
         and ($3::text is null or d.endpoint_id = $3) and ($6::bigint is null or d.event_seq > $6)
       order by d.event_seq, d.endpoint_id, d.round desc
    ), meant as materialized (
      select n.* from newest n join event v on v.account_id = n.account_id and v.seq = n.event_seq
       where n.state = any ($4::text[]) and ($5::timestamptz is null or v.occurred_at >= $5) and ($9::timestamptz is null or v.occurred_at < $9)
         and ${isNamed('$7::text[]', 'v.name')}
    ), again as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, round, transaction_id, due_at, created_at)
        select account_id, endpoint_id, event_seq, round + 1, transaction_id, $2, $2 from meant
         where not $8::boolean order by event_seq, endpoint_id limit ${REDELIVERIES_MAX}
      on conflict do nothing returning account_id, endpoint_id, event_seq, id
    ), shut as materialized (
      select p.account_id, p.id from (select distinct account_id, endpoint_id from again) a
        join webhook_endpoint p on p.account_id = a.account_id and p.id = a.endpoint_id and p.consecutive_failures >= ${BREAKER_FAILURES}
       order by p.account_id, p.id for no key update of p
    ), probed as (
      update webhook_endpoint p set blocked_until = null from shut where p.account_id = shut.account_id and p.id = shut.id
      returning p.account_id, p.id
    ), turned as (
      ${scheduleNow(
        'select account_id, id as endpoint_id from probed union all select account_id, endpoint_id from again',
        '$2::timestamptz',
      )}
    ), ${noted('meant', '$2::timestamptz')}
    select (select count(*)::int from meant) as matched, ${ANSWERED}`,
};
const LOCK: Statement = {
  name: 'redeliver_lock',
  text: `select id from webhook_endpoint where account_id = $1 and id = $2 for no key update`,
};
const RECOVER: Statement = {
  name: 'redeliver_missed',
  text: `with missed as materialized (
      select v.account_id, v.seq, v.transaction_id, o.round from event v
        cross join lateral (select template, webhook from transaction t
                             where t.account_id = v.account_id and t.id = v.transaction_id limit 1) t
        join webhook_endpoint p on p.account_id = v.account_id and p.id = $2 and p.removed_at is null
        cross join lateral ${WANTED_BY} w
        left join lateral (select o.round, o.state from webhook_delivery o
          where o.account_id = v.account_id and o.endpoint_id = $2 and o.event_seq = v.seq and o.round >= 0
          order by o.round desc limit 1) o on true
       where v.account_id = $1 and v.seq >= p.disabled_from_seq and v.seq <= $4 and w.id = $2 and ${isNamed('w.event_names', 'v.name')}
         and (o.state is null or o.state in ('dead', 'skipped'))
       order by v.seq limit ${REDELIVERIES_MAX + 1}
    ), again as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, round, transaction_id, due_at, created_at)
        select account_id, $2, seq, coalesce(round + 1, 0), transaction_id, $3, $3
          from (select * from missed order by seq limit ${REDELIVERIES_MAX}) m
      returning event_seq, id
    ), ${noted('missed', '$3::timestamptz')}, turned as (
      ${scheduleNow('select $1::bigint as account_id, $2::text as endpoint_id', '$3::timestamptz')}
    ), enabled as (
      update webhook_endpoint p set state = 'enabled', consecutive_failures = 0, failing_since = null, blocked_until = null,
          disabled_from_seq = (select seq from missed order by seq offset ${REDELIVERIES_MAX})
       where p.account_id = $1 and p.id = $2 and p.removed_at is null
    )
    select (select count(*)::int from missed) as matched, ${ANSWERED}`,
};
const TEST: Statement = {
  name: 'redeliver_test',
  text: `with made as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, round, transaction_id, due_at, at_once, created_at)
        select v.account_id, $2, v.seq, (select least(min(round), 0) - 1 from webhook_delivery o
            where o.account_id = $1 and o.endpoint_id = $2 and o.event_seq = v.seq), v.transaction_id, $3, true, $3
          from event v where v.account_id = $1 order by v.seq desc limit 1
      returning account_id, endpoint_id, id
    ), turned as (${scheduleNow('select account_id, endpoint_id from made', '$3::timestamptz')})
    select id from made`,
};

// Two parallel callers would compute the same next round, so they run one at a time. No row is locked, so dispatchers
// do not wait.
const LOCK_ROUND: Statement = {
  name: 'redeliver_in_turn',
  text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || '.redeliveries', $1))`,
};

/** The result of redelivering one delivery. */
export interface RedeliveryResult {
  /** The sent delivery; null if the endpoint is disabled or was removed. */
  readonly id: bigint | null;
  readonly endpointState: 'enabled' | 'paused' | 'disabled' | 'removed';
}

/** Sends a delivery again; a waiting one becomes due now. Does nothing for a disabled or removed endpoint. */
export async function redeliverOne(
  tx: Tx,
  accountId: bigint,
  id: bigint,
  now: Date,
): Promise<RedeliveryResult | undefined> {
  const [row] = await serialized<RedeliveryResult>(tx, accountId, ONE, [accountId, id, now]);
  return row;
}

/** Sends the deliveries of a filter again, at most 10,000, or counts them. */
export async function redeliverAll(
  tx: Tx,
  accountId: bigint,
  filter: RedeliveryFilter,
  now: Date,
  isDryRun: boolean,
): Promise<Redelivered> {
  const { endpointId, states, since, until, afterSeq, eventNames } = filter;
  const values = [accountId, now, endpointId, states, since, afterSeq, eventNames, isDryRun, until];
  const [row] = await serialized<Redelivered>(tx, accountId, ALL, values);
  return row ?? NOTHING;
}

/**
 * Enables an endpoint again and sends the events that it missed, at most 10,000. The next missed event is noted for
 * another call.
 * @param tx - a transaction that holds the relay of the account.
 * @param relayedSeq - the last relayed event; later events need no recovery.
 */
export async function recoverMissed(
  tx: Tx,
  accountId: bigint,
  endpointId: string,
  { now, relayedSeq }: { readonly now: Date; readonly relayedSeq: bigint },
): Promise<Redelivered> {
  await tx.query(LOCK_ROUND, [accountId]);
  // Waits for a dispatcher that is skipping deliveries of the endpoint, so that these are seen as skipped.
  await tx.query(LOCK, [accountId, endpointId]);
  const [row] = await tx.query<Redelivered>(RECOVER, [accountId, endpointId, now, relayedSeq]);
  return row ?? NOTHING;
}

/** Sends the newest event again as a test. @returns the delivery; undefined if the account has no event. */
export async function addTest(
  tx: Tx,
  accountId: bigint,
  endpointId: string,
  now: Date,
): Promise<bigint | undefined> {
  const [row] = await serialized<{ id: bigint }>(tx, accountId, TEST, [accountId, endpointId, now]);
  return row?.id;
}

/** Runs a statement that computes a next round, while no other statement of the account does. */
async function serialized<Row>(
  tx: Tx,
  accountId: bigint,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  await tx.query(LOCK_ROUND, [accountId]);
  return tx.query<Row>(statement, values);
}

const NOTHING: Redelivered = {
  matched: 0,
  redelivered: 0,
  lastSeq: null,
  lastToken: null,
  redeliveryId: null,
};
