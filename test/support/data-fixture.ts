/**
 * Data of a release, kept for all later ones: thirty days of the demo, as the rows of each table, and the migrations that made the tables. In the
 * form of before-baseline.ts, but without the scripts: those of a release stay in prisma/migrations.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type pg from 'pg';

/** The data. */
export interface ReleaseData {
  /** Names, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly string[];
  }[];
  /** Key file of the secrets. */
  readonly secretsKeys: string;
  /** Answers of the release to a reader of its data. */
  readonly read: Readonly<Record<string, unknown>>;
}

const fileOf = (release: string) => new URL(`../fixtures/${release}.json.gz`, import.meta.url);

/** @param release - such as `1.0`. */
export function readReleaseData(release: string): ReleaseData {
  return JSON.parse(gunzipSync(readFileSync(fileOf(release))).toString());
}

/** Keeps the data of a database as those of a release. */
export async function writeReleaseData(
  release: string,
  client: pg.Client | pg.Pool,
  { migrations, secretsKeys, read }: Omit<ReleaseData, 'tables'>,
): Promise<void> {
  const { rows: names } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname not like '\\_prisma%' order by c.relname`,
  );
  const tables = [];
  for (const { name } of names) {
    const { rows: columns } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
         order by attnum`,
      [`"${name}"`],
    );
    const list = columns.map((each) => `"${each.name}"`).join(', ');
    // The whole row as text, generated columns included, so that it can be read as a row again.
    const { rows } = await client.query<{ row: string }>(`select t::text as row from "${name}" t`);
    if (list && rows.length > 0)
      tables.push({ name, columns: columns.map((each) => each.name), rows: rows.map(({ row }) => row) });
  }
  writeFileSync(
    fileOf(release),
    gzipSync(JSON.stringify({ migrations, tables, secretsKeys, read }), { level: 9 }),
  );
}

/** Fills the tables of a database, which was just migrated as the release does it. */
export async function fillReleaseData(client: pg.ClientBase, { tables }: ReleaseData): Promise<void> {
  // Rows come table by table, and triggers have written theirs already.
  await client.query('set session_replication_role = replica');
  const { rows: always } = await client.query<{ table: string; name: string }>(
    `select tgrelid::regclass::text as table, tgname as name from pg_trigger where tgenabled = 'A' and not tgisinternal`,
  );
  for (const { table, name } of always) await client.query(`alter table ${table} disable trigger "${name}"`);
  for (const { name } of tables) await client.query(`delete from "${name}"`);
  for (const { name, columns, rows } of tables)
    await client.query(
      `insert into "${name}" (${columns.map((each) => `"${each}"`)}) overriding system value
         select ${columns.map((each) => `(r)."${each}"`)} from (select unnest($1::text[])::"${name}" as r) rows`,
      [rows],
    );
  for (const { table, name } of always)
    await client.query(`alter table ${table} enable always trigger "${name}"`);
  await client.query('set session_replication_role = origin');
  const { rows: counted } = await client.query<{ table: string }>(
    `select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'`,
  );
  for (const { table } of counted)
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from "${table}"`);
}
