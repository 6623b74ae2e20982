/**
 * The relay in the database: events, in the order of commits, become deliveries of the endpoints that want them. Which
 * those are is said once here, for the relay and for what is recovered later.
 */
import type { Database, Statement, Tx } from './database.ts';

/** What one step of the relay did. */
export interface RelayStep {
  /** Events that were read. */
  readonly events: number;
  readonly deliveries: number;
  readonly accountIds: readonly bigint[];
  /** Whether there are more: past the size of a step, or held back by a writer that has not ended. */
  readonly isBehind: boolean;
}

/** Most events of one step. */
const STEP_MAX = 1_000;
/** Two writers of one account are never further apart than their batches are long. */
const DISORDER_MAX = 2_000;

/**
 * Where the event `v` of the transaction `t` goes (C-61): to the transaction's own URL if it has one, else to those for
 * its template if there are any, else to the general ones. One that is disabled keeps its place, but gets nothing.
 */
export const WANTED_BY = `(
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is not null and p.account_id = v.account_id and p.kind = 'transaction' and p.url = t.webhook
     and p.removed_at is null
  union all
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is null and p.account_id = v.account_id and p.kind = 'template' and p.template = t.template
     and p.removed_at is null
  union all
  select p.account_id, p.id, p.state, p.event_names from webhook_endpoint p
   where t.webhook is null and p.account_id = v.account_id and p.kind = 'general' and p.removed_at is null
     and not exists (select from webhook_endpoint o where o.account_id = v.account_id and o.kind = 'template'
                       and o.template = t.template and o.removed_at is null)
)`;

/** Whether a list of event names, in which `*` stands for any part of a name, holds a name; an empty one holds all. */
export function isNamed(names: string, name: string): string {
  return `(${names} = '{}' or exists (select from unnest(${names}) n
    where ${name} ~ ('^' || replace(replace(n, '.', '\\.'), '*', '[^.]*') || '$')))`;
}

/**
 * Locked by whoever relays: another one goes away empty. Only events are read whose writers, and all before them, have
 * ended: by ids alone those would be missed that were given one early and commit late (docs/decisions).
 * `late`: an account's events are numbered by its lock, transactions by their first write, so the two orders can differ
 * where a batch writes several accounts. What an account numbered before an event of this step is taken with it.
 */
const STEP: Statement = {
  name: 'relay_step',
  text: `with place as materialized (
      select xid, id from relay_cursor where name = 'webhooks' for update skip locked
    ), step as materialized (
      select e.account_id, e.seq, e.xid, e.id, e.name, e.transaction_id from event e
       where (e.xid, e.id) > ((select xid from place), (select id from place))
         and e.xid < pg_snapshot_xmin(pg_current_snapshot())
       order by e.xid, e.id limit ${STEP_MAX}
    ), reached as materialized (
      select xid, id from step order by xid desc, id desc limit 1
    ), late as (
      select e.account_id, e.seq, e.xid, e.id, e.name, e.transaction_id
        from (select account_id, min(seq) as low, max(seq) as high, count(*) as n from step group by account_id) s
        cross join lateral (
          select * from event e where e.account_id = s.account_id and e.seq >= s.low - ${DISORDER_MAX} and e.seq < s.high
             and (e.xid, e.id) > ((select xid from reached), (select id from reached))) e
       where s.high - s.low + 1 > s.n
          or exists (select from event p where p.account_id = s.account_id and p.seq = s.low - 1
                       and (p.xid, p.id) > ((select xid from reached), (select id from reached)))
    ), added as (
      insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at)
        select v.account_id, w.id, v.seq, v.transaction_id, $1, $1
          from (select * from step union all select * from late) v
          join transaction t on t.account_id = v.account_id and t.id = v.transaction_id
          cross join lateral ${WANTED_BY} w
         where w.state <> 'disabled' and ${isNamed('w.event_names', 'v.name')}
         order by v.account_id, v.seq
      on conflict (account_id, endpoint_id, event_seq, round) do nothing
      returning 1
    ), moved as (
      update relay_cursor set xid = reached.xid, id = reached.id from reached where name = 'webhooks'
    )
    select (select count(*)::int from step) as events, (select count(*)::int from added) as deliveries,
      array(select distinct account_id::text from step) as "accountIds",
      (select count(*) = ${STEP_MAX} from step) or exists (
        select from event e where (e.xid, e.id) > (coalesce((select xid from reached), (select xid from place)),
                                                   coalesce((select id from reached), (select id from place)))
      ) as "isBehind"`,
};
const HOLD: Statement = {
  name: 'relay_hold',
  text: `select name from relay_cursor where name = 'webhooks' for update`,
};

/**
 * Makes deliveries of the next events, exactly once, and moves the place in the log with them.
 *
 * @param nowMs - on the clock of the processes: deliveries are due at once.
 */
export async function relayStep(database: Tx, nowMs: number): Promise<RelayStep> {
  const [row] = await database.query<Omit<RelayStep, 'accountIds'> & { accountIds: readonly string[] }>(
    STEP,
    [new Date(nowMs).toISOString()],
  );
  if (!row) return { events: 0, deliveries: 0, accountIds: [], isBehind: false };
  return { ...row, accountIds: row.accountIds.map(BigInt) };
}

/** Does something while no relay goes on: what it then sees of the log is all that was relayed, and what follows is not. */
export function withRelayHeld<Result>(
  database: Database,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return database.withTx(async (tx) => {
    await tx.query(HOLD, []);
    return work(tx);
  });
}
