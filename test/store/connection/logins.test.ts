/**
 * Goal: the gateway's login can post, and can neither become the owner nor change history (C-30). Method: the embedded server as a
 * start makes it, and the statements that a stolen gateway would send.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStore, type Store } from '../../../src/compose/open-store.ts';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/postgres/embedded-postgres.ts';
import { persist } from '../../../src/server/process/persist.ts';
import { readLogin } from '../../../src/store/connection/logins.ts';
import { MigrationError } from '../../../src/store/migration/migrations.ts';
import { newHome } from '../../support/home.ts';

const { home, remove } = newHome();
let server: EmbeddedPostgres;
let store: Store;

const openEmbedded = () => openStore({ home, databaseUrl: undefined, databaseConnections: 2 });

beforeAll(async () => {
  server = await acquireEmbeddedPostgres({ home, settings: { fsync: 'off' } });
  store = await openEmbedded();
});
afterAll(async () => {
  await store?.close();
  await server?.release();
  remove();
});

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('the gateway signs in as a login that cannot become the owner', async () => {
  expect(await readLogin(store.database)).toEqual({ login: 'crossramp_gateway', isOwner: false });
  const record = join(home, 'postgres.json');
  expect(statSync(record).mode & 0o777).toBe(0o600);
});

/** Tables of money, which only the functions of the ledger write. */
const LEDGER = ['journal', 'ledger_account', 'ledger_balance', 'ledger_day', 'ledger_line'];
const REFUSED = /permission denied|must be owner|must be superuser|must be able to set role|only roles with/i;

