/**
 * Goal: `doctor` reports the state of the archive of the embedded database, and fails while changes do not reach it.
 */
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { command } from '../support/command.ts';
import { newHome } from '../support/home.ts';

const machine = newHome();
const folder = join(machine.home, 'backups');
const env = {
  CROSSRAMP_HOME: join(machine.home, 'home'),
  SECRETS_KEY_FILE: join(machine.home, 'secrets.key'),
};
let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await acquireEmbeddedPostgres({ home: env.CROSSRAMP_HOME, settings: { fsync: 'off' } });
});
afterAll(async () => {
  await server?.release();
  machine.remove();
});

async function doctor() {
  const { stdout, code } = await command(env, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; detail: string }[] };
  return { code, archive: checks.find(({ check }) => check === 'archive') };
}

test('doctor reports a missing archive, its contents, and an archive that cannot be written', async () => {
  expect(await doctor()).toMatchObject({
    code: 0,
    archive: { ok: true, detail: 'none; crossramp backup begins one (docs/backup.md)' },
  });
  expect(await command(env, 'backup', folder, '--archive-timeout', '3600')).toMatchObject({ code: 0 });
  expect(await doctor()).toMatchObject({ code: 0, archive: { ok: true } });
  expect((await doctor()).archive?.detail).toMatch(
    new RegExp(
      `^into ${folder}: last file at 20\\S+Z, \\d+ s ago; 0 failed attempts; newest backup of 20\\S+Z, 0 h ago$`,
    ),
  );

  const link = join(env.CROSSRAMP_HOME, 'postgres.archive');
  await rename(link, `${link}-away`);
  expect((await doctor()).archive).toEqual({
    check: 'archive',
    ok: false,
    detail: `nothing is archived, although a backup began it: ${link} is gone. Run crossramp backup, or crossramp backup --off (docs/backup.md)`,
  });
  await rename(`${link}-away`, link);

  await rename(join(folder, 'base'), join(folder, 'moved'));
  expect((await doctor()).archive).toMatchObject({ ok: false, detail: expect.stringContaining('ENOENT') });
  await mkdir(join(folder, 'base'));
  expect((await doctor()).archive).toEqual({
    check: 'archive',
    ok: false,
    detail: `${folder} holds no complete backup: run crossramp backup (docs/backup.md)`,
  });
  await rm(join(folder, 'base'), { recursive: true });
  await rename(join(folder, 'moved'), join(folder, 'base'));

  await chmod(join(folder, 'wal'), 0o500);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`select pg_logical_emit_message(false, 'test', '')`);
  await client.query('select pg_switch_wal()');
  await client.end();
  await expect.poll(async () => (await doctor()).archive?.ok).toBe(false);
  expect(await doctor()).toMatchObject({ code: 1 });
  expect((await doctor()).archive?.detail).toMatch(
    /^cannot write to \S+: the last of \d+ failed attempts was at 20\S+Z \(see postgres\.log\); last file at 20\S+Z, \d+ s ago\./,
  );

  await rename(folder, `${folder}-away`);
  expect((await doctor()).archive).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`cannot write to ${folder}: the folder is not there; last file at `),
  });
});

test('doctor reports no archive when the database is a server of the operator', async () => {
  const { stdout } = await command({ ...env, DATABASE_URL: server.gatewayUrl }, 'doctor', '--json');
  expect(JSON.parse(stdout).checks.map(({ check }: { check: string }) => check)).not.toContain('archive');
});
