/** Movements of house accounts by Brasília day, over all accounts of a mode. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Movements of one house account in one currency on one day; minor units. */
export interface HouseDayRow {
  /** `YYYY-MM-DD` in Brasília. */
  readonly day: string;
  readonly house: HouseAccount;
  /** Raw ledger code. */
  readonly currency: string;
  readonly scale: number;
  readonly debits: string;
  readonly credits: string;
}

/** Filter of movements. */
export interface HouseDaysFilter {
  readonly mode: AccountMode;
  readonly houses: readonly HouseAccount[];
  /** Names of journals whose lines are left out. */
  readonly without: readonly string[];
  /** First instant of the period, and the first instant after it. */
  readonly from: Date;
  readonly to: Date;
}

/** Maximum number of ledger lines that are added up. */
export const HOUSE_LINES_MAX = 500_000;

/** `offset 0` keeps the two look-ups separate, as in `movementOf`. */
const PARTS = `account o join ledger_account a on a.account_id = o.id and a.house = any ($2::text[])
    cross join lateral (select ledger_seq_before(a.account_id, a.id, $3::timestamptz) as lo,
      ledger_seq_before(a.account_id, a.id, $4::timestamptz) as hi offset 0) w`;
const COUNT: Statement = {
  name: 'house_days_count',
  text: `select coalesce(sum(w.hi - w.lo), 0)::bigint as count from ${PARTS} where o.mode = $1`,
};
const DAYS: Statement = {
  name: 'house_days',
  text: `select (l.posted_at at time zone 'America/Sao_Paulo')::date::text as day, a.house, a.currency, a.scale,
      coalesce(-sum(l.delta) filter (where l.delta < 0), 0)::text as debits,
      coalesce(sum(l.delta) filter (where l.delta > 0), 0)::text as credits
    from ${PARTS}
    join ledger_line l on l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > w.lo and l.seq <= w.hi
    where o.mode = $1 and not (l.transaction_id is null and exists (
      select from journal j where j.account_id = l.account_id and j.id = l.journal_id and j.name = any ($5::text[])))
    group by 1, 2, 3, 4 order by 1, 2, 3`,
};

/** @returns the movements by day; undefined if more than `HOUSE_LINES_MAX` lines would have to be added up. */
export async function readHouseDays(
  tx: Tx,
  { mode, houses, without, from, to }: HouseDaysFilter,
): Promise<HouseDayRow[] | undefined> {
  const values = [mode, houses, from.toISOString(), to.toISOString()];
  const [found] = await tx.query<{ count: bigint }>(COUNT, values);
  if ((found?.count ?? 0n) > HOUSE_LINES_MAX) return undefined;
  return tx.query<HouseDayRow>(DAYS, [...values, without]);
}
