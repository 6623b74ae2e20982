/** Reads of a ledger export: its end, the balances at its start and its end, and the journals between. */
import type { Statement, Tx } from '../connection/database.ts';
import type { JournalRow } from './journals.ts';
import type { BalanceRow } from './ledger.ts';

/** End of an export, which excludes later postings. */
export interface LedgerEnd {
  readonly lastJournal: bigint;
  readonly lastLine: bigint;
  readonly balances: readonly BalanceRow[];
}

/** Range of journals, by number and time; null for an open bound of time. */
export interface JournalRange {
  readonly after: bigint;
  readonly last: bigint;
  readonly from: Date | null;
  /** The first instant after the range. */
  readonly to: Date | null;
}

const END: Statement = {
  name: 'export_end',
  text: `select h.journal_id as "lastJournal", h.line_id as "lastLine", a.currency, a.scale, a.sub_account as "subAccount",
      case when $2::timestamptz is null then b.balance else balance_at($1, a.id, $2) end::text as balance
    from account_head h
    join ledger_account a on a.account_id = h.account_id and a.sub_account > 0
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where h.account_id = $1 order by a.currency collate "C", a.sub_account`,
};
const CURRENCIES: Statement = {
  name: 'export_currencies',
  text: `select distinct currency, scale from ledger_account where account_id = $1`,
};
const JOURNALS: Statement = {
  name: 'export_journals',
  text: `select j.id, j.name, j.posted_at as "postedAt", t.end2end from journal j
    left join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
    where j.account_id = $1 and j.id > $2 and j.id <= $3
      and ($4::timestamptz is null or j.posted_at >= $4)
      and ($5::timestamptz is null or j.posted_at < $5)
    order by j.id limit $6`,
};

/**
 * @param at - time of the balances; now by default. One snapshot serves all currencies.
 * @returns the end of an export that begins now, in the order of currencies.
 */
export async function readLedgerEnd(tx: Tx, accountId: bigint, at?: Date): Promise<LedgerEnd> {
  const rows = await tx.query<BalanceRow & { lastJournal: bigint; lastLine: bigint }>(END, [
    accountId,
    at ?? null,
  ]);
  const { lastJournal = 0n, lastLine = 0n } = rows[0] ?? {};
  return { lastJournal, lastLine, balances: rows };
}

/** @returns the next journals of a range, in the order in which they were posted. */
export function readJournalRange(
  tx: Tx,
  accountId: bigint,
  { after, last, from, to }: JournalRange,
  limit: number,
): Promise<JournalRow[]> {
  return tx.query<JournalRow>(JOURNALS, [accountId, after, last, from, to, limit]);
}

/** @returns every currency of an account and of the house's side of its journals, with its decimals. */
export function readCurrencies(
  tx: Tx,
  accountId: bigint,
): Promise<{ readonly currency: string; readonly scale: number }[]> {
  return tx.query(CURRENCIES, [accountId]);
}
