/**
 * Goal: every later version goes on with the data of 1.0 (docs/upgrades.md). Method: the rows that 1.0 wrote in thirty days of the demo, from a
 * fixture, in tables made by its migrations; then this version migrates them, verifies them, reads what was read then, and takes a payment.
 * `WRITE_DATA=1` writes the fixture, before the release of 1.0 and never after it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { migrate } from '../../src/store/migration/migrate.ts';
import { migrationNames } from '../../src/store/migration/migrations.ts';
import { migrateBefore } from '../support/before-baseline.ts';
import { fillReleaseData, readReleaseData, writeReleaseData } from '../support/data-fixture.ts';
import { databaseUrl, withAdmin } from '../support/global-setup.ts';
import { newHome } from '../support/home.ts';
import { crossramp, launch, type Running, start } from '../support/process.ts';

const RELEASE = '1.0';
const NAME = 'crossramp_test_data_of_1_0';
const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url);
const READS = [
  ...['/v2/balance', '/v2/onramps?limit=100', '/v2/offramps?limit=100', '/v2/withdrawals?limit=100'],
  ...[
    '/v2/statement?account_type=available&limit=100',
    '/v2/statement?account_type=available&limit=100&offset=500',
  ],
];
const adminUrl = inject('adminUrl');
const url = databaseUrl(adminUrl, NAME);
const { home, remove } = newHome();
const keyFile = join(home, 'secrets.key');
const env = {
  ...{ CROSSRAMP_HOME: home, DATABASE_URL: url, SECRETS_KEY_FILE: keyFile, SANDBOX: '1' },
  ...{ RATE_LIMIT: 'off', DRAIN_DELAY: '0' },
};
/** Reads alone: jobs that are due by now change nothing. */
const readerEnv = { ...env, ROLE: 'serve' };
let gateway: Running | undefined;

afterAll(async () => {
  await gateway?.end('SIGKILL');
  await withAdmin(
    adminUrl,
    async (client) => void (await client.query(`drop database if exists ${NAME} with (force)`)),
  );
  remove();
});

/** @returns what the account of the sandbox reads, by path. */
async function readAll({ baseUrl }: Running): Promise<Record<string, unknown>> {
  const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
  const read: Record<string, unknown> = {};
  for (const path of READS) {
    const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.status, path).toBe(200);
    // Addresses of this gateway are in the answers.
    read[path] = JSON.parse((await answer.text()).replaceAll(baseUrl, 'https://gateway.invalid'));
  }
  return read;
}

test.runIf(process.env.WRITE_DATA)(
  'writes the data',
  async () => {
    await withAdmin(adminUrl, async (client) => {
      await client.query(`drop database if exists ${NAME} with (force)`);
      await client.query(`create database ${NAME} template template1`);
    });
    // The demo takes longer than a start may.
    const playing = launch({ ...env, PORT: '0' }, '--demo');
    let text = '';
    for await (const chunk of playing.child.stdout as AsyncIterable<Buffer>) {
      text += chunk;
      if (text.includes('Ctrl-C stops it')) break;
    }
    playing.child.kill('SIGTERM');
    await playing.ended;
    gateway = await start(readerEnv);
    const read = await readAll(gateway);
    await gateway.end('SIGTERM');
    const secretsKeys = readFileSync(keyFile, 'utf8');
    const about = { migrations: migrationNames(), secretsKeys, read };
    await withAdmin(url, (client) => writeReleaseData(RELEASE, client, about));
  },
  600_000,
);

test('the data of 1.0 are migrated, verified, read as before, and stay usable', async () => {
  const data = readReleaseData(RELEASE);
  writeFileSync(keyFile, data.secretsKeys, { mode: 0o600 });
  expect(migrationNames()).toEqual(expect.arrayContaining([...data.migrations]));
  await withAdmin(adminUrl, async (client) => {
    await client.query(`drop database if exists ${NAME} with (force)`);
    await client.query(`create database ${NAME} template template1`);
  });
  // As 1.0 left it: its migrations and their records, and its rows.
  const sqlOf = (name: string) => readFileSync(new URL(`${name}/migration.sql`, MIGRATIONS), 'utf8');
  const migrations = data.migrations.map((name) => ({ name, sql: sqlOf(name) }));
  await withAdmin(url, async (client) => {
    await migrateBefore(client, { migrations });
    await fillReleaseData(client, data);
  });
  expect(await migrate(url)).toEqual(migrationNames().filter((name) => !data.migrations.includes(name)));

  const { code, stdout, stderr } = await crossramp(env, 'verify');
  expect([code, stderr], stdout).toEqual([0, '']);
  gateway = await start(readerEnv);
  expect(await readAll(gateway)).toEqual(data.read);
  await gateway.end('SIGTERM');
  gateway = await start(env);
  const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
  const answer = await fetch(`${gateway.baseUrl}/v2/onramp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ amount_payment: 150, currency_exit_received_code: 'USDT_TRX', client_name: 'Ana' },
      client_tax_id: '52998224725',
    }),
  });
  expect(answer.status).toBe(201);
}, 300_000);
