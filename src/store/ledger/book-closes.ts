/** Closed days of the books: the movements of each, in a chain of hashes. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { idList } from '../connection/id-list.ts';
import { movementOf } from './books.ts';

/** A closed day. */
export interface BookClose {
  /** In Brasília, `YYYY-MM-DD`. */
  readonly day: string;
  readonly closedAt: Instant;
  /** Closer of the day, as the audit log names actors. */
  readonly closedBy: string;
  /** SHA-256 over the previous day's hash and all movements; hex. */
  readonly hash: string;
  /** Number of ledger accounts with movements. */
  readonly ledgerAccounts: number;
}

/** A closed day in the list of all closed days. */
export interface ListedClose extends BookClose {
  /** Days from 1970-01-01 to the day. */
  readonly id: bigint;
}

/** The first instant of a day, and the first instant after it. */
export interface DayBounds {
  readonly from: Date;
  readonly to: Date;
}

/** A close to store. */
export interface NewClose extends Pick<BookClose, 'day' | 'closedBy'> {
  readonly closedAt: string;
  /** Hash of the previous close; null for the first. */
  readonly previous: string | null;
  readonly bounds: DayBounds;
}

/** Skips locked accounts, because waiting here would block all the others. In order of id, like every lock of heads. */
const SEAL: Statement = {
  name: 'book_close_seal',
  text: `with next as materialized (select h.account_id from account_head h join account o on o.id = h.account_id
      where o.mode = $1 and h.account_id > $2 order by h.account_id limit $4),
    free as materialized (select h.account_id from account_head h join next using (account_id) order by h.account_id
      for update of h skip locked),
    sealed as (update account_head h set posted_at = greatest(h.posted_at, $3::timestamptz) from free f where f.account_id = h.account_id
      returning h.account_id)
    select n.account_id as "accountId", s.account_id is not null as "isSealed" from next n left join sealed s using (account_id) order by 1`,
};
const SEAL_ONE: Statement = {
  name: 'book_close_seal_one',
  text: `update account_head set posted_at = greatest(posted_at, $2::timestamptz) where account_id = $1`,
};
/** The hashed text: the previous hash, then a line for each ledger account with movements. */
const digestOf = (rows: string, previous: string): string =>
  `sha256(coalesce(${previous}, ''::bytea) || convert_to(coalesce(string_agg(concat_ws('|', ${rows}.account_id, ${rows}.ledger_account_id,
     ${rows}.opening, ${rows}.debits, ${rows}.credits, ${rows}.closing), E'\\n' order by ${rows}.account_id, ${rows}.ledger_account_id), ''), 'UTF8'))`;
const CLOSE: Statement = {
  name: 'book_close',
  text: `with moved as materialized (
      select a.account_id, a.id as ledger_account_id, p.opening, m.debits, m.credits, p.opening - m.debits + m.credits as closing
        from account o join ledger_account a on a.account_id = o.id ${movementOf('$5', '$6')}
       where o.mode = $1 and m.lines > 0),
    closed as (insert into book_close (mode, day, closed_at, closed_by, previous_hash, hash)
      select $1, $2::date, $3::timestamptz, $4, decode($7::text, 'hex'), ${digestOf('moved', `decode($7::text, 'hex')`)} from moved
      returning hash),
    kept as (insert into book_close_line select $1, $2::date, moved.* from moved)
    select encode(hash, 'hex') as hash from closed`,
};
const COLUMNS = `c.day::text as day, c.closed_at as "closedAt", c.closed_by as "closedBy", encode(c.hash, 'hex') as hash,
    (select count(*)::int from book_close_line l where l.mode = c.mode and l.day = c.day) as "ledgerAccounts"`;
