/** What was written to the log of PostgreSQL, by table and index. */
import type pg from 'pg';

/** A part of the log. */
export interface LogPart {
  /** A table, or a table and its index; `others` for what belongs to none, such as commits. */
  readonly name: string;
  readonly records: number;
  /** Without images of whole pages, which depend on when the last checkpoint was. */
  readonly bytes: number;
  readonly images: number;
}

/** @returns where the log ends now. */
export async function logEnd(owner: pg.Pool): Promise<string> {
  const { rows } = await owner.query<{ at: string }>('select pg_current_wal_insert_lsn()::text as at');
  return rows[0]?.at as string;
}

/**
 * @returns what was written between two places of the log, most first; undefined where the server lacks the extension, or has
 *   removed that part of the log.
 */
export async function logParts(owner: pg.Pool, from: string, to: string): Promise<LogPart[] | undefined> {
  const { rowCount } = await owner.query(`select from pg_available_extensions where name = 'pg_walinspect'`);
  if (!rowCount) return undefined;
  await owner.query('create extension if not exists pg_walinspect');
  const read = owner.query<LogPart>(
    `with blocks as (
       select coalesce(i.indrelid::regclass::text || ' > ' || c.relname, c.relname, 'others') as name,
           b.start_lsn, (b.record_length - sum(b.block_fpi_length) over w)::float / count(*) over w as bytes, b.block_fpi_length as images
         from pg_get_wal_block_info($1, $2) b
         left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
         left join pg_index i on i.indexrelid = c.oid
         window w as (partition by b.start_lsn)
     ), whole as (
       select name, start_lsn, bytes, images from blocks
       union all
       select 'others', start_lsn, record_length, 0 from pg_get_wal_records_info($1, $2)
        where start_lsn not in (select start_lsn from blocks)
     )
     select name, count(distinct start_lsn)::int as records, sum(bytes)::int as bytes, sum(images)::int as images
       from whole group by name order by 3 desc`,
    [from, to],
  );
  return read.then(
    ({ rows }) => rows,
    (error: Error) => {
      if (/has already been removed/.test(error.message)) return undefined;
      throw error;
    },
  );
}
