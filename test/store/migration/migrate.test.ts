/**
 * Migrations on databases of their own: applied once, by one process at a time, whole or not at all; and the
 * Prisma schema says of the tables what the migrations made.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { VERSION } from '../../../src/base/process/version.ts';
import { snakeCase } from '../../../src/base/text/snake-case.ts';
import { migrate } from '../../../src/store/migration/migrate.ts';
import { MigrationError, migrationNames } from '../../../src/store/migration/migrations.ts';
import { FACTS } from '../../../src/templates/facts.ts';
import { databaseUrl, TEMPLATE_DATABASE, withAdmin } from '../../support/global-setup.ts';

const PRISMA = new URL('../../../prisma/', import.meta.url);
const adminUrl = inject('adminUrl');
const made: string[] = [];

async function freshDatabase(template = 'template1'): Promise<string> {
  const name = `crossramp_test_${randomBytes(6).toString('hex')}`;
  made.push(name);
  await withAdmin(
    adminUrl,
    async (client) => void (await client.query(`create database ${name} template ${template}`)),
  );
  return databaseUrl(adminUrl, name);
}
/** One to which `migrate` has applied everything. */
const migratedDatabase = () => freshDatabase(TEMPLATE_DATABASE);

// Without `force`: a connection that migrate left open makes this fail.
afterEach(() =>
  withAdmin(adminUrl, async (client) => {
    for (const name of made.splice(0)) await client.query(`drop database ${name}`);
  }),
);

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  let rows: Row[] = [];
  await withAdmin(url, async (client) => {
    rows = (await client.query<Row>(text)).rows;
  });
  return rows;
}

const applied = (url: string) =>
  query<{ name: string; finished: boolean }>(
    url,
    `select migration_name as name, finished_at is not null as finished from _prisma_migrations order by migration_name`,
  );
const finished = (names: readonly string[]) => names.map((name) => ({ name, finished: true }));
const refusal = (url: string) =>
  migrate(url).then(
    (names) => `applied ${names}`,
    (error: unknown) => (error instanceof MigrationError ? error.message : `unexpected ${error}`),
  );
/** The newest migration that only grants rights: it can be applied again to a database that has it. */
const repeatable = () => migrationNames().findLast((name) => name.endsWith('_roles')) ?? '';
/** Everything that migrations make, by name. */
const objects = async (url: string) =>
  (
    await query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relname not like '\\_prisma%'
       union all select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
    )
  ).map((row) => row.name);

describe('migrate', () => {
  it('knows the folders of prisma/migrations, in order', () => {
    const folders = readdirSync(new URL('migrations/', PRISMA)).filter((name) => !name.endsWith('.toml'));
    expect(migrationNames()).toEqual(folders.toSorted());
    expect(migrationNames().length).toBeGreaterThan(0);
  });

  it('applies all of them once, and nothing the second time', async () => {
    const url = await freshDatabase();
    expect(await migrate(url)).toEqual(migrationNames());
    const before = await objects(url);
    expect(await migrate(url)).toEqual([]);
    expect(await applied(url)).toEqual(finished(migrationNames()));
    expect(await objects(url)).toEqual(before);
  });

  it('waits for nothing if there is nothing to apply', async () => {
    const url = await migratedDatabase();
    await withAdmin(url, async (other) => {
      // As somebody who migrates.
      await other.query('select pg_advisory_lock(7405211)');
      expect(await migrate(url)).toEqual([]);
    });
  });

  it('applies each once when several processes start in parallel', async () => {
    const url = await freshDatabase();
    const results = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(results.flat()).toEqual(migrationNames());
    expect(await applied(url)).toEqual(finished(migrationNames()));
  });

  it('migrates two databases of one server in parallel: they share only roles', async () => {
    const urls = [await freshDatabase(), await freshDatabase()];
    expect(await Promise.all(urls.map((url) => migrate(url)))).toEqual([migrationNames(), migrationNames()]);
  });

  it('applies the missing ones to a database that has the first ones', async () => {
    const url = await migratedDatabase();
    const again = repeatable();
    await query(url, `delete from _prisma_migrations where migration_name = '${again}'`);
    expect(await migrate(url)).toEqual([again]);
  });
});

