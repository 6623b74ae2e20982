/**
 * `DATABASE_SCHEMA`: the tables stand in the schema that is named, the migrations stay as they are, and two gateways in
 * two schemas of one database see nothing of each other.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/store/migration/migrate.ts';
import { migrationNames } from '../../src/store/migration/migrations.ts';
import { databaseUrl, withAdmin } from '../support/global-setup.ts';
import { newHome } from '../support/home.ts';
import { crossramp, failToStart, type Running, start } from '../support/process.ts';

const CELL = 'cell_1';
const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url);
const adminUrl = inject('adminUrl');
const name = `crossramp_test_${randomBytes(6).toString('hex')}`;
const url = databaseUrl(adminUrl, name);
let owner: pg.Pool;

beforeAll(async () => {
  await withAdmin(adminUrl, async (client) => void (await client.query(`create database ${name}`)));
  owner = new pg.Pool({ connectionString: url, max: 1 });
  await migrate(url, CELL);
  expect(await objectsOf('public')).toEqual([]);
  await migrate(url);
});
afterAll(async () => {
  await owner.end();
  await withAdmin(adminUrl, async (client) => void (await client.query(`drop database ${name}`)));
});

async function objectsOf(schema: string): Promise<string[]> {
  const { rows } = await owner.query<{ object: string }>(
    `select relkind::text || ' ' || relname || ' ' || coalesce(relacl::text, '') as object from pg_class where relnamespace = $1::regnamespace
     union all select 'f ' || oid::regprocedure || ' ' || prosrc || ' ' || coalesce(proconfig::text, '') || coalesce(proacl::text, '')
       from pg_proc where pronamespace = $1::regnamespace
     union all select 't ' || tgrelid::regclass || ' ' || pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace = $1::regnamespace and not tgisinternal
     order by 1`,
    [schema],
  );
  return rows.map((row) => row.object.replaceAll(`${schema}.`, '').replaceAll(schema, 'SCHEMA'));
}

describe('migrations in another schema', () => {
  it('make the same objects there as in public', async () => {
    expect(await objectsOf(CELL)).toEqual(await objectsOf('public'));
    expect((await objectsOf(CELL)).length).toBeGreaterThan(100);
  });

  it('leave nothing that names public', async () => {
    const { rows } = await owner.query(
      `select oid::regprocedure::text as name from pg_proc where pronamespace = $1::regnamespace
          and (prosrc ~ '\\ypublic\\y' or proconfig::text ~ '\\ypublic\\y')`,
      [CELL],
    );
    expect(rows).toEqual([]);
  });

  it('are recorded with the checksums of their files', async () => {
    const { rows } = await owner.query(
      `select migration_name as name, checksum from ${CELL}._prisma_migrations order by 1`,
    );
    expect(rows).toEqual(
      migrationNames().map((each) => ({
        name: each,
        checksum: createHash('sha256')
          .update(readFileSync(new URL(`${each}/migration.sql`, MIGRATIONS)))
          .digest('hex'),
      })),
    );
    expect(await migrate(url, CELL)).toEqual([]);
  });
});

describe('gateways in two schemas of one database', () => {
  const homes = [newHome(), newHome()];
  const schemas = ['public', CELL];
  const envs = schemas.map((schema, at) => ({
    CROSSRAMP_HOME: homes[at]?.home ?? '',
    DATABASE_URL: url,
    DATABASE_SCHEMA: schema,
    DATABASE_CONNECTIONS: '4',
    SANDBOX_AUTO: '1',
  }));
  let running: Running[];

  beforeAll(async () => {
    running = await Promise.all(envs.map((env) => start(env, '--sandbox')));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(running.map((each) => each.end('SIGTERM')));
    for (const each of homes) each.remove();
  });

  async function query(at: number, path: string, body?: object) {
    const { apiKey } = JSON.parse(readFileSync(`${homes[at]?.home}/sandbox.json`, 'utf8'));
    const answer = await fetch(`${running[at]?.baseUrl}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
    return { status: answer.status, json: await answer.json() };
  }

  it('have accounts of the same id, and each only its own transactions, events and keys', async () => {
    const made: string[][] = [[], []];
    for (const at of [0, 1, 1]) {
      const { status, json } = await query(at, '/v2/onramp', {
        amount_payment: 550,
        currency_exit_received_code: 'USDT_TRX',
        client_name: 'Ana',
        client_tax_id: '52998224725',
      });
      expect(status).toBe(201);
      made[at]?.push(json.end2end);
    }
    for (const at of [0, 1]) {
      const { json } = await query(at, '/v2/onramps');
      const listed = json.results.map((each: { end2end: string }) => each.end2end);
      expect(listed.toSorted()).toEqual(made[at]?.toSorted());
      const events = await query(at, '/v2/events');
      expect(events.json.events.length).toBeGreaterThan(0);
      for (const each of events.json.events) expect(made[at]).toContain(each.transaction.end2end);
      const other = await query(at, `/v2/onramp/${made[1 - at]?.[0]}`);
      expect(other.status).toBe(404);
    }
    const [key] = homes.map(({ home }) => JSON.parse(readFileSync(`${home}/sandbox.json`, 'utf8')).apiKey);
    const foreign = await fetch(`${running[1]?.baseUrl}/v2/balance`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(foreign.status).toBe(401);
  });

  it('are served by commands that name the same schema', async () => {
    for (const env of envs) {
      const { code, stdout } = await crossramp(env, 'verify', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout).defects).toEqual([]);
    }
  });

  it('refuse a name that PostgreSQL would have to quote', async () => {
    const { code, stderr } = await failToStart({ DATABASE_SCHEMA: 'Cell 1' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^crossramp: DATABASE_SCHEMA: expected 1 to 40 of a-z, 0-9 and _.*got Cell 1\n$/);
  });
});
