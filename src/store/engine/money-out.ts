/**
 * Money that left an account, or waits for approval, by the rule for money out (C-25): read, compared and written in the database
 * transaction of the step, under the account's lock.
 */
import type { Instant } from '../../base/time/instant.ts';
import type { RuledKind } from '../../templates/out-kinds.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { addOutflowNotifications } from './notifications.ts';

/** Money that is about to leave. */
export interface OutflowKey {
  readonly accountId: bigint;
  readonly targetType: string;
  readonly target: string;
  /** Group of the whitelist; null for any. */
  readonly groupId: string | null;
}

/** Limits for the comparison; BRL as decimal text, null without such a limit. */
export interface OutflowLimits {
  readonly coolingSeconds: number;
  readonly approvalAbove: string | null;
  readonly perHour: string | null;
  readonly newTargetPerHour: string | null;
  /** Amount that left today, in Brasília time, without an approval. */
  readonly today: string;
  /** Amount that left within the hour, except what two people approved beyond the ceiling. */
  readonly lastHour: string;
  /** The same amount, to this target. */
  readonly lastHourToTarget: string;
  /** Time at which money first left to this target; null for never. */
  readonly targetSince: Instant | null;
  /** Time from which the target's whitelist entry is usable; null without one. */
  readonly usableAt: Instant | null;
}

/** Money out in its stored form. */
export interface MoneyOutRow extends Omit<OutflowKey, 'groupId'> {
  readonly transactionId: bigint;
  readonly ref: string;
  readonly kind: RuledKind;
  readonly maker: string;
  readonly brl: string;
  readonly state: 'held' | 'passed' | 'approved' | 'lifted';
}

/** `ref` of money out that waits for approval, of which a transaction has at most one. */
export const HELD_REF = 'held';

const LIMITS: Statement = {
  name: 'money_out_limits',
  text: `select coalesce(s.whitelist_cooling_seconds, $6) as "coolingSeconds", s.approval_above as "approvalAbove",
      case when s.account_id is null then $7 else s.outflow_per_hour end as "perHour",
      case when s.account_id is null then $8 else s.new_target_per_hour end as "newTargetPerHour",
      coalesce(d.passed, 0)::text as today, coalesce(h.brl, 0)::text as "lastHour", coalesce(t.brl, 0)::text as "lastHourToTarget",
      (select m.at from money_out m where m.account_id = g.account_id and m.target = g.target and m.target_type = g.target_type
          and m.state <> 'held' order by m.at limit 1) as "targetSince",
      (select min(w.usable_at) from whitelist_entry w where w.account_id = g.account_id and w.removed_at is null
          and coalesce(w.network, w.pix_key_type) = g.target_type and w.target = g.target
          and (g.group_id is null or w.group_id = g.group_id)) as "usableAt"
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) with ordinality g(account_id, target_type, target, group_id, place)
      left join account_setting s on s.account_id = g.account_id
      cross join lateral (select sum(passed) as passed from money_out_minute m where m.account_id = g.account_id
          and m.minute >= date_trunc('day', $5::timestamptz, 'America/Sao_Paulo')) d
      cross join lateral (select sum(passed + approved) as brl from money_out_minute m where m.account_id = g.account_id
          and m.minute >= date_trunc('minute', $5::timestamptz) - interval '1 hour') h
      cross join lateral (select sum(brl) as brl from money_out m where m.account_id = g.account_id and m.target = g.target
          and m.target_type = g.target_type and m.state in ('passed', 'approved') and m.at > $5::timestamptz - interval '1 hour') t
    order by g.place`,
};
const STORE: Statement = {
  name: 'money_out_store',
  text: `with stored as (
      insert into money_out (account_id, transaction_id, ref, kind, maker, brl, target_type, target, state, at)
        select account_id, transaction_id, ref, kind, maker, brl, target_type, target, state, $2
          from jsonb_to_recordset($1::jsonb) m(account_id bigint, transaction_id bigint, ref text, kind text, maker text, brl numeric,
            target_type text, target text, state text)
      on conflict (account_id, transaction_id, ref) do update set brl = excluded.brl
        where money_out.state = 'held' and excluded.state = 'held' and excluded.brl > money_out.brl
      returning account_id, at, state, brl
    )
    insert into money_out_minute (account_id, minute, passed, approved)
      select account_id, date_trunc('minute', at), coalesce(sum(brl) filter (where state = 'passed'), 0),
          coalesce(sum(brl) filter (where state = 'approved'), 0)
        from stored where state in ('passed', 'approved') group by 1, 2
    on conflict (account_id, minute) do update
      set passed = money_out_minute.passed + excluded.passed, approved = money_out_minute.approved + excluded.approved`,
};
const DROP: Statement = {
  name: 'money_out_drop',
  text: `with dropped as (
      delete from money_out m using unnest($1::bigint[], $2::bigint[], $3::text[]) g(account_id, transaction_id, ref)
        where m.account_id = g.account_id and m.transaction_id = g.transaction_id and (g.ref is null or m.ref = g.ref)
      returning m.account_id, m.at, m.state, m.brl
    ), given_back as (
      select account_id, date_trunc('minute', at) as minute, coalesce(sum(brl) filter (where state = 'passed'), 0) as passed,
          coalesce(sum(brl) filter (where state = 'approved'), 0) as approved
        from dropped group by 1, 2
    )
    update money_out_minute m set passed = m.passed - b.passed, approved = m.approved - b.approved
      from given_back b where m.account_id = b.account_id and m.minute = b.minute`,
};

/**
 * @param defaults - limits of accounts without settings of their own.
 * @returns the limits for each, in order.
 */
export function readOutflowLimits(
  tx: Tx,
  keys: readonly OutflowKey[],
  defaults: Pick<OutflowLimits, 'coolingSeconds' | 'perHour' | 'newTargetPerHour'>,
  at: Date,
): Promise<OutflowLimits[]> {
  return tx.query<OutflowLimits>(LIMITS, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ targetType }) => targetType),
    keys.map(({ target }) => target),
    keys.map(({ groupId }) => groupId),
    at,
    defaults.coolingSeconds,
    defaults.perHour,
    defaults.newTargetPerHour,
  ]);
}

/** Stores money out, each under its own ref; people of the account are notified of held money. */
export async function storeMoneyOut(tx: Tx, rows: readonly MoneyOutRow[], at: Date): Promise<void> {
  const records = rows.map(({ accountId, transactionId, targetType, ...row }) => ({
    account_id: String(accountId),
    transaction_id: String(transactionId),
    target_type: targetType,
    ...row,
  }));
  await tx.query(STORE, [JSON.stringify(records), at]);
  await addOutflowNotifications(
    tx,
    rows.filter(({ state }) => state === 'held'),
  );
}

/** Amounts to subtract: the whole amount of a transaction if no ref is given. */
export interface DroppedOutflow extends Pick<MoneyOutRow, 'accountId' | 'transactionId'> {
  readonly ref: string | null;
}

/** Subtracts money that did not leave, or came back. */
export async function dropMoneyOut(tx: Tx, dropped: readonly DroppedOutflow[]): Promise<void> {
  await tx.query(DROP, [
    dropped.map(({ accountId }) => accountId),
    dropped.map(({ transactionId }) => transactionId),
    dropped.map(({ ref }) => ref),
  ]);
}
