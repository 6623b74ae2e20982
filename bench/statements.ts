/** What PostgreSQL did for the gateway while something ran: statements by text, database transactions, bytes of the log. */
import type pg from 'pg';
import type { Section } from './report.ts';

/** Setting of a server that counts. */
export const COUNTING = { shared_preload_libraries: 'pg_stat_statements' };

/** Counts of a stretch of work. */
export interface Counts {
  readonly statements: number;
  readonly transactions: number;
  /** Unit: bytes. */
  readonly log: number;
  /** The statements on which most time went. */
  readonly dearest: readonly { readonly text: string; readonly calls: number; readonly ms: number }[];
}

const OWN = '%pg_stat_%';
const SHOWN = 12;

/** Begins to count. @returns what ends it. */
export async function beginCounts(owner: pg.Client): Promise<() => Promise<Counts>> {
  await owner.query('create extension if not exists pg_stat_statements');
  const state = async () => {
    const { rows } = await owner.query<{ transactions: string; at: string }>(
      `select xact_commit as transactions, pg_current_wal_insert_lsn() - '0/0' as at from pg_stat_database
        where datname = current_database()`,
    );
    return { transactions: Number(rows[0]?.transactions), at: Number(rows[0]?.at) };
  };
  const before = await state();
  await owner.query('select pg_stat_statements_reset()');
  return async () => {
    const { rows } = await owner.query<{ text: string; calls: string; ms: number }>(
      `select regexp_replace(query, '\\s+', ' ', 'g') as text, calls, total_exec_time + total_plan_time as ms
         from pg_stat_statements where query not like $1 order by 3 desc`,
      [OWN],
    );
    const after = await state();
    return {
      statements: rows.reduce((sum, { calls }) => sum + Number(calls), 0),
      transactions: after.transactions - before.transactions,
      log: after.at - before.at,
      dearest: rows.slice(0, SHOWN).map(({ text, calls, ms }) => ({ text, calls: Number(calls), ms })),
    };
  };
}

/** @returns the counts of each of so many pieces of work. */
export function each({ statements, transactions, log, dearest }: Counts, pieces: number): Counts {
  return {
    statements: statements / pieces,
    transactions: transactions / pieces,
    log: log / pieces,
    dearest: dearest.map(({ text, calls, ms }) => ({ text, calls: calls / pieces, ms: ms / pieces })),
  };
}

/** @returns the dearest statements as a table. `where`: what they were counted of. */
export function countsSection({ dearest }: Counts, where: string): Section {
  return {
    title: `Statements on which most time of PostgreSQL went: ${where}`,
    headings: ['Statement', '', 'Calls', 'µs'],
    rows: dearest
      .slice(0, SHOWN)
      .map(({ text, calls, ms }) => [
        `\`${text.slice(0, 90).replaceAll('|', '\\|')}\``,
        '',
        calls.toFixed(2),
        (ms * 1_000).toFixed(0),
      ]),
  };
}
