/** The books of the house: current balances, and movements of a period, by kind of ledger account and currency. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Scope of the books: all accounts of a mode, or one of them. */
export interface BooksOf {
  readonly mode: AccountMode;
  readonly accountId?: bigint | undefined;
}

/** Totals of one kind of ledger account in one currency, over all requested accounts; minor units, credits positive. */
export interface BalanceOfKind {
  /** Null for the holdings of account holders. */
  readonly house: HouseAccount | null;
  /** Raw ledger code. */
  readonly currency: string;
  readonly scale: number;
  readonly balance: string;
}

/** Totals over a period. */
export interface TrialRow extends Omit<BalanceOfKind, 'balance'> {
  readonly opening: string;
  readonly debits: string;
  readonly credits: string;
  readonly closing: string;
}

const OF_MODE = `from account o join ledger_account a on a.account_id = o.id
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where o.mode = $1 and ($2::bigint is null or o.id = $2)`;
const ORDER = 'order by a.house nulls last, a.currency collate "C"';
const BALANCES: Statement = {
  name: 'books_balances',
  text: `select a.house, a.currency, a.scale, sum(b.balance)::text as balance ${OF_MODE}
    group by a.house, a.currency, a.scale having sum(b.balance) <> 0 ${ORDER}`,
};
/**
 * Movements of one ledger account `a` in [$from, $to): two binary look-ups, and the lines between them. `offset 0`
 * keeps the look-ups separate: otherwise the planner turns them into conditions that are computed for every line.
 * Ordering by seq forces the primary key: without statistics the planner uses the index by id, which has every line of
 * the ledger account.
 */
export const movementOf = (from: string, to: string): string => `cross join lateral (
      select ledger_seq_before(a.account_id, a.id, ${from}::timestamptz) as lo, ledger_seq_before(a.account_id, a.id, ${to}::timestamptz) as hi offset 0) w
    cross join lateral (select
      coalesce((select l.balance_after from ledger_line l where l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq <= w.lo
        order by l.seq desc limit 1), 0) as opening) p
    cross join lateral (select coalesce(-sum(l.delta) filter (where l.delta < 0), 0) as debits,
        coalesce(sum(l.delta) filter (where l.delta > 0), 0) as credits, count(*) as lines
      from (select l.delta from ledger_line l where l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > w.lo and l.seq <= w.hi
        order by l.seq) l) m`;
const TRIAL: Statement = {
  name: 'books_trial',
  text: `select a.house, a.currency, a.scale, sum(p.opening)::text as opening, sum(m.debits)::text as debits, sum(m.credits)::text as credits,
      sum(p.opening - m.debits + m.credits)::text as closing
    from account o join ledger_account a on a.account_id = o.id ${movementOf('$3', '$4')}
    where o.mode = $1 and ($2::bigint is null or o.id = $2)
    group by a.house, a.currency, a.scale
    having bool_or(m.lines > 0 or p.opening <> 0) ${ORDER}`,
};

/** @returns the current balances, in the order of the chart's names, account holders last. */
export function readBooks(database: Tx, { mode, accountId }: BooksOf): Promise<BalanceOfKind[]> {
  return database.query<BalanceOfKind>(BALANCES, [mode, accountId ?? null]);
}

/**
 * @param from - the start of the period.
 * @param to - its exclusive end.
 * @returns the movements, and the balances before and after them.
 */
export function readTrialBalance(
  database: Tx,
  { mode, accountId }: BooksOf,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<TrialRow[]> {
  return database.query<TrialRow>(TRIAL, [mode, accountId ?? null, from.toISOString(), to.toISOString()]);
}
