/**
 * Figures of the database for monitoring. Each is one statement that finds its rows by an index, or in a small table,
 * and counts a limited number of them, so that watching a growing backlog stays cheap. Only `ledger` reads whole
 * tables.
 */
import { ACCOUNT_MODES, type AccountMode, instantsOf, type Times } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { readVerifyState, type VerifyState } from '../ledger/verify-state.ts';
import { relayLag } from '../webhooks/relay.ts';
import { SERVER_FIGURES } from './server-figures.ts';

/** Jobs of one kind. Ages are in seconds, also below. */
export interface JobFigures {
  readonly mode: string;
  readonly kind: string;
  readonly due: number;
  readonly oldest: number;
  readonly failing: number;
}

/** Lag of the relay behind the event log. */
export interface RelayFigures {
  readonly mode: string;
  readonly accounts: number;
  readonly events: number;
  readonly lag: number;
}

/** Time since the longest waiting endpoint could have been sent to. */
export interface EndpointWaits {
  readonly mode: string;
  readonly overdue: number;
}

/** Unfinished deliveries, by the reason of their wait. */
export interface DeliveryFigures {
  readonly mode: string;
  readonly state: string;
  readonly count: number;
  readonly oldest: number;
}

/** Endpoints in one state. */
export interface EndpointFigures {
  readonly mode: string;
  readonly state: string;
  readonly count: number;
}

/** Undecided screening hits. */
export interface ScreeningFigures {
  readonly mode: string;
  readonly open: number;
  readonly oldest: number;
}

/** MED cases that wait for an answer. */
export interface MedFigures {
  readonly mode: string;
  readonly open: number;
  /** Seconds until the first of them is due, 0 if it is; null if none waits. */
  readonly left: number | null;
}

/** A screening list, in the state in which the last comparing process found it. */
export interface ScreeningListFigures {
  readonly mode: string;
  readonly list: string;
  readonly age: number;
  /** 1 or 0. */
  readonly refused: number;
}

/** The last report of a rail, if it is among the newest. */
export interface ReportFigures {
  readonly mode: string;
  readonly rail: string;
  readonly age: number;
}

/** Reports of a rail that are not settled. */
export interface UnsettledFigures {
  readonly mode: string;
  readonly rail: string;
  readonly count: number;
}

/** A network, and its transfers. */
export interface NetworkFigures {
  readonly mode: string;
  readonly network: string;
  /** Age of its newest block that was read; null before the first. */
  readonly age: number | null;
  /** Seconds for which it could not be read; 0 if it can. */
  readonly trouble: number;
  /** Age of the oldest ordered transfer that has not ended; 0 if all have. */
  readonly unended: number;
  readonly paused: number;
}

/** The statement of a PIX provider. */
export interface StatementFigures {
  readonly mode: string;
  /** Seconds since the last complete read; null before the first. */
  readonly age: number | null;
}

/** A rail after the last restore. */
export interface RestoreFigures {
  readonly mode: string;
  readonly rail: string;
  /** Seconds since the restore was noticed, if the rail is stopped; otherwise 0. Unit: s. */
  readonly stopped: number;
  /** Undecided payments. */
  readonly open: number;
}

/** The newest rate of an asset. */
export interface RateFigures {
  readonly mode: string;
  readonly asset: string;
  readonly age: number;
}

/** Undecided money. */
export interface SuspenseFigures {
  readonly mode: string;
  readonly open: number;
  readonly oldest: number;
}

/** Currencies of accounts whose lines do not sum to zero. */
export interface LedgerFigures {
  readonly mode: string;
  readonly imbalanced: number;
}

/** State of the continuous verification. */
export type VerifyFigures = Pick<VerifyState, 'newAge' | 'roundAge' | 'defects'>;

/** Size of the database. Unit: bytes. */
export interface SizeFigures {
  readonly bytes: bigint;
}

/** Maximum number of counted rows of jobs and deliveries, for each mode. */
export const COUNTED_MAX = 10_000;
/** Number of newest reports among which the last of each rail is found. */
const REPORTS_MAX = 10_000;
/** A job that has failed less often may just have met a pause of its rail. */
const FAILING_ATTEMPTS = 3;
const INT_MAX = 2 ** 31 - 1;

/** The modes with their time: `$1` of the sandbox, `$2` of live accounts. */
const CLOCKS = `(values ('sandbox', false, $1::timestamptz), ('live', true, $2::timestamptz)) c(mode, is_live, now)`;
const secondsOf = (interval: string) =>
  `least(greatest(coalesce(extract(epoch from ${interval}), 0), 0), ${INT_MAX})::int`;

