/** Status of rails: their newest event, and their open orders. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** The newest event of a rail. */
export interface LastRailEvent {
  readonly rail: string;
  readonly lastAt: Instant;
}

/** Events that are not settled. */
export interface UnsettledRow {
  readonly rail: string;
  readonly count: number;
}

/** Due jobs of one kind, and whether they pay out BRL. */
export interface DueOrdersRow {
  readonly kind: string;
  readonly isBrl: boolean;
  readonly due: number;
  readonly failing: number;
}

/** Maximum number of events scanned for the newest of each rail. */
export const RAIL_EVENTS_SCANNED_MAX = 10_000;

const LAST: Statement = {
  name: 'rail_health_last',
  text: `select rail, max(seen_at)::text as "lastAt" from
      (select rail, seen_at, mode from rail_news order by id desc limit ${RAIL_EVENTS_SCANNED_MAX}) n where mode = $1 group by rail`,
};
const UNSETTLED: Statement = {
  name: 'rail_health_unsettled',
  text: `select rail, count(*)::int as count from rail_news where outcome in ('pending', 'failed') and mode = $1 group by rail`,
};
const ORDERS: Statement = {
  name: 'rail_health_orders',
  text: `select j.kind, coalesce(t.target_currency = 'BRL', false) as "isBrl",
      count(*) filter (where j.due_at <= $2)::int as due, count(*) filter (where j.last_error is not null)::int as failing
    from (select * from job where is_live = $1 and due_at <= $2
          union all select * from job where is_live = $1 and due_at > $2 and last_error is not null) j
      left join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
    group by 1, 2`,
};

/** @returns the newest events of rails, their unsettled events, and due orders of rails. */
export async function readRailHealth(tx: Tx, mode: AccountMode, nowMs: number) {
  const [last, unsettled, orders] = await Promise.all([
    tx.query<LastRailEvent>(LAST, [mode]),
    tx.query<UnsettledRow>(UNSETTLED, [mode]),
    tx.query<DueOrdersRow>(ORDERS, [mode === 'live', new Date(nowMs).toISOString()]),
  ]);
  return { last, unsettled, orders };
}
