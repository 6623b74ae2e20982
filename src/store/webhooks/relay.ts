/**
 * The relay in the database: turns the events of an account, in order, into deliveries for its endpoints. `WANTED_BY`
 * decides which endpoints get an event, for the relay and for recovery. The log is read by account from a number on,
 * without gaps, as by every other reader (decision 0014).
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { scheduleNow } from './endpoint-schedule.ts';

/** The result of one step of the relay. */
export interface RelayStep {
  /** Number of events that were read. */
  readonly events: number;
  readonly deliveries: number;
  /** Accounts for which deliveries were made. */
  readonly wanted: readonly bigint[];
  /** Accounts with more events than fit into a step. */
  readonly unfinished: readonly bigint[];
  /** Accounts that another process is working on. That process may not see the newest events. */
  readonly held: readonly bigint[];
}

/** Result of the statement. */
interface Stepped {
  readonly events: number;
  readonly deliveries: number;
  readonly wanted: readonly string[];
  readonly unfinished: readonly string[];
}

/** Lag of the relay behind the log. */
export interface RelayLag {
  /** Accounts with unrelayed events, counted up to `LAG_ACCOUNTS_MAX`. */
  readonly accounts: number;
  /** Unrelayed events of these accounts. */
  readonly events: number;
  /** Age of the oldest of them; 0 when there is none. Unit: ms. */
  readonly oldestMs: number;
}

/** Maximum number of events of one account in a step. */
const EVENTS_MAX = 250;
/** Maximum number of accounts in a step. */
export const ACCOUNTS_MAX = 32;
/** Number of rows of `relay_queue` that are read together to find the accounts that are behind. */
const NOTES_MAX = 500;
/** Maximum number of accounts that are counted as behind. */
const LAG_ACCOUNTS_MAX = 1_000;
const INT_MAX = 2 ** 31 - 1;

/**
 * Targets of the event `v` of the transaction `t` (C-61): the transaction's own URL if it has one, otherwise the
 * endpoints of its template if there are any, otherwise the general ones. A disabled endpoint keeps its position, but
 * gets nothing. An endpoint that was created after the event does not count.
 */
export const WANTED_BY = `(
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is not null and p.account_id = v.account_id and p.kind = 'transaction' and p.url = t.webhook
     and p.removed_at is null
  union all
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is null and p.account_id = v.account_id and p.kind = 'template' and p.template = t.template
     and p.removed_at is null and p.from_seq <= v.seq
  union all
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is null and p.account_id = v.account_id and p.kind = 'general' and p.removed_at is null
     and p.from_seq <= v.seq and not exists (select from webhook_endpoint o where o.account_id = v.account_id and o.kind = 'template'
                       and o.template = t.template and o.removed_at is null and o.from_seq <= v.seq)
)`;

/** Whether a list of event names, in which `*` matches any part of a name, contains a name; an empty list contains all. */
export function isNamed(names: string, name: string): string {
  return `(${names} = '{}' or exists (select from unnest(${names}) n
    where ${name} ~ ('^' || replace(replace(n, '.', '\\.'), '*', '[^.]*') || '$')))`;
}

const BEHIND: Statement = {
  name: 'relay_behind',
  text: `select distinct account_id as "accountId" from (
      select account_id from relay_queue
       where account_id > $1 and (select mode from account where id = account_id) = $2 order by account_id, seq limit ${NOTES_MAX}) q
    order by 1`,
};
/** Locks the relay positions. Positions locked by another step or a recovery are returned with a null number. */
const LOCK: Statement = {
  name: 'relay_lock',
  opens: true,
  text: `with mine as materialized (
      select account_id, seq from relay_place p
       where account_id = any ($1::bigint[]) and (select mode from account where id = p.account_id) = $2
       order by account_id for update of p skip locked
    )
    select p.account_id as "accountId", m.seq from relay_place p left join mine m using (account_id)
     where p.account_id = any ($1::bigint[]) and (select mode from account where id = p.account_id) = $2`,
};
/**
 * This runs after the lock, so that it sees changes committed before. The statement reads the events after the position
 * one by one; it stops at an event that is missing for another reason than its age. Transactions are looked up one by
 * one: for a join, the planner would scan the table whenever the statistics make that look cheap. The arrays are in
 * separate queries: PostgreSQL then plans once for any arrays, instead of each time for these.
 */
