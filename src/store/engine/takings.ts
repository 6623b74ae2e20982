/** Payments of an account by the Brasília day of payment: number, amount and duration. */
import type { Family } from '../../templates/define.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Payments of one day; `day` null means the recent days together. */
export interface TakingsRow {
  /** `YYYY-MM-DD` in Brasília. */
  readonly day: string | null;
  /** Payments that succeeded, at least in part, and their BRL. */
  readonly payments: number;
  readonly amount: string;
  /** Number of ended transactions, whatever their outcome. */
  readonly ended: number;
  /** Duration from the payment to the end of its transaction: median and 95th percentile. Unit: ms. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Filter of payments. */
export interface TakingsFilter {
  readonly families: readonly Family[];
  /** First Brasília day that is read, and first of the recent days, whose durations are measured. */
  readonly from: string;
  readonly recent: string;
}

/** Maximum number of transactions that are added up. */
export const TAKINGS_MAX = 200_000;

/** A payment may come a day after its transaction was created, so the list is read from the day before `$3`. */
const WINDOW = `(select f.family, (select min(d.first_seq) from list_day d
        where d.account_id = $1 and d.family = f.family and d.day >= $3::date - 1) as lo, h.last_seq as hi
      from unnest($2::text[]) f(family) join list_head h on h.account_id = $1 and h.family = f.family)`;
const COUNT: Statement = {
  name: 'takings_count',
  text: `select coalesce(sum(w.hi - w.lo + 1), 0)::bigint as count from ${WINDOW} w`,
};
const TAKINGS: Statement = {
  name: 'takings',
  text: `select p.day::text as day, count(*) filter (where p.is_done)::int as payments,
      coalesce(sum(p.brl) filter (where p.is_done), 0)::text as amount, count(*) filter (where p.has_ended)::int as ended,
      (percentile_disc(0.5) within group (order by p.ms) filter (where p.day >= $4::date))::int as "medianMs",
      (percentile_disc(0.95) within group (order by p.ms) filter (where p.day >= $4::date))::int as "p95Ms"
    from ${WINDOW} w
    join transaction t on t.account_id = $1 and t.family = w.family and t.list_seq >= w.lo
    cross join lateral (select (t.process ->> 'paidAt')::timestamptz as paid_at, t.outcome in ('SUCCESS', 'PARTIAL_SUCCESS') as is_done) o
    cross join lateral (select (coalesce(o.paid_at, t.created_at) at time zone 'America/Sao_Paulo')::date as day, o.is_done,
        t.outcome <> 'OPEN' as has_ended, case when t.source_currency = 'BRL' then t.source_amount end as brl,
        case when o.is_done then least(extract(epoch from coalesce((t.process ->> 'finishedAt')::timestamptz, t.updated_at) - o.paid_at) * 1000,
          2000000000)::int end as ms) p
    where p.day >= $3::date
    group by grouping sets ((p.day), ()) order by p.day`,
};

/**
 * @returns a row for each day with a transaction, and one for all days; undefined if more than `TAKINGS_MAX` would have
 * to be read.
 */
export async function readTakings(
  tx: Tx,
  accountId: bigint,
  { families, from, recent }: TakingsFilter,
): Promise<TakingsRow[] | undefined> {
  const [found] = await tx.query<{ count: bigint }>(COUNT, [accountId, families, from]);
  if ((found?.count ?? 0n) > TAKINGS_MAX) return undefined;
  return tx.query<TakingsRow>(TAKINGS, [accountId, families, from, recent]);
}