const CLOSES = `select ${COLUMNS} from book_close c where c.mode = $1`;
const LAST: Statement = { name: 'book_close_last', text: `${CLOSES} order by c.day desc limit 1` };
const LIST: Statement = {
  name: 'book_closes',
  text: `${CLOSES} and ($2::date is null or c.day < $2) order by c.day desc limit $3`,
};
const BROKEN: Statement = {
  name: 'book_close_broken',
  text: `select c.day::text as day from (select *, lag(hash) over (order by day) as before from book_close where mode = $1) c
    cross join lateral (select ${digestOf('l', 'c.previous_hash')} as hash from (select) s
      left join book_close_line l on l.mode = c.mode and l.day = c.day) d
    where c.hash <> d.hash or c.previous_hash is distinct from c.before order by c.day`,
};
// History imported later does not belong to the books of its day.
const CHANGED: Statement = {
  name: 'book_close_changed',
  text: `select c.day::text as day, a.id as "ledgerAccountId", concat_ws(' ', p.opening, m.debits, m.credits) as now,
      concat_ws(' ', k.opening, k.debits, k.credits) as then
    from book_close c join account o on o.mode = c.mode and o.id = $1 join ledger_account a on a.account_id = o.id
    left join book_close_line k on k.mode = c.mode and k.day = c.day and k.account_id = a.account_id and k.ledger_account_id = a.id
    ${movementOf(`(c.day::timestamp at time zone 'America/Sao_Paulo')`, `((c.day + 1)::timestamp at time zone 'America/Sao_Paulo')`)}
    where case when k.day is null
        then exists (select from ledger_line l join journal j on j.account_id = l.account_id and j.id = l.journal_id
          where l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > w.lo and l.seq <= w.hi and j.name <> 'import')
        else (p.opening, m.debits, m.credits) is distinct from (k.opening, k.debits, k.credits) end
    order by 1, 2`,
};

/** Number of accounts whose heads are locked together. */
const SEALED_PER_BATCH = 200;

/**
 * Prevents postings before a time: a journal is never older than the newest of its account. Each step is a database
 * transaction of its own. Locked accounts come last, one at a time, so that no other work waits for them.
 */
export async function sealBooks(
  withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
  mode: AccountMode,
  until: Date,
): Promise<void> {
  const held: bigint[] = [];
  let after: bigint | undefined = 0n;
  while (after !== undefined) {
    const values: readonly unknown[] = [mode, after, until.toISOString(), SEALED_PER_BATCH];
    const accounts = await withTx((tx) => tx.query<{ accountId: bigint; isSealed: boolean }>(SEAL, values));
    for (const { accountId, isSealed } of accounts) if (!isSealed) held.push(accountId);
    after = accounts.at(-1)?.accountId;
  }
  for (const accountId of held) await withTx((tx) => tx.query(SEAL_ONE, [accountId, until.toISOString()]));
}

/** Stores the movements of a day, and closes it; its books are sealed. @returns the hash, hex. */
export async function addBookClose(
  tx: Tx,
  mode: AccountMode,
  { day, closedAt, closedBy, previous, bounds }: NewClose,
): Promise<string> {
  const values = [
    mode,
    day,
    closedAt,
    closedBy,
    bounds.from.toISOString(),
    bounds.to.toISOString(),
    previous,
  ];
  const [row] = await tx.query<{ hash: string }>(CLOSE, values);
  assert(row, 'a sum has one row');
  return row.hash;
}

/** @returns the last day that is closed. */
export async function readLastClose(tx: Tx, mode: AccountMode): Promise<BookClose | undefined> {
  const [row] = await tx.query<BookClose>(LAST, [mode]);
  return row;
}

/** @param before - only days before this one. @returns the days, newest first. */
export function readBookCloses(
  tx: Tx,
  mode: AccountMode,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<BookClose[]> {
  return tx.query<BookClose>(LIST, [mode, before ?? null, limit]);
}

const DAY_NUMBER = `(c.day - date '1970-01-01')::bigint`;

/** Lists the closed days of a mode (`$1`), newest first. */
export const listBookCloses = idList<ListedClose>({
  name: 'book_closes_listed',
  id: DAY_NUMBER,
  columns: `${DAY_NUMBER} as id, ${COLUMNS}`,
  from: 'book_close c',
  where: 'c.mode = $1',
  filters: 1,
});

/** @returns the closed days of a mode with a wrong hash. */
export async function readBrokenCloses(tx: Tx, mode: AccountMode): Promise<string[]> {
  return (await tx.query<{ day: string }>(BROKEN, [mode])).map(({ day }) => day);
}

/** A ledger account of a closed day that has changed: balance before it, debits and credits. */
export interface ChangedDay {
  readonly day: string;
  readonly ledgerAccountId: bigint;
  readonly now: string;
  /** Empty without movements. */
  readonly then: string;
}

/** @returns the differences from the state at the close. */
export function readChangedDays(tx: Tx, accountId: bigint): Promise<ChangedDay[]> {
  return tx.query<ChangedDay>(CHANGED, [accountId]);
}
