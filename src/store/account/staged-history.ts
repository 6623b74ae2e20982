/**
 * The staging tables of an import (C-70). The file is read into temporary tables first, so that it is imported as a
 * whole or not at all, and so that a large file needs no memory in the process. The duration of every statement is
 * linear in the size of the file and of the account. Nested loops are off, because the planner has no statistics of an
 * account that is being filled.
 */

import { FACTS, type TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { TRANSACTION_COLUMNS, TRANSACTION_SELECT } from '../engine/transactions.ts';
import { countNew, HISTORY } from '../engine/volumes.ts';
import type { NewTransaction } from '../ledger/history.ts';
import type { LedgerAccountRow } from '../ledger/ledger.ts';

/** A transaction of the file. */
export interface StagedTransaction {
  /** Line number in the file, from 1. */
  readonly line: number;
  /** Hash of the published text, to compare it with another record of the same `end2end`. */
  readonly digest: string;
  readonly record: NewTransaction;
}

/** A statement entry of the file; amounts in minor units. */
export interface StagedEntry {
  readonly line: number;
  readonly id: bigint;
  readonly postedAt: Date;
  readonly end2end: string | null;
  readonly balanceBefore: bigint;
  readonly delta: bigint;
  readonly account: StagedSheet;
}

/** A ledger account as an entry names it. */
export type StagedSheet = Omit<LedgerAccountRow, 'accountId'>;

/** An entry that the account does not have yet. */
export interface FreshEntry {
  readonly line: number;
  readonly id: bigint;
  readonly ledgerAccountId: bigint;
  readonly postedAt: string;
  readonly transactionId: bigint | null;
  readonly balanceBefore: string;
  readonly delta: string;
}

/** A line of the file that prevents the import, and the record that it concerns. */
export interface Obstacle {
  readonly line: number;
  readonly name: string;
}

const FACT_TYPES = { text: 'text', decimal: 'numeric', instant: 'timestamptz' } as const;
/** Hash of the properties that are not text. */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(FACTS).map(([name, type]) => [name, FACT_TYPES[type]])),
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  asPublished: 'jsonb',
};
const PROPERTIES = Object.keys(TRANSACTION_COLUMNS).filter(
  (name) => name !== 'accountId' && name !== 'id',
) as Exclude<keyof TransactionRow, 'accountId' | 'id'>[];
const FACT_COLUMNS = PROPERTIES.map((name) => TRANSACTION_COLUMNS[name]).join(', ');

