/** One PostgreSQL server for the whole run, with migrated databases that every test file gets a copy of; and a browser. */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { newSecretKey } from '../../src/base/access/secret-box.ts';
import { known } from '../../src/base/errors/assert.ts';
import { acquireEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { admitLogin } from '../../src/store/connection/logins.ts';
import { migrate } from '../../src/store/migration/migrate.ts';
import { type Chromium, prepareChromium } from './chromium.ts';
import { newHome } from './home.ts';
import { findOlderPostgres, startMortalPostgres } from './mortal-postgres.ts';
import { addSandbox } from './sandbox.ts';
import { installTools } from './tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server's maintenance database; `TEST_DATABASE_URL` when that is set. */
    adminUrl: string;
    /** The same for the login that gateways have. */
    gatewayUrl: string;
    /** Null where there is none for this machine. */
    chromium: Chromium | null;
  }
}

/** Name of the migrated database that others are copied from. */
export const TEMPLATE_DATABASE = 'crossramp_template';
/** The same with the sandbox account and its history. */
export const SANDBOX_DATABASE = 'crossramp_template_sandbox';

/** Statistics change when a test says so, not by what the server found time for: a plan of one run is that of the next. */
const SETTINGS = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
  // Each file opens a dozen connections, and 4,096 iterations cost its process a millisecond for each.
  scram_iterations: '1',
};

/** Starts the server of `TEST_POSTGRES`, or takes the one of `TEST_DATABASE_URL`. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.TOOLS_TEST === '1') installTools();
  const server = await takeServer();
  const keyFile = process.env.SECRETS_KEY_FILE as string;
  writeFileSync(keyFile, `${newSecretKey()}\n`, { mode: 0o600 });
  const end = async () => {
    rmSync(keyFile, { force: true });
    await server.end();
  };
  try {
    const adminUrl = server.url;
    await createAnew(adminUrl, TEMPLATE_DATABASE);
    await migrate(databaseUrl(adminUrl, TEMPLATE_DATABASE));
    const gatewayUrl = await addGateway(adminUrl);
    await createAnew(adminUrl, SANDBOX_DATABASE, `template ${TEMPLATE_DATABASE}`);
    await addSandbox(databaseUrl(gatewayUrl, SANDBOX_DATABASE));
    await withAdmin(databaseUrl(adminUrl, SANDBOX_DATABASE), async (client) => {
      // Rates age: each file seeds its own.
      await client.query('delete from rate');
    });
    project.provide('adminUrl', adminUrl);
    project.provide('gatewayUrl', gatewayUrl);
    project.provide('chromium', (await prepareChromium()) ?? null);
  } catch (error) {
    // Nobody ends what a setup that failed has begun, and the server would run on.
    await end();
    throw error;
  }
  return end;
}

async function createAnew(adminUrl: string, name: string, options = ''): Promise<void> {
  await withAdmin(adminUrl, async (client) => {
    await client.query(`drop database if exists ${name}`);
    await client.query(`create database ${name} ${options}`);
  });
}

interface Server {
  readonly url: string;
  readonly end: () => Promise<void>;
}

async function takeServer(): Promise<Server> {
  const { TEST_DATABASE_URL: given, TEST_POSTGRES: version } = process.env;
  if (given) return { url: given, end: async () => {} };
  if (version) {
    const programs = known(findOlderPostgres(version), `PostgreSQL ${version}, of test/postgres-versions`);
    const older = await startMortalPostgres(programs, SETTINGS);
    return { url: older.url, end: older.remove };
  }
  const place = newHome();
  const embedded = await acquireEmbeddedPostgres({ home: place.home, settings: SETTINGS });
  return { url: embedded.url, end: () => embedded.release().finally(place.remove) };
}

/** Makes a login of the server that may do what a gateway may, with a new password. @returns its URL. */
async function addGateway(adminUrl: string): Promise<string> {
  const url = new URL(adminUrl);
  Object.assign(url, { username: 'crossramp_test_gateway', password: randomBytes(24).toString('base64url') });
  await withAdmin(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [url.username]);
    if (rowCount === 0) await client.query(`create role ${url.username}`);
    await client.query(`alter role ${url.username} login password '${url.password}'`);
  });
  await admitLogin(adminUrl, url.username, true);
  return url.toString();
}

/** @returns the URL of another database of the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** Runs the work on a connection of its own. */
export async function withAdmin(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
