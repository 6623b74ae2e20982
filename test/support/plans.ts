/** Plans of statements, and states of the statistics in which they are made. */
import type pg from 'pg';

/** A node of a plan, as PostgreSQL tells it in JSON. */
export interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/** Of `pg_class`: what belongs to the gateway. */
const TABLES = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'i', 'I')`;
/** Nothing is known of any column. */
export const NOTHING_KNOWN = `delete from pg_statistic where starelid in (select oid from pg_class where ${TABLES})`;

/** SQL: each table and index has so many rows, in so many pages. */
export function counts(rows: number, pages: number): string {
  return `update pg_class set reltuples = ${rows}, relpages = ${pages} where ${TABLES}`;
}

/** @returns the tables that have no page yet. */
export async function emptyTables(owner: pg.Pool): Promise<ReadonlySet<string | undefined>> {
  const { rows } = await owner.query(
    `select relname from pg_class where relkind = 'r' and ${TABLES} and pg_relation_size(oid) = 0`,
  );
  return new Set(rows.map(({ relname }) => relname));
}

/** @returns the nodes of a plan that read a table or an index, by their name; a partition has that of its table. */
export function readsOf(plan: Plan): Plan[] {
  return nodesOf(plan).filter(
    (node) => /Scan$/.test(node['Node Type']) && node['Node Type'] !== 'Bitmap Heap Scan' && nameOf(node),
  );
}

export function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** @returns the name of what a node reads; that of the table for a partition. */
export function nameOf(node: Plan): string {
  return (node['Index Name'] ?? node['Relation Name'] ?? '').replace(/^event_(?:\d+|other)/, 'event');
}