const PLAN: Statement = {
  name: 'staged_plan',
  text: `select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`,
};
const OPEN_TRANSACTIONS: Statement = {
  name: 'staged_open_transactions',
  text: `create temporary table staged_transaction on commit drop as
    select 0 as line, '' as digest, false as known, id, family, list_seq, ${FACT_COLUMNS} from transaction with no data`,
};
const OPEN_ENTRIES: Statement = {
  name: 'staged_open_entries',
  text: `create temporary table staged_entry on commit drop as
    select 0 as line, l.id, l.posted_at, ''::text as end2end, l.transaction_id, l.balance_before, l.delta, null::boolean as is_same,
      a.id as ledger_account_id, a.code, a.name, a.currency, a.pretty_name, a.scale, a.sub_account
    from ledger_line l, ledger_account a with no data`,
};
const ADD_TRANSACTIONS: Statement = {
  name: 'staged_add_transactions',
  text: `insert into staged_transaction (line, digest, known, family, ${FACT_COLUMNS})
    select line, digest, false, family, ${PROPERTIES.map((name) => `"${name}"`).join(', ')}
      from jsonb_to_recordset($1::jsonb) x(line int, digest text, family text, ${PROPERTIES.map((name) => `"${name}" ${COLUMN_TYPES[name] ?? 'text'}`).join(', ')})`,
};
const ADD_ENTRIES: Statement = {
  name: 'staged_add_entries',
  text: `insert into staged_entry (line, id, posted_at, end2end, balance_before, delta,
      ledger_account_id, code, name, currency, pretty_name, scale, sub_account)
    select * from unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::text[], $5::numeric[], $6::numeric[],
      $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::smallint[], $13::smallint[])`,
};
const ANALYZE_TRANSACTIONS: Statement = {
  name: 'staged_analyze_transactions',
  text: 'analyze staged_transaction',
};
const ANALYZE_ENTRIES: Statement = { name: 'staged_analyze_entries', text: 'analyze staged_entry' };
const REPEATED_TRANSACTION: Statement = {
  name: 'staged_repeated_transaction',
  text: `select line, first, end2end as name
    from (select line, end2end, min(line) over (partition by end2end) as first from staged_transaction) x
    where line <> first order by line limit 1`,
};
const REPEATED_ENTRY: Statement = {
  name: 'staged_repeated_entry',
  text: `select line, first, 'statement entry ' || id as name
    from (select line, id, min(line) over (partition by id) as first from staged_entry) x
    where line <> first order by line limit 1`,
};
const RECOGNISE: Statement = {
  name: 'staged_recognise',
  text: `update staged_transaction s set known = true, id = t.id from transaction t
    where t.account_id = $1 and t.end2end = s.end2end`,
};
const KNOWN_CURSOR: Statement = {
  name: 'staged_known_cursor',
  text: `declare staged_known no scroll cursor for
    select s.line, s.digest, ${TRANSACTION_SELECT} from staged_transaction s
      join transaction t on t.account_id = $1 and t.id = s.id where s.known order by s.line`,
};
const FETCH_KNOWN: Statement = { name: 'staged_fetch_known', text: 'fetch 1000 from staged_known' };
/** Sorted in the order of the list (C-10). The end2end of a record is compared by its bytes. */
const NUMBER: Statement = {
  name: 'staged_number',
  text: `with numbered as (
      select s.line, h.transaction_id + row_number() over (order by s.created_at, s.end2end collate "C") as id,
        coalesce(l.last_seq, 0) + row_number() over (partition by s.family order by s.created_at, s.end2end collate "C") as list_seq
      from staged_transaction s
      left join account_head h on h.account_id = $1
      left join list_head l on l.account_id = $1 and l.family = s.family
      where not s.known
    ), moved as (
      update account_head set transaction_id = transaction_id + (select count(*) from numbered) where account_id = $1
    )
    update staged_transaction s set id = n.id, list_seq = n.list_seq from numbered n where n.line = s.line`,
};
const FRESH: Statement = {
  name: 'staged_fresh',
  text: `select family, min(created_at) as oldest, min(id) as first, max(id) as last from staged_transaction
    where not known group by family`,
};
const INSERT: Statement = {
  name: 'staged_insert',
  text: `insert into transaction (account_id, id, family, list_seq, ${FACT_COLUMNS})
    select $1, id, family, list_seq, ${FACT_COLUMNS} from staged_transaction
    where not known and id >= $2 and id < $3 order by id`,
};
/** Adds imported money in to the volumes of limits. */
const COUNT: Statement = {
  name: 'staged_count',
  text: `with counted as (
      select tax_id_key(client_tax_id) as tax_id, client_name, created_at, ${HISTORY.brl} as brl, ${HISTORY.day} as day,
          ${HISTORY.isCounted} as is_counted
        from staged_transaction where not known and client_tax_id is not null
    ), customers as (
      insert into customer (account_id, tax_id, names, first_seen_at)
        select $1, tax_id, coalesce((array_agg(distinct client_name) filter (where client_name is not null))[1:20], '{}'), min(created_at)
          from counted group by tax_id
      on conflict do nothing
      returning account_id, true as is_new
    ), total as (
      ${countNew('customers')}
    )
    insert into volume_day (account_id, subject, day, paid)
      select $1, tax_id, day, sum(brl) from counted where brl is not null and is_counted group by tax_id, day
    on conflict (account_id, subject, day) do update set paid = volume_day.paid + excluded.paid`,
};
const RENUMBER: Statement = { name: 'list_renumber', text: `select list_renumber($1, $2, $3::timestamptz)` };
const RESOLVE: Statement = {
  name: 'staged_resolve',
  text: `update staged_entry s set transaction_id = t.id from transaction t
    where t.account_id = $1 and t.end2end = s.end2end`,
};
const UNRESOLVED: Statement = {
  name: 'staged_unresolved',
  text: `select line, end2end as name from staged_entry where end2end is not null and transaction_id is null order by line limit 1`,
};
const COMPARE: Statement = {
  name: 'staged_compare',
  text: `update staged_entry s set is_same = (l.ledger_account_id = s.ledger_account_id and l.posted_at = s.posted_at
      and l.transaction_id is not distinct from s.transaction_id and l.delta = s.delta and l.balance_before = s.balance_before)
    from ledger_line l where l.account_id = $1 and l.id = s.id`,
};
const DIFFERENT: Statement = {
  name: 'staged_different',
  text: `select line, id::text as name from staged_entry where not is_same order by line limit 1`,
};
const SHEETS: Statement = {
  name: 'staged_sheets',
  text: `select min(line) as line, ledger_account_id as id, code, name, currency, pretty_name as "prettyName", scale, sub_account as "subAccount"
    from staged_entry group by ledger_account_id, code, name, currency, pretty_name, scale, sub_account order by 1`,
};
const ENTRY_CURSOR: Statement = {
  name: 'staged_entry_cursor',
  text: `declare staged_fresh_entry no scroll cursor for
    select line, id, ledger_account_id as "ledgerAccountId", posted_at as "postedAt", transaction_id as "transactionId",
      balance_before as "balanceBefore", delta
    from staged_entry where is_same is null order by id`,
};
const FETCH_ENTRIES: Statement = { name: 'staged_fetch_entries', text: 'fetch 5000 from staged_fresh_entry' };

