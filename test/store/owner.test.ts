/**
 * Goal: the gateway runs for an owner who is no superuser, as managed servers have it. Method: a server of its own, on
 * which the role of the gateway does not exist yet; an owner who may create roles, and one who may not.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/compose/open-store.ts';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { StoreError } from '../../src/store/connection/check-server.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { MigrationError } from '../../src/store/migration/migrations.ts';
import { newHome } from '../support/home.ts';

const { home, remove } = newHome();
let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await acquireEmbeddedPostgres({ home, settings: { fsync: 'off' } });
});
afterAll(async () => {
  await server.release();
  remove();
});

/** @returns the URL of a new database, as its new owner with these rights. */
async function ownedDatabase(name: string, rights: string, password = 'secret'): Promise<string> {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create role ${name} login password '${password}' ${rights}`);
  await admin.query(`create database ${name} owner ${name}`);
  await admin.end();
  const url = new URL(server.url);
  Object.assign(url, { username: name, password: password.replaceAll('%', '%25'), pathname: `/${name}` });
  return url.toString();
}

const open = (databaseUrl: string) => openStore({ home, databaseUrl, databaseConnections: 2 });

test('an owner who may not create roles gets one line about that', async () => {
  const refused = open(await ownedDatabase('plain', ''));
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(/^migration failed: permission denied to create role$/);
});

test('an owner who may create roles gets a gateway that works as the restricted role', async () => {
  const store = await open(await ownedDatabase('maker', 'createrole'));
  try {
    const [row] = await store.database.query(
      { name: 'role_of_test', text: 'select current_user::text as role' },
      [],
    );
    expect(row).toEqual({ role: 'crossramp_app' });
  } finally {
    await store.close();
  }
});

test.each(['a+b', '+', 'p%2Bq', '100%+ /?#@:&='])('a password %j is taken as it is', async (password) => {
  const name = `signs${Buffer.from(password).toString('hex')}`;
  const store = await open(await ownedDatabase(name, 'superuser', password));
  try {
    expect(await prismaOf(store.database).account.count()).toBe(0);
  } finally {
    await store.close();
  }
});

test('a gateway that may not work as the restricted role does not start, and names the remedy in one line', async () => {
  const url = await ownedDatabase('barred', '');
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query('grant crossramp_app to barred');
  await (await open(url)).close();
  await admin.query('revoke crossramp_app from barred');
  const refused = open(url);
  await expect(refused).rejects.toThrow(StoreError);
  await expect(refused).rejects.toThrow(
    /^cannot work as the role crossramp_app: permission denied to set role "crossramp_app"; run: grant crossramp_app to "barred"$/,
  );
  await admin.query('grant crossramp_app to barred');
  await admin.end();
  await (await open(url)).close();
});
