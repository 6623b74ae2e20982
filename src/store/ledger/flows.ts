/**
 * Incoming and outgoing sums of an account in a period, by currency: the net of each journal over all parts of the
 * balance.
 */
import type { Statement, Tx } from '../connection/database.ts';

/** Incoming and outgoing sums in one currency, minor units. */
export interface FlowRow {
  /** Raw ledger code. */
  readonly currency: string;
  readonly scale: number;
  readonly inMinor: string;
  readonly outMinor: string;
}

/** Maximum number of statement lines that are added up. */
export const FLOW_LINES_MAX = 200_000;

const LINES: Statement = {
  name: 'flow_lines',
  text: `select coalesce(sum(w.hi - w.lo + 1), 0)::bigint as lines from statement_window($1, null, null, $2::date, null) w
    where w.hi >= w.lo`,
};
const FLOWS: Statement = {
  name: 'flows',
  text: `with net as (
      select a.currency, a.scale, l.journal_id, sum(l.delta) as delta
        from statement_window($1, null, null, $2::date, null) w
        join ledger_account a on a.account_id = $1 and a.id = w.ledger_account_id
        join ledger_line l on l.account_id = $1 and l.ledger_account_id = w.ledger_account_id and l.seq between w.lo and w.hi
       where l.posted_at >= $3 group by a.currency, a.scale, l.journal_id)
    select currency, scale, coalesce(sum(delta) filter (where delta > 0), 0)::text as "inMinor",
        coalesce(-sum(delta) filter (where delta < 0), 0)::text as "outMinor"
      from net where delta <> 0 group by currency, scale order by currency collate "C"`,
};

/** @returns the flows since a given time; undefined if more than `FLOW_LINES_MAX` lines would have to be added up. */
export async function readFlows(tx: Tx, accountId: bigint, since: Date): Promise<FlowRow[] | undefined> {
  const day = since.toISOString().slice(0, 10);
  const [found] = await tx.query<{ lines: bigint }>(LINES, [accountId, day]);
  if ((found?.lines ?? 0n) > FLOW_LINES_MAX) return undefined;
  return tx.query<FlowRow>(FLOWS, [accountId, day, since.toISOString()]);
}
