/** A database of its own for every test file, dropped afterwards; fails when a connection was left open. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { openPlainDatabase } from '../../src/store/connection/plain-connection.ts';
import { databaseUrl, TEMPLATE_DATABASE, withAdmin } from './global-setup.ts';
import { watchingConnections } from './one-connection.ts';

/** The database of a test file. */
export interface TestDatabase {
  /** For the gateway's login. */
  readonly url: string;
  readonly ownerUrl: string;
  /** As the gateway works: restricted role. */
  readonly database: Database;
  /** As the owner, for looking behind the interface and for tampering. */
  readonly owner: pg.Pool;
}

/** `DATABASE_FAST_PATH=off` runs the tests by documented parts of the driver (decision 0064). */
const open = process.env.DATABASE_FAST_PATH === 'off' ? openPlainDatabase : openDatabase;

/** Makes the database before the tests of the file, as a copy of another, and drops it after them. */
export function useDatabase(template = TEMPLATE_DATABASE): TestDatabase {
  const adminUrl = inject('adminUrl');
  const name = `crossramp_test_${randomBytes(6).toString('hex')}`;
  const test = {} as { -readonly [Name in keyof TestDatabase]: TestDatabase[Name] };
  beforeAll(async () => {
    await withAdmin(adminUrl, async (client) => {
      await client.query(`create database ${name} template ${template}`);
    });
    test.ownerUrl = databaseUrl(adminUrl, name);
    test.url = databaseUrl(inject('gatewayUrl'), name);
    test.database = watchingConnections(open(test.url));
    // As a start does: what is due goes by the server's time.
    await test.database.readClock();
    test.owner = new pg.Pool({ connectionString: test.ownerUrl, max: 2 });
  });
  afterAll(async () => {
    await test.database?.close();
    await test.owner?.end();
    await withAdmin(adminUrl, async (client) => {
      // Without `force` this fails while anything is still connected: a leak is a failed test.
      await client.query(`drop database ${name}`);
    });
  });
  return test;
}
