/**
 * A database as the last build before 1.0 left it: the old migrations, run one by one, and thirty days of the demo. The fixture holds the
 * scripts and, for each table, its rows as text; rows that triggers write are made by them again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';

interface Before {
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** In the order in which they can be filled. */
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly string[];
  }[];
}

const FILE = new URL('../fixtures/before-1.0.json.gz', import.meta.url);
/** As Prisma makes it. */
const RECORDS = `create table _prisma_migrations (id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(),
  applied_steps_count int not null default 0)`;

export const readBefore = (): Before => JSON.parse(gunzipSync(readFileSync(FILE)).toString());

/** Applies the old migrations up to one, which is included, and records them as Prisma does. */
export async function migrateBefore(
  client: pg.ClientBase,
  { migrations }: Pick<Before, 'migrations'>,
  last?: string,
): Promise<void> {
  await client.query(RECORDS);
  for (const { name, sql } of migrations) {
    await client.query(sql);
    const checksum = createHash('sha256').update(sql).digest('hex');
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) values ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    if (name === last) return;
  }
}

/** Fills the tables with the rows of the fixture. */
export async function fillBefore(client: pg.ClientBase, { tables }: Before): Promise<void> {
  // Rows come table by table: without checks of foreign keys.
  await client.query('set session_replication_role = replica');
  for (const { name, columns, rows } of tables) {
    // Events leave these for the relay, which has read all of them.
    if (name === 'relay_place') await client.query('delete from relay_queue; delete from relay_place');
    await client.query(
      `insert into "${name}" (${columns.map((each) => `"${each}"`)}) overriding system value
         select ${columns.map((each) => `(r)."${each}"`)} from (select unnest($1::text[])::"${name}" as r) rows`,
      [rows],
    );
  }
  await client.query('set session_replication_role = origin');
  const { rows: counted } = await client.query<{ table: string }>(
    `select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'`,
  );
  for (const { table } of counted)
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from "${table}"`);
}