/** Failed jobs are in the order of their index: without it, stale statistics make PostgreSQL read the whole table. */
const JOBS: Statement = {
  name: 'figures_jobs',
  text: `select c.mode, j.kind, count(*) filter (where j.due_at <= c.now)::int as due,
      ${secondsOf('c.now - min(j.due_at) filter (where j.due_at <= c.now)')} as oldest,
      count(*) filter (where j.last_error is not null and j.attempts >= ${FAILING_ATTEMPTS})::int as failing
    from ${CLOCKS} cross join lateral (
      (select d.kind, d.due_at, d.last_error, d.attempts from job d where d.is_live = c.is_live and d.due_at <= c.now
        order by d.due_at, d.id limit ${COUNTED_MAX})
      union all
      (select f.kind, f.due_at, f.last_error, f.attempts from job f where f.last_error is not null and f.is_live = c.is_live and f.due_at > c.now
        order by f.account_id limit ${COUNTED_MAX})) j
    group by c.mode, c.now, j.kind`,
};
/**
 * The time of an endpoint is when its next delivery may be sent: a time in the past means that the sender is late, not
 * a receiver.
 */
const ENDPOINT_WAITS: Statement = {
  name: 'figures_turns',
  text: `select c.mode, ${secondsOf('c.now - t.at')} as overdue from ${CLOCKS} left join lateral (
      select w.at from webhook_turn w join webhook_endpoint e on e.account_id = w.account_id and e.id = w.endpoint_id
       where e.state = 'enabled' and e.removed_at is null and w.at <= c.now
         and (select a.mode from account a where a.id = w.account_id) = c.mode
       order by w.at limit 1) t on true`,
};
const DELIVERIES: Statement = {
  name: 'figures_deliveries',
  text: `select a.mode, case when e.state = 'paused' then 'paused' when d.leased_until > now() then 'under_way'
        when e.consecutive_failures > 0 or e.blocked_until > c.now then 'failing' when d.due_at <= c.now then 'due' else 'waiting' end as state,
      count(*)::int as count, ${secondsOf('max(c.now - d.created_at)')} as oldest
    from (select w.account_id, w.endpoint_id, w.leased_until, w.due_at, w.created_at from webhook_delivery w
           where w.ended_at is null limit 2 * ${COUNTED_MAX}) d
    join webhook_endpoint e on e.account_id = d.account_id and e.id = d.endpoint_id
    join account a on a.id = d.account_id join ${CLOCKS} on c.mode = a.mode
    group by 1, 2`,
};
const ENDPOINTS: Statement = {
  name: 'figures_endpoints',
  text: `select c.mode, s.state, count(e.id)::int as count from ${CLOCKS} cross join (values ('enabled'), ('paused'), ('disabled')) s(state)
    left join (webhook_endpoint e join account a on a.id = e.account_id)
      on a.mode = c.mode and e.state = s.state and e.removed_at is null
    group by 1, 2`,
};
const REPORTS: Statement = {
  name: 'figures_reports',
  text: `select n.mode, n.rail, ${secondsOf('now() - max(n.seen_at)')} as age
    from (select mode, rail, seen_at from rail_news order by id desc limit ${REPORTS_MAX}) n group by n.mode, n.rail`,
};
const UNSETTLED: Statement = {
  name: 'figures_unsettled',
  text: `select n.mode, n.rail, count(*)::int as count
    from (select mode, rail from rail_news where outcome in ('pending', 'failed') order by id limit ${COUNTED_MAX}) n
    group by n.mode, n.rail`,
};
const NETWORKS: Statement = {
  name: 'figures_networks',
  text: `select c.mode, n.network, case when n.head_at is not null then ${secondsOf('c.now - n.head_at')} end as age,
      ${secondsOf('c.now - n.trouble_since')} as trouble, (n.paused_at is not null)::int as paused,
      ${secondsOf('c.now - (select min(o.ordered_at) from chain_order o where o.network = n.network and o.mode = n.mode and o.ended_at is null)')}
        as unended
    from ${CLOCKS} join chain_network n on n.mode = c.mode`,
};
const RESTORES: Statement = {
  name: 'figures_restores',
  text: `select r.mode, r.rail, case when r.cleared_at is null then ${secondsOf('clock_timestamp() - p.noticed_at')} else 0 end as stopped, (select count(*)::int from unknown_payment u
      where u.rail = r.rail and u.mode = r.mode and u.state = 'open') as open
    from restored_rail r join restore_point p on p.id = r.restore_id
    where p.id = (select max(id) from restore_point where since is not null)`,
};
/** The row of an unconfigured provider stays, so the row that was read last belongs to the current provider. */
const STATEMENTS: Statement = {
  name: 'figures_statements',
  text: `select mode, case when max(read_at) is not null then ${secondsOf('clock_timestamp() - max(read_at)')} end as age
    from pix_cursor group by mode`,
};
const RATES: Statement = {
  name: 'figures_rates',
  text: `select c.mode, r.asset, ${secondsOf('c.now - r.observed_at')} as age from ${CLOCKS} join rate r on r.mode = c.mode`,
};
const SUSPENSE: Statement = {
  name: 'figures_suspense',
  text: `select c.mode, count(s.id)::int as open, ${secondsOf('c.now - min(s.opened_at)')} as oldest
    from ${CLOCKS} left join (suspense_entry s join account a on a.id = s.account_id)
      on a.mode = c.mode and (s.state = 'open' or s.due_at = 'infinity')
    group by c.mode, c.now`,
};
const SCREENING: Statement = {
  name: 'figures_screening',
  text: `select c.mode, count(h.id)::int as open, ${secondsOf('clock_timestamp() - min(h.raised_at)')} as oldest
    from ${CLOCKS} left join (select id, mode, raised_at from screening_hit where state = 'open' limit 10000) h on h.mode = c.mode
    group by c.mode`,
};
const SCREENING_LISTS: Statement = {
  name: 'figures_screening_lists',
  text: `select mode, list, ${secondsOf('clock_timestamp() - file_at')} as age, (refusal is not null)::int as refused
    from screening_list`,
};
const MED: Statement = {
  name: 'figures_med',
  text: `select c.mode, count(m.id)::int as open, case when min(m.due_at) is not null then ${secondsOf('min(m.due_at) - c.now')} end as left
    from ${CLOCKS} left join (select id, mode, due_at from med_case where state = 'open' limit ${COUNTED_MAX}) m on m.mode = c.mode
    group by c.mode, c.now`,
};
const LEDGER: Statement = {
  name: 'figures_ledger',
  text: `select c.mode, count(o.account_id)::int as imbalanced from ${CLOCKS} left join (
      select l.account_id, a.mode from ledger_account l join account a on a.id = l.account_id
        join ledger_balance b on b.account_id = l.account_id and b.ledger_account_id = l.id
       group by l.account_id, a.mode, l.currency having sum(b.balance) <> 0) o on o.mode = c.mode
    group by c.mode`,
};
const SIZE: Statement = {
  name: 'figures_size',
  text: 'select pg_database_size(current_database()) as bytes',
};

