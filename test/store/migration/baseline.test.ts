/**
 * Goal: the baseline makes what the migrations before 1.0 made, and databases of these go on with it. Method: the old migrations and the
 * demo's data from a fixture; schemas compared by the catalog; a gateway on the database that was adopted.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../src/store/migration/migrate.ts';
import { MigrationError, migrationNames } from '../../../src/store/migration/migrations.ts';
import { fillBefore, migrateBefore, readBefore } from '../../support/before-baseline.ts';
import { describedSchema } from '../../support/described-schema.ts';
import { databaseUrl, TEMPLATE_DATABASE, withAdmin } from '../../support/global-setup.ts';
import { newHome } from '../../support/home.ts';
import { crossramp, start } from '../../support/process.ts';

/** Names of the migrations after the baseline, which ends with the roles. */
const AFTER_BASELINE = migrationNames().filter((name) => name > '20261206000120_roles');
const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url);
const script = (name: string) => readFileSync(new URL(`${name}/migration.sql`, MIGRATIONS), 'utf8');
const adminUrl = inject('adminUrl');
const before = readBefore();
const made: string[] = [];

async function newDatabase(fill: (client: pg.ClientBase) => Promise<void>, template = 'template1') {
  const name = `crossramp_test_${randomBytes(6).toString('hex')}`;
  made.push(name);
  await withAdmin(
    adminUrl,
    async (client) => void (await client.query(`create database ${name} template ${template}`)),
  );
  const url = databaseUrl(adminUrl, name);
  await withAdmin(url, fill);
  return url;
}
afterEach(() =>
  withAdmin(adminUrl, async (client) => {
    for (const name of made.splice(0)) await client.query(`drop database ${name}`);
  }),
);

async function rowsOf(url: string, text: string): Promise<unknown[]> {
  let rows: unknown[] = [];
  await withAdmin(url, async (client) => {
    rows = (await client.query(text)).rows;
  });
  return rows;
}
async function schemaOf(url: string): Promise<string[]> {
  let lines: string[] = [];
  await withAdmin(url, async (client) => {
    lines = await describedSchema(client);
  });
  return lines;
}
const records = (url: string) =>
  rowsOf(url, 'select migration_name as name, checksum from _prisma_migrations order by 1');
const OWN_RECORDS = migrationNames().map((name) => ({
  name,
  checksum: createHash('sha256').update(script(name)).digest('hex'),
}));

describe('the baseline', () => {
  it('creates the same schema and first rows as the migrations before it', async () => {
    const fresh = await newDatabase(async () => {}, TEMPLATE_DATABASE);
    const old = await newDatabase((client) => migrateBefore(client, before));
    const FIRST_ROWS = `select 'clock ' || ahead_ms as row from sandbox_clock union all select 'slot ' || slot from readiness_probe
      union all select 'retention ' || singleton from retention_time union all select relname || ' has rows' from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like '\\_prisma%'
          and (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname), false, true, '')))[1]::text <> '0' order by 1`;
    // What came after the baseline is not of the migrations before it.
    for (const name of AFTER_BASELINE)
      await withAdmin(old, async (client) => void (await client.query(script(name))));
    expect(await rowsOf(old, FIRST_ROWS)).toEqual(await rowsOf(fresh, FIRST_ROWS));
    const schema = await schemaOf(fresh);
    expect(schema.length).toBeGreaterThan(1_700);
    expect(await schemaOf(old)).toEqual(schema);
  });

  it.each([
    'alter table account alter name drop not null',
    'alter table ledger_balance set (fillfactor = 50)',
    'alter table journal enable trigger append_only',
    'alter table quote drop constraint quote_account_id_fkey',
    'alter table request_batch alter entries set storage extended',
    'grant update on ledger_line to crossramp_app',
    'grant update (name) on account to crossramp_app',
    'grant execute on function event_month to crossramp_app',
    'drop index job_failing',
    'alter table person alter name set statistics 500',
    `alter function ledger_post set plan_cache_mode = auto`,
    'alter sequence account_id_seq start with 1',
    'alter table person enable row level security',
    `create table another ()`,
  ])('would be found to differ by: %s', async (change) => {
    const url = await newDatabase(async () => {}, TEMPLATE_DATABASE);
    const schema = await schemaOf(url);
    await withAdmin(url, async (client) => void (await client.query(change)));
    expect(await schemaOf(url)).not.toEqual(schema);
  });

  it.each(migrationNames())('%s explains each table, view and function in a comment before it', (name) => {
    const lines = script(name).split('\n');
    expect(lines[0]).toMatch(/^-- [A-Z].*/);
    const bare = lines.filter(
      (line, at) => /^create (table|view|function) /.test(line) && !/^-- /.test(lines[at - 1] ?? ''),
    );
    // A partition is explained with its table.
    expect(bare).toEqual([]);
  });
});

describe('a database from before 1.0', () => {
  it('is adopted unchanged when it has all migrations: it verifies, and accepts a payment', async () => {
    const url = await newDatabase(async (client) => {
      await migrateBefore(client, before);
      await fillBefore(client, before);
    });
    const COUNTS =
      'select (select count(*) from transaction) as transactions, (select count(*) from ledger_line) as lines';
    const counts = await rowsOf(url, COUNTS);
    expect(counts).toEqual([{ transactions: '149', lines: '1108' }]);
    // Records are written, and nothing but what came after the baseline is run.
    expect(await migrate(url)).toEqual(AFTER_BASELINE);
    expect(await records(url)).toEqual(OWN_RECORDS);
    expect(await rowsOf(url, COUNTS)).toEqual(counts);
    expect(await migrate(url)).toEqual([]);

    const { home, remove } = newHome();
    const env = { CROSSRAMP_HOME: home, DATABASE_URL: url, SANDBOX_AUTO: '1' };
    const gateway = await start(env, '--sandbox');
    const { apiKey } = JSON.parse(readFileSync(`${home}/sandbox.json`, 'utf8'));
    const ask = async (path: string, body?: object) => {
      const answer = await fetch(`${gateway.baseUrl}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      });
      return { status: answer.status, json: await answer.json() };
    };
    const { status, json } = await ask('/v2/onramp', {
      ...{ amount_payment: 550, currency_exit_received_code: 'USDT_TRX' },
      ...{ client_name: 'Ana', client_tax_id: '52998224725' },
    });
    expect(status).toBe(201);
    await expect.poll(async () => (await ask(`/v2/onramp/${json.end2end}`)).json.state).toBe('DONE');
    const listed = await ask('/v2/onramps?limit=1');
    expect(listed.json.total).toBeGreaterThan(1);
    const verified = await crossramp(env, 'verify', '--json');
    expect(JSON.parse(verified.stdout).defects).toEqual([]);
    expect(verified.code).toBe(0);
    await gateway.end('SIGTERM');
    remove();
  });

  it.each([
    '20261121000400_roles',
    '20261205095000_second_person',
  ])('is refused in one line when it stands at %s', async (last) => {
    const url = await newDatabase((client) => migrateBefore(client, before, last));
    const error = await migrate(url).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MigrationError);
    expect((error as Error).message).toBe(
      `the database is older than this version can take over: its last migration is ${last}; apply the others with the build of commit 7b4b5351 (npm run -s crossramp -- migrate), then start this version again`,
    );
    expect(await records(url)).toHaveLength(before.migrations.findIndex(({ name }) => name === last) + 1);
  });
});