/** Number of transactions in one insert. After each insert, progress is reported and a cancellation noticed. */
const INSERT_BATCH = 5_000n;

/** Creates the temporary tables, which are dropped with the end of the transaction. */
export async function openStaging(tx: Tx): Promise<void> {
  for (const statement of [PLAN, OPEN_TRANSACTIONS, OPEN_ENTRIES]) await tx.query(statement, []);
}

/** Adds transactions of the file. */
export async function stageTransactions(tx: Tx, staged: readonly StagedTransaction[]): Promise<void> {
  const rows = staged.map(({ line, digest, record }) => ({ ...record, line, digest }));
  await tx.query(ADD_TRANSACTIONS, [JSON.stringify(rows)]);
}

/** Adds statement entries of the file. */
export async function stageEntries(tx: Tx, staged: readonly StagedEntry[]): Promise<void> {
  const account = (name: keyof StagedSheet) => staged.map((entry) => entry.account[name]);
  const of = (name: Exclude<keyof StagedEntry, 'account'>) => staged.map((entry) => entry[name]);
  const sheet = (['id', 'code', 'name', 'currency', 'prettyName', 'scale', 'subAccount'] as const).map(
    account,
  );
  const facts = (['line', 'id', 'postedAt', 'end2end', 'balanceBefore', 'delta'] as const).map(of);
  await tx.query(ADD_ENTRIES, [...facts, ...sheet]);
}

/**
 * Call this after the last record. @returns the first record whose id occurs twice in the file, and its earlier line.
 */
export async function closeStaging(tx: Tx): Promise<(Obstacle & { readonly first: number }) | undefined> {
  for (const statement of [ANALYZE_TRANSACTIONS, ANALYZE_ENTRIES]) await tx.query(statement, []);
  const [transaction] = await tx.query<Obstacle & { first: number }>(REPEATED_TRANSACTION, []);
  const [entry] = await tx.query<Obstacle & { first: number }>(REPEATED_ENTRY, []);
  return transaction ?? entry;
}

/** Yields the account's existing version of transactions in the file, in the order of the file. */
export async function* knownTransactions(
  tx: Tx,
  accountId: bigint,
): AsyncGenerator<{ line: number; digest: string; row: TransactionRow }> {
  await tx.query(RECOGNISE, [accountId]);
  await tx.query(KNOWN_CURSOR, [accountId]);
  for (;;) {
    const rows = await tx.query<TransactionRow & { line: number; digest: string }>(FETCH_KNOWN, []);
    if (rows.length === 0) return;
    for (const { line, digest, ...row } of rows) yield { line, digest, row };
  }
}

/**
 * Inserts the transactions that the account does not have, renumbers their lists, and counts them. Yields the number of
 * inserted transactions so far.
 */
export async function* insertFresh(tx: Tx, accountId: bigint): AsyncGenerator<number> {
  await tx.query(NUMBER, [accountId]);
  const families = await tx.query<{ family: string; oldest: string; first: bigint; last: bigint }>(FRESH, []);
  const first = families.reduce(
    (least, { first }) => (first < least ? first : least),
    families[0]?.first ?? 0n,
  );
  const last = families.reduce((most, { last }) => (last > most ? last : most), -1n);
  for (let from = first; from <= last; from += INSERT_BATCH) {
    await tx.query(INSERT, [accountId, from, from + INSERT_BATCH]);
    const end = from + INSERT_BATCH <= last ? from + INSERT_BATCH : last + 1n;
    yield Number(end - first);
  }
  for (const { family, oldest } of families) await tx.query(RENUMBER, [accountId, family, oldest]);
  await tx.query(COUNT, [accountId]);
}

/** Finds the transactions that entries name. @returns the first entry whose transaction does not exist. */
export async function resolveEntries(tx: Tx, accountId: bigint): Promise<Obstacle | undefined> {
  await tx.query(RESOLVE, [accountId]);
  return (await tx.query<Obstacle>(UNRESOLVED, []))[0];
}

/** Compares entries with the account's lines of the same id. @returns the first differing entry. */
export async function compareEntries(tx: Tx, accountId: bigint): Promise<Obstacle | undefined> {
  await tx.query(COMPARE, [accountId]);
  return (await tx.query<Obstacle>(DIFFERENT, []))[0];
}

/** @returns every ledger account that entries name, each with its first line, in the order of those lines. */
export function stagedSheets(tx: Tx): Promise<(StagedSheet & { line: number })[]> {
  return tx.query(SHEETS, []);
}

/** Yields the entries that the account does not have, in the order of their ids, some thousands at a time. */
export async function* freshEntries(tx: Tx): AsyncGenerator<FreshEntry[]> {
  await tx.query(ENTRY_CURSOR, []);
  for (;;) {
    const rows = await tx.query<FreshEntry>(FETCH_ENTRIES, []);
    if (rows.length === 0) return;
    yield rows;
  }
}
