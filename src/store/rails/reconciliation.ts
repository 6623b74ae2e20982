/** Reconciliation in the database: what the ledger has of money that moved on a rail, and the reports that were made. */
import type { AccountMode } from '../../base/account-mode.ts';
import { assert } from '../../base/assert.ts';
import type { Instant } from '../../base/instant.ts';
import type { Statement, Tx } from '../database.ts';

/** The natural key of news. */
export interface NewsName {
  readonly kind: string;
  readonly key: string;
}

/** What became of news: where its money is booked. */
export interface BookedNews {
  /** Place of the name that it was asked by. */
  readonly place: number;
  readonly outcome: string;
  readonly accountId: bigint | null;
  readonly transactionId: bigint | null;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  /** Where suspense was booked by it. */
  readonly journalId: bigint | null;
}

/** A line of `A.pix`. */
export interface BankLine {
  readonly accountId: bigint;
  readonly journalId: bigint;
  readonly transactionId: bigint | null;
  readonly end2end: string | null;
  /** Of the chart of journals. */
  readonly name: string;
  /** Cents; above zero for what came in. */
  readonly minor: string;
  readonly postedAt: Instant;
}

/** Money in suspense that is not decided, or is on its way back. */
export interface OpenSuspense {
  readonly count: number;
  readonly oldestAt: Instant | null;
}

/** A report to be kept. */
export interface NewReconciliation {
  /** In Brasília, `YYYY-MM-DD`. */
  readonly day: string;
  /** Up to when the statement was read. */
  readonly until: Instant;
  readonly madeAt: Instant;
  /** As the audit log names actors. */
  readonly madeBy: string;
  readonly matched: number;
  readonly missingHere: number;
  readonly missingThere: number;
  readonly amountDiffers: number;
  readonly inSuspense: number;
  /** Null where nothing is open. */
  readonly oldestOpenAt: Instant | null;
  readonly findings: readonly unknown[];
}

/** A report as it is kept. */
export interface StoredReconciliation extends NewReconciliation {
  readonly id: bigint;
}

const BOOKED: Statement = {
  name: 'reconciliation_booked',
  text: `select g.place::int as place, n.outcome, n.account_id as "accountId", n.transaction_id as "transactionId", t.end2end,
      coalesce(s.journal_id, j.id) as "journalId"
    from unnest($2::text[], $3::text[]) with ordinality g(kind, key, place)
    join rail_news n on n.mode = $1 and n.kind = g.kind and n.key = g.key
    left join transaction t on t.account_id = n.account_id and t.id = n.transaction_id
    left join suspense_entry s on s.news_id = n.id
    left join journal j on n.outcome = 'suspense' and j.account_id = n.account_id and j.ref = n.body ->> 'order'`,
};
const LINE = `l.account_id as "accountId", l.journal_id as "journalId", l.transaction_id as "transactionId", t.end2end, j.name,
    (-l.delta)::text as minor, l.posted_at as "postedAt"`;
const AROUND = `join journal j on j.account_id = l.account_id and j.id = l.journal_id
    left join transaction t on t.account_id = l.account_id and t.id = l.transaction_id`;
/** Lines of the ledger account `a` in [from, to); as in the books, `offset 0` keeps the look-ups from being made for every line. */
const between = (from: string, to: string): string => `cross join lateral (
      select ledger_seq_before(a.account_id, a.id, ${from}) as lo, ledger_seq_before(a.account_id, a.id, ${to}) as hi offset 0) w
    join ledger_line l on l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > w.lo and l.seq <= w.hi`;
const LINES_OF_TRANSACTIONS: Statement = {
  name: 'reconciliation_transactions',
  text: `select ${LINE} from (select distinct * from unnest($1::bigint[], $2::bigint[]) u(account_id, transaction_id)) g
    join ledger_account a on a.account_id = g.account_id and a.house = 'A.pix'
    join ledger_line l on l.account_id = g.account_id and l.transaction_id = g.transaction_id and l.ledger_account_id = a.id ${AROUND}
    order by l.account_id, l.journal_id`,
};
// Suspense may belong to no transaction: its line is found by halves.
const LINES_OF_JOURNALS: Statement = {
  name: 'reconciliation_journals',
  text: `select ${LINE} from (select distinct * from unnest($1::bigint[], $2::bigint[]) u(account_id, journal_id)) g
    join journal p on p.account_id = g.account_id and p.id = g.journal_id
    join ledger_account a on a.account_id = g.account_id and a.house = 'A.pix'
    ${between('p.posted_at', `p.posted_at + interval '1 millisecond'`)} and l.journal_id = p.id ${AROUND}
    order by l.account_id, l.journal_id`,
};
const LINES_OF_PERIOD: Statement = {
  name: 'reconciliation_period',
  text: `select ${LINE} from account o join ledger_account a on a.account_id = o.id and a.house = 'A.pix'
    ${between('$2::timestamptz', '$3::timestamptz')} ${AROUND} where o.mode = $1 order by l.posted_at, l.account_id, l.journal_id`,
};
const SUSPENSE: Statement = {
  name: 'reconciliation_suspense',
  text: `select count(*)::int as count, min(s.opened_at) as "oldestAt" from suspense_entry s join account a on a.id = s.account_id
    where a.mode = $1 and s.currency = 'BRL' and s.state in ('open', 'returning') and s.opened_at < $2::timestamptz`,
};
const COLUMNS = `id, day::text as day, until, made_at as "madeAt", made_by as "madeBy", matched, missing_here as "missingHere",
  missing_there as "missingThere", amount_differs as "amountDiffers", in_suspense as "inSuspense", oldest_open_at as "oldestOpenAt", findings`;