describe('migrate, while a table that it changes is in use,', () => {
  const patience = { lockMs: 50, attempts: 3, pauseMs: 10 };
  const again = '20261206000130_event_without_account_key';
  /** A migrated database without a migration that needs a lock on `event`, which a reader holds. */
  async function inUse(work: (url: string, reader: pg.ClientBase) => Promise<void>) {
    const url = await migratedDatabase();
    await query(url, `delete from _prisma_migrations where migration_name = '${again}'`);
    await withAdmin(url, async (reader) => {
      await reader.query('begin; lock table event in access exclusive mode');
      await work(url, reader);
    });
  }

  it('gives up with one line, and needs no repair: it can be repeated', async () => {
    await inUse(async (url, reader) => {
      const message = await migrate(url, undefined, patience).catch((error) => error.message);
      expect(message).toBe(
        'migration failed: after 3 attempts another session still uses a table that it changes; end long transactions (pg_stat_activity) and start again',
      );
      await reader.query('rollback');
      expect(await migrate(url, undefined, patience)).toEqual([again]);
    });
  });

  it('waits, lets others pass, and continues when the table is free', async () => {
    await inUse(async (url, reader) => {
      const migrating = migrate(url, undefined, { ...patience, attempts: 1_000 });
      const waiting = `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where not granted`;
      await expect.poll(async () => (await query(url, waiting)).length, { interval: 5 }).toBe(1);
      await reader.query('rollback');
      expect(await migrating).toEqual([again]);
    });
  });
});