const STEP: Statement = {
  name: 'relay_step',
  text: `with place as materialized (
      select u.account_id, u.seq as before,
          greatest(u.seq, (select f.seq - 1 from event_floor f where f.account_id = u.account_id)) as seq
        from unnest((select $1::bigint[]), (select $2::bigint[])) u(account_id, seq)
    ), step as materialized (
      select p.account_id, v.seq, v.name, v.transaction_id
        from place p cross join lateral (
          select e.seq, e.name, e.transaction_id, row_number() over (order by e.seq) as n from event e
           where e.account_id = p.account_id and e.seq > p.seq order by e.seq limit ${EVENTS_MAX}) v
       where v.seq = p.seq + v.n
    ), reached as materialized (
      select p.account_id, p.before, coalesce(max(s.seq), p.seq) as seq, count(s.seq) as events
        from place p left join step s using (account_id) group by p.account_id, p.before, p.seq
    ), added as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at)
        select v.account_id, w.id, v.seq, v.transaction_id, $3, $3
          from step v
          cross join lateral (select template, webhook from transaction t
                               where t.account_id = v.account_id and t.id = v.transaction_id limit 1) t
          cross join lateral ${WANTED_BY} w
         where w.state <> 'disabled' and ${isNamed('w.event_names', 'v.name')}
         order by v.account_id, v.seq
      on conflict (account_id, endpoint_id, event_seq, round) do nothing
      returning account_id, endpoint_id
    ), turned as (
      ${scheduleNow('select account_id, endpoint_id from added', '$3::timestamptz')}
    ), moved as (
      update relay_place p set seq = r.seq from reached r
       where p.account_id = any ($1::bigint[]) and p.account_id = r.account_id and r.seq > r.before
    ), done as (
      delete from relay_queue q using reached r
       where q.account_id = any ($1::bigint[]) and q.account_id = r.account_id and q.seq > r.before and q.seq <= r.seq
    )
    select coalesce(sum(events), 0)::int as events, (select count(*)::int from added) as deliveries,
      array(select distinct account_id::text from added) as wanted, array(select account_id::text from reached where events = ${EVENTS_MAX}) as unfinished from reached`,
};
const HOLD: Statement = {
  name: 'relay_hold',
  text: `select seq from relay_place where account_id = $1 for update`,
};
const LAG: Statement = {
  name: 'relay_lag',
  text: `select count(*)::int as accounts, least(coalesce(sum(h.event_seq - p.seq), 0), ${INT_MAX})::int as events,
      least(coalesce(extract(epoch from now() - min(b.at)) * 1000, 0), ${INT_MAX})::int as "oldestMs"
    from relay_first_notes($1, ${LAG_ACCOUNTS_MAX}) b
    join account_head h using (account_id) join relay_place p using (account_id)`,
};

/** @returns the next accounts of the mode after this id with unrelayed events, in order of id; empty at the end. */
export async function accountsBehind(database: Tx, mode: AccountMode, after: bigint): Promise<bigint[]> {
  const rows = await database.query<{ accountId: bigint }>(BEHIND, [after, mode]);
  return rows.map(({ accountId }) => accountId);
}

/**
 * Makes deliveries for the next events of the accounts, and stores the new position in the same transaction: exactly once.
 *
 * @param accountIds - at most `ACCOUNTS_MAX`; accounts of another mode are ignored.
 * @param now - time of the mode's clock, when the deliveries become due.
 */
export function relayStep(
  database: Database,
  accountIds: readonly bigint[],
  { mode, nowMs }: { readonly mode: AccountMode; readonly nowMs: number },
): Promise<RelayStep> {
  return database.withTx(async (tx) => {
    const locked = await tx.query<{ accountId: bigint; seq: bigint | null }>(LOCK, [accountIds, mode]);
    const held = locked.filter(({ seq }) => seq === null).map(({ accountId }) => accountId);
    const mine = locked.filter(({ seq }) => seq !== null);
    if (mine.length === 0) return { events: 0, deliveries: 0, wanted: [], unfinished: [], held };
    const [row] = await tx.query<Stepped>(STEP, [
      mine.map(({ accountId }) => accountId),
      mine.map(({ seq }) => seq),
      new Date(nowMs).toISOString(),
    ]);
    const { events = 0, deliveries = 0, wanted = [], unfinished = [] } = row ?? {};
    return { events, deliveries, wanted: wanted.map(BigInt), unfinished: unfinished.map(BigInt), held };
  });
}

/**
 * Stops the relay for an account until the transaction ends.
 *
 * @returns the last relayed event; later ones are relayed afterwards.
 */
export async function holdRelay(tx: Tx, accountId: bigint): Promise<bigint> {
  const [last] = await tx.query<{ seq: bigint }>(HOLD, [accountId]);
  return last?.seq ?? 0n;
}

/** @returns the lag of the relay behind the log: for the accounts of a mode, or for all. */
export async function relayLag(database: Tx, mode?: AccountMode): Promise<RelayLag> {
  const [lag] = await database.query<RelayLag>(LAG, [mode ?? null]);
  return lag ?? { accounts: 0, events: 0, oldestMs: 0 };
}