const ADD: Statement = {
  name: 'reconciliation_add',
  text: `insert into reconciliation (mode, rail, day, until, made_at, made_by, matched, missing_here, missing_there, amount_differs,
      in_suspense, oldest_open_at, findings)
    values ($1, 'pix', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb) returning ${COLUMNS}`,
};
const FIND: Statement = {
  name: 'reconciliation_find',
  text: `select ${COLUMNS} from reconciliation where mode = $1 and id = $2`,
};
const LIST: Statement = {
  name: 'reconciliations',
  text: `select ${COLUMNS} from reconciliation where mode = $1 and ($2::date is null or day = $2) order by day desc, id desc limit $3`,
};

/** @returns what became of news; nothing for what was never told. */
export function readBookedNews(tx: Tx, mode: AccountMode, names: readonly NewsName[]): Promise<BookedNews[]> {
  return tx.query<BookedNews>(BOOKED, [mode, names.map(({ kind }) => kind), names.map(({ key }) => key)]);
}

/** @returns the lines at the bank of transactions, and of journals of suspense. */
export async function readLinesOf(tx: Tx, booked: readonly BookedNews[]): Promise<BankLine[]> {
  const suspended = booked.filter(({ accountId, journalId }) => accountId !== null && journalId !== null);
  const taken = booked.filter(
    ({ accountId, journalId, transactionId }) =>
      accountId !== null && journalId === null && transactionId !== null,
  );
  const accounts = (all: readonly BookedNews[]) => all.map(({ accountId }) => accountId);
  const ofTransactions = await tx.query<BankLine>(LINES_OF_TRANSACTIONS, [
    accounts(taken),
    taken.map(({ transactionId }) => transactionId),
  ]);
  const ofJournals = await tx.query<BankLine>(LINES_OF_JOURNALS, [
    accounts(suspended),
    suspended.map(({ journalId }) => journalId),
  ]);
  return [...ofTransactions, ...ofJournals];
}

/** @returns the lines at the bank of a period, over all accounts of a mode, the oldest first. */
export function readLinesBetween(tx: Tx, mode: AccountMode, from: Date, to: Date): Promise<BankLine[]> {
  return tx.query<BankLine>(LINES_OF_PERIOD, [mode, from.toISOString(), to.toISOString()]);
}

/** @returns how much BRL of before a moment is in suspense still. */
export async function readOpenSuspense(tx: Tx, mode: AccountMode, before: Date): Promise<OpenSuspense> {
  const [row] = await tx.query<OpenSuspense>(SUSPENSE, [mode, before.toISOString()]);
  assert(row, 'a count has one row');
  return row;
}

/** Keeps a report. @returns it with its id. */
export async function addReconciliation(
  tx: Tx,
  mode: AccountMode,
  report: NewReconciliation,
): Promise<StoredReconciliation> {
  const { day, until, madeAt, madeBy, matched, missingHere, missingThere, amountDiffers } = report;
  const counts = [matched, missingHere, missingThere, amountDiffers, report.inSuspense];
  const rest = [report.oldestOpenAt, JSON.stringify(report.findings)];
  const values = [mode, day, until, madeAt, madeBy, ...counts, ...rest];
  const [row] = await tx.query<StoredReconciliation>(ADD, values);
  assert(row, 'what is inserted is returned');
  return row;
}

/** @returns the report with this id, or undefined. */
export async function findReconciliation(
  tx: Tx,
  mode: AccountMode,
  id: bigint,
): Promise<StoredReconciliation | undefined> {
  const [row] = await tx.query<StoredReconciliation>(FIND, [mode, id]);
  return row;
}

/** @param day - only of this day. @returns the newest days first, and of a day the newest report. */
export function listReconciliations(
  tx: Tx,
  mode: AccountMode,
  { day, limit }: { readonly day: string | undefined; readonly limit: number },
): Promise<StoredReconciliation[]> {
  return tx.query<StoredReconciliation>(LIST, [mode, day ?? null, limit]);
}