describe('migrate refuses, in one line', () => {
  it('a database on which a migration was begun and not finished, until its row is deleted', async () => {
    const url = await migratedDatabase();
    const again = repeatable();
    await query(url, `update _prisma_migrations set finished_at = null where migration_name = '${again}'`);
    expect(await refusal(url)).toBe(
      `migration ${again} was begun and not finished: repair the database, delete its row from _prisma_migrations and start again`,
    );
    await query(url, `delete from _prisma_migrations where migration_name = '${again}'`);
    expect(await migrate(url)).toEqual([again]);
  });

  it('a database that is ahead of this version, and not one whose newer migration was rolled back', async () => {
    const url = await migratedDatabase();
    await query(
      url,
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '29990101000000_later', now())`,
    );
    expect(await refusal(url)).toBe(
      'the database has migration 29990101000000_later, which this version does not know',
    );
    await query(url, `update _prisma_migrations set rolled_back_at = now() where id = 'x'`);
    expect(await migrate(url)).toEqual([]);
  });

  it.each([
    [VERSION, true],
    ['0.0.9', true],
    ['0.1.1', false],
    ['0.10.0', false],
    ['1.0.0', false],
  ])('works with a later migration that says it works from version %s: %s', async (version, isTaken) => {
    const url = await migratedDatabase();
    await query(
      url,
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '29990101000000_later', now());
       insert into migration_reach values ('29990101000000_later', '${version}')`,
    );
    expect(await refusal(url)).toBe(
      isTaken
        ? 'applied '
        : 'the database has migration 29990101000000_later, which this version does not know',
    );
    await query(url, `update _prisma_migrations set finished_at = null where id = 'x'`);
    expect(await refusal(url)).toMatch(/^migration 29990101000000_later was begun and not finished/);
  });

  it('a database that is ahead in one migration and lacks another', async () => {
    const url = await migratedDatabase();
    await query(
      url,
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '29990101000000_later', now());
       insert into migration_reach values ('29990101000000_later', '${VERSION}');
       delete from _prisma_migrations where migration_name = '${repeatable()}'`,
    );
    expect(await refusal(url)).toBe(
      'the database has migration 29990101000000_later, which this version does not know',
    );
  });

  it('a database that contains tables of another program', async () => {
    const url = await freshDatabase();
    await query(url, 'create table theirs ()');
    expect(await refusal(url)).toMatch(/^migration failed: The database schema is not empty\.[^\n]*$/);
    expect(await objects(url)).toEqual(['theirs']);
  });

  it.each([
    ['early', 'address_key(text)', 'transactions'],
    ['late', 'ledger_seq_before(bigint, bigint, timestamptz)', 'ledger'],
    ['in the middle', 'check_journals()', 'ledger'],
  ])('a migration that fails %s: nothing of it is left, and it can be tried again', async (_when, obstacle, failing) => {
    const url = await freshDatabase();
    await query(url, `create function ${obstacle} returns text language sql as $$ select '' $$`);
    const name = obstacle.slice(0, obstacle.indexOf('('));
    expect(await refusal(url)).toBe(
      `migration failed: function "${name}" already exists with same argument types`,
    );
    const at = migrationNames().findIndex((each) => each.endsWith(`_${failing}`));
    const complete = migrationNames().slice(0, at);
    expect(await applied(url)).toEqual(finished(complete));

    const reference = await freshDatabase();
    for (const each of complete)
      await query(reference, readFileSync(new URL(`migrations/${each}/migration.sql`, PRISMA), 'utf8'));
    expect(await objects(url)).toEqual([...(await objects(reference)), name].toSorted());

    // It is tried anew as soon as what stood in its way is gone.
    expect(await refusal(url)).toMatch(/already exists/);
    await query(url, `drop function ${obstacle}`);
    expect(await migrate(url)).toEqual(migrationNames().slice(at));
  });
});

describe('prisma/schema.prisma', () => {
  /** The database's name of a scalar with its native type. */
  const TYPES: Readonly<Record<string, string>> = {
    BigInt: 'int8',
    Boolean: 'bool',
    Bytes: 'bytea',
    'DateTime @db.Date': 'date',
    'DateTime @db.Timestamptz(0)': 'timestamptz(0)',
    'DateTime @db.Timestamptz(3)': 'timestamptz(3)',
    'Decimal @db.Decimal': 'numeric',
    'Decimal @db.Decimal(78, 0)': 'numeric(78,0)',
    'Decimal @db.Decimal(20, 2)': 'numeric(20,2)',
    'Decimal @db.Decimal(5, 4)': 'numeric(5,4)',
    Int: 'int4',
    'Int @db.SmallInt': 'int2',
    Json: 'jsonb',
    'Json @db.Json': 'json',
    String: 'text',
    'String[]': 'text[]',
    'Unsupported("xid8")': 'xid8',
  };

  /** @returns `table.column type null?` of every column that the schema has. */
  function declaredColumns(): string[] {
    const schema = readFileSync(new URL('schema.prisma', PRISMA), 'utf8');
    const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
    const names = new Set(models.map(([, name]) => name));
    return models.flatMap(([, name, body = '']) => {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name;
      const fields = [...body.matchAll(/^ {2}(\w+) +(Unsupported\("\w+"\)|\w+)(\[\])?(\?)?(.*)$/gm)];
      return fields
        .filter(([, , type = '']) => !names.has(type))
        .map(([, field, type, list = '', optional = '', attributes = '']) => {
          const native = /@db\.\w+(?:\([\d, ]+\))?/.exec(attributes)?.[0];
          const prismaType = `${type}${list}${native ? ` ${native}` : ''}`;
          const column = /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? field;
          return `${table}.${column} ${TYPES[prismaType] ?? `unknown ${prismaType}`}${optional && ' null'}`;
        });
    });
  }

  /** @returns the same of the facts of a transaction, which have one list of their own. */
  function columnsOfFacts(): string[] {
    const types = { text: 'text', decimal: 'numeric', instant: 'timestamptz(3)' };
    return Object.entries(FACTS).map(([name, kind]) => `transaction.${snakeCase(name)} ${types[kind]} null`);
  }

  it('has, with the list of facts, every table and column of the migrated database, of the same type and nullability, and no other', async () => {
    const url = await migratedDatabase();
    const columns = await query<{ line: string }>(
      url,
      `select format('%s.%s %s%s', c.table_name, c.column_name,
           case when c.data_type = 'ARRAY' then ltrim(c.udt_name, '_') || '[]' else c.udt_name end
             || case when c.datetime_precision < 6 and c.udt_name = 'timestamptz' then format('(%s)', c.datetime_precision)
                     when c.udt_name = 'numeric' and c.numeric_precision is not null then format('(%s,%s)', c.numeric_precision, c.numeric_scale)
                     else '' end,
           case c.is_nullable when 'YES' then ' null' else '' end) as line
         from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like '\\_prisma%'
          and not exists (select from pg_inherits i where i.inhrelid = to_regclass(c.table_name))`,
    );
    expect(columns.length).toBeGreaterThan(100);
    expect([...declaredColumns(), ...columnsOfFacts()].toSorted()).toEqual(
      columns.map((row) => row.line).toSorted(),
    );
  });
});