describe.each([
  ['as it works', (client: pg.Client) => client.query('set role crossramp_app')],
  ['as it signs in', (client: pg.Client) => client.query('reset role')],
])('a stolen gateway %s', (_, enter) => {
  const attempt = (sql: string) =>
    withClient(server.gatewayUrl, async (client) => {
      await enter(client);
      await client.query(sql);
    });

  test.each([
    'set role crossramp',
    'reset role; set role crossramp',
    'set session authorization crossramp',
    'set session authorization default; set role crossramp',
    `set session_replication_role = 'replica'`,
    'alter role crossramp_gateway superuser',
    'alter role crossramp_app superuser',
    'grant crossramp to crossramp_gateway',
    'create role thief superuser',
    'create extension plpython3u',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('postgresql.conf')`,
    'create table public.shadow (n int)',
    'create schema shadow',
    'drop schema public cascade',
    'alter system set fsync = off',
    `alter database crossramp set session_replication_role = 'replica'`,
    'delete from _prisma_migrations',
  ])('is refused: %s', async (sql) => {
    await expect(attempt(sql)).rejects.toThrow(REFUSED);
  });

  test('is refused any change to the tables of money and of proof', async () => {
    const { rows } = await withClient(server.url, (client) =>
      client.query(
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
      ),
    );
    const all = rows.map(({ relname }) => relname as string);
    expect(all).toEqual(expect.arrayContaining([...LEDGER, 'audit_entry', 'event']));
    const actions = [
      ...all.flatMap((table) => [
        `alter table "${table}" disable trigger all`,
        `alter table "${table}" add column thief int`,
        `truncate "${table}"`,
        `drop table "${table}"`,
        `create trigger thief before insert on "${table}" for each row execute function suppress_redundant_updates_trigger()`,
      ]),
      ...[...LEDGER, 'audit_entry'].flatMap((table) => [
        `delete from ${table}`,
        `update ${table} set account_id = account_id`,
      ]),
      ...LEDGER.map((table) => `insert into ${table} default values`),
    ];
    // On one connection: what is refused leaves its session as it was.
    await withClient(server.gatewayUrl, async (client) => {
      await enter(client);
      for (const sql of actions) await expect(client.query(sql), sql).rejects.toThrow(REFUSED);
    });
  });
});

test('an existing home with one login gets the second at its next start', async () => {
  const record = join(home, 'postgres.json');
  const { gatewayPassword, ...former } = JSON.parse(readFileSync(record, 'utf8'));
  expect(gatewayPassword).toMatch(/^[\w-]{32}$/);
  await store.close();
  await server.release();
  writeFileSync(record, JSON.stringify(former));
  server = await acquireEmbeddedPostgres({ home, settings: { fsync: 'off' } });
  await withClient(server.url, async (client) => {
    await client.query('revoke crossramp_app from crossramp_gateway');
    await client.query('drop role crossramp_gateway');
  });
  await server.release();
  server = await acquireEmbeddedPostgres({ home, settings: { fsync: 'off' } });
  store = await openEmbedded();
  expect(await readLogin(store.database)).toEqual({ login: 'crossramp_gateway', isOwner: false });
});

describe('a database of the operator', () => {
  const urlOf = (username: string) =>
    Object.assign(new URL(server.url), { username, password: 'secret', pathname: '/own' }).href;
  const open = (databaseUrl: string, databaseOwnerUrl?: string) =>
    openStore({ home, databaseUrl, databaseOwnerUrl, databaseConnections: 2 });

  test('is migrated by its owner, who admits the login of the gateway', async () => {
    await withClient(server.url, async (client) => {
      await client.query(`create role own_owner login createrole password 'secret'`);
      await client.query(`create role own_gateway login password 'secret'`);
      await client.query('grant crossramp_app to own_owner with admin option');
      await client.query('create database own owner own_owner');
    });
    await expect(open(urlOf('own_gateway'))).rejects.toThrow(MigrationError);
    const first = await open(urlOf('own_gateway'), urlOf('own_owner'));
    expect(await readLogin(first.database)).toEqual({ login: 'own_gateway', isOwner: false });
    await first.close();
    const later = await open(urlOf('own_gateway'));
    expect(later.applied).toEqual([]);
    await later.close();
  });

  test('reports that the gateway may not migrate', async () => {
    await withClient(urlOf('own_owner'), (client) =>
      client.query(
        `delete from _prisma_migrations where migration_name = (select max(migration_name) from _prisma_migrations where migration_name like '%\\_roles')`,
      ),
    );
    await expect(open(urlOf('own_gateway'))).rejects.toThrow(
      /^migrations are missing, and the login of DATABASE_URL may not apply them: run crossramp migrate with DATABASE_OWNER_URL$/,
    );
    await (await open(urlOf('own_gateway'), urlOf('own_owner'))).close();
  });

  test.each([
    [
      'a login without the role',
      () => [urlOf('own_stranger')],
      /^the login "own_stranger" may not read .*grant crossramp_app to "own_stranger"$/,
    ],
    [
      'an owner who may not grant the role',
      () => [urlOf('own_stranger'), urlOf('own_owner')],
      /^the login "own_owner" may not admit "own_stranger": .*grant crossramp_app to "own_stranger"$/,
    ],
  ] as const)('names the grant that is missing for %s', async (_, urls, message) => {
    await withClient(server.url, async (client) => {
      await client.query('drop role if exists own_stranger');
      await client.query(`create role own_stranger login password 'secret'`);
      await client.query('revoke admin option for crossramp_app from own_owner cascade');
      await client.query('grant crossramp_app to own_gateway');
    });
    const [url, ownerUrl] = urls();
    await expect(open(url as string, ownerUrl)).rejects.toThrow(message);
  });

  test('names the right that is missing for a schema of its own', async () => {
    const opening = openStore({
      home,
      databaseUrl: urlOf('own_gateway'),
      databaseSchema: 'apart',
      databaseConnections: 2,
    });
    await expect(opening).rejects.toThrow(
      /^the login "own_gateway" may not create the schema apart: .*grant create on database "own" to "own_gateway"$/,
    );
  });

  test('is refused in one line if it is not in UTF-8', async () => {
    await withClient(server.url, (client) =>
      client.query(`create database latin encoding 'LATIN1' locale 'C' template template0`),
    );
    const url = Object.assign(new URL(server.url), { pathname: '/latin' }).href;
    await expect(open(url)).rejects.toThrow(
      /^the database must be encoded in UTF8, and is in LATIN1: create it with encoding 'UTF8'$/,
    );
  });

  test.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: 'wrong' }), /28P01/],
    ['an unknown database', (url: URL) => Object.assign(url, { pathname: '/none' }), /3D000/],
  ])('%s ends a start immediately', async (_, change, message) => {
    const url = change(new URL(server.gatewayUrl)).href;
    const warn = vi.fn();
    await expect(persist(() => open(url), { warn }, { limitMs: 30_000 })).rejects.toThrow(message);
    expect(warn).not.toHaveBeenCalled();
  });

  test('works with one login, which counts as the owner', async () => {
    const one = await open(urlOf('own_owner'));
    expect(await readLogin(one.database)).toEqual({ login: 'own_owner', isOwner: true });
    await one.close();
  });
});
