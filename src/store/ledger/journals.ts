/** Journals with both sides, in the form for accountants: house accounts by their class, without their balances. */
import type { Instant } from '../../base/time/instant.ts';
import { classOf, type HouseAccount, type LedgerAccountClass } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** One line of a journal. */
export interface PostingRow {
  readonly journalId: bigint;
  /** Id of the statement line; negative for a house account. */
  readonly lineId: bigint;
  readonly accountClass: LedgerAccountClass;
  /** Code of the ledger account; null for a house account. */
  readonly code: string | null;
  /** 1 available, 2 in_transit, 3 to_receive, 4 blocked; 0 for a house account. */
  readonly subAccount: number;
  readonly currency: string;
  readonly scale: number;
  /** Minor units; a credit is positive. */
  readonly delta: string;
}

/** A journal without its lines. */
export interface JournalRow {
  readonly id: bigint;
  /** `L1` … of the chart of journals, `adjustment`, or `import`. */
  readonly name: string;
  readonly postedAt: Instant;
  readonly end2end: string | null;
}

/** Each half of the union uses its own index; a line has the transaction of its journal. */
const POSTINGS: Statement = {
  name: 'journal_postings',
  text: `select l.journal_id as "journalId", l.id as "lineId", a.house, case when a.house is null then a.code end as code,
      a.sub_account as "subAccount", a.currency, a.scale, l.delta
    from journal j
    cross join lateral (
      select * from ledger_line l where l.account_id = j.account_id and l.transaction_id = j.transaction_id and l.journal_id = j.id
      union all
      select * from ledger_line l where l.account_id = j.account_id and l.transaction_id is null and l.journal_id = j.id
    ) l
    join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
    where j.account_id = $1 and j.id = any ($2::bigint[]) order by j.id, l.id < 0, abs(l.id)`,
};
const JOURNALS: Statement = {
  name: 'journal_page',
  text: `select j.id, j.name, j.posted_at as "postedAt", t.end2end from journal j
    left join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
    where j.account_id = $1 and j.id > $2 order by j.id limit $3`,
};

/** @returns every line of these journals of the account: by journal, statement lines first. */
export async function readPostings(
  tx: Tx,
  accountId: bigint,
  journalIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly PostingRow[]>> {
  type Flat = Omit<PostingRow, 'accountClass'> & { house: HouseAccount | null };
  const rows = await tx.query<Flat>(POSTINGS, [accountId, journalIds]);
  const postings = rows.map(({ house, ...row }) => ({ ...row, accountClass: classOf(house) }));
  return Map.groupBy(postings, ({ journalId }) => journalId);
}

/** @returns the next journals after an id, oldest first. */
export function readJournals(tx: Tx, accountId: bigint, after: bigint, limit: number): Promise<JournalRow[]> {
  return tx.query<JournalRow>(JOURNALS, [accountId, after, limit]);
}