/** Groups of figures by name: the rows of one statement. */
export const FIGURES = {
  jobs: (tx: Tx, times: Times) => tx.query<JobFigures>(JOBS, instantsOf(times)),
  relay: (tx: Tx, _times: Times) => Promise.all(ACCOUNT_MODES.map((mode) => relayFigures(tx, mode))),
  turns: (tx: Tx, times: Times) => tx.query<EndpointWaits>(ENDPOINT_WAITS, instantsOf(times)),
  deliveries: (tx: Tx, times: Times) => tx.query<DeliveryFigures>(DELIVERIES, instantsOf(times)),
  endpoints: (tx: Tx, times: Times) => tx.query<EndpointFigures>(ENDPOINTS, instantsOf(times)),
  reports: (tx: Tx, _times: Times) => tx.query<ReportFigures>(REPORTS, []),
  unsettled: (tx: Tx, _times: Times) => tx.query<UnsettledFigures>(UNSETTLED, []),
  networks: (tx: Tx, times: Times) => tx.query<NetworkFigures>(NETWORKS, instantsOf(times)),
  restores: (tx: Tx, _times: Times) => tx.query<RestoreFigures>(RESTORES, []),
  statements: (tx: Tx, _times: Times) => tx.query<StatementFigures>(STATEMENTS, []),
  rates: (tx: Tx, times: Times) => tx.query<RateFigures>(RATES, instantsOf(times)),
  suspense: (tx: Tx, times: Times) => tx.query<SuspenseFigures>(SUSPENSE, instantsOf(times)),
  screening: (tx: Tx, times: Times) => tx.query<ScreeningFigures>(SCREENING, instantsOf(times)),
  screeningLists: (tx: Tx, _times: Times) => tx.query<ScreeningListFigures>(SCREENING_LISTS, []),
  med: (tx: Tx, times: Times) => tx.query<MedFigures>(MED, instantsOf(times)),
  ledger: (tx: Tx, times: Times) => tx.query<LedgerFigures>(LEDGER, instantsOf(times)),
  verify: async (tx: Tx, _times: Times) => [await readVerifyState(tx)] as VerifyFigures[],
  size: (tx: Tx, _times: Times) => tx.query<SizeFigures>(SIZE, []),
  ...SERVER_FIGURES,
} as const;

/** Name of figures that are read together. */
export type FigureGroup = keyof typeof FIGURES;

async function relayFigures(tx: Tx, mode: AccountMode): Promise<RelayFigures> {
  const { accounts, events, oldestMs } = await relayLag(tx, mode);
  return { mode, accounts, events, lag: oldestMs / 1_000 };
}
