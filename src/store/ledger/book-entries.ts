/** Lines of a kind of ledger account of the house in one currency, over all accounts of a mode or one, newest first. */
import type { Instant } from '../../base/time/instant.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { BooksOf } from './books.ts';

/** A line of a journal on a house account. */
export interface BookEntryRow {
  readonly accountId: bigint;
  readonly journalId: bigint;
  /** Id of its transaction as callers know it; null for other journals. */
  readonly end2end: string | null;
  readonly postedAt: Instant;
  /** Minor units; a credit is positive. */
  readonly delta: string;
  readonly scale: number;
}

/** Lines that are read. */
export interface EntriesOf extends BooksOf {
  readonly house: HouseAccount;
  /** Raw ledger code. */
  readonly currency: string;
  /** Start of the period, and its exclusive end. */
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

/** Each ledger account gives its newest lines by its primary key; `offset 0` keeps the look-ups of the bounds separate. */
const ENTRIES: Statement = {
  name: 'book_entries',
  text: `select l.account_id as "accountId", l.journal_id as "journalId", t.end2end, l.posted_at as "postedAt", l.delta::text as delta, a.scale
    from account o join ledger_account a on a.account_id = o.id and a.house = $3 and a.currency = $4
    cross join lateral (
      select ledger_seq_before(a.account_id, a.id, $5::timestamptz) as lo, ledger_seq_before(a.account_id, a.id, $6::timestamptz) as hi offset 0) w
    cross join lateral (select * from ledger_line x where x.account_id = a.account_id and x.ledger_account_id = a.id
      and x.seq > w.lo and x.seq <= w.hi order by x.seq desc limit $7) l
    left join transaction t on t.account_id = l.account_id and t.id = l.transaction_id
    where o.mode = $1 and ($2::bigint is null or o.id = $2)
    order by l.posted_at desc, l.account_id, l.journal_id desc limit $7`,
};

/** @returns the newest lines of the period. */
export function readBookEntries(
  database: Tx,
  { mode, accountId, house, currency, from, to, limit }: EntriesOf,
): Promise<BookEntryRow[]> {
  const period = [from.toISOString(), to.toISOString()];
  return database.query<BookEntryRow>(ENTRIES, [mode, accountId ?? null, house, currency, ...period, limit]);
}
