/** Goal: a file of the log counts as archived only when it is on the disk. Method: the server's command in a shell, with a `sync` that notes its names. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveSettings } from '../../src/postgres/wal-archive.ts';
import { newHome } from '../support/home.ts';

const machine = newHome();
const place = machine.home;
const [folder, programs, segment] = ['backups', 'programs', 'segment'].map((name) => join(place, name)) as [
  string,
  string,
  string,
];
const name = '000000010000000000000001';
const target = join(folder, 'wal', `${name}.gz`);
afterAll(machine.remove);
beforeAll(async () => {
  await mkdir(join(folder, 'wal'), { recursive: true });
  await mkdir(programs);
  await symlink(folder, join(place, 'postgres.archive'));
  await writeFile(join(programs, 'sync'), `#!/bin/sh\necho "$@" >> '${place}/synced'\n`);
  await chmod(join(programs, 'sync'), 0o755);
});

/** @returns the exit code, and what was flushed. */
async function archive(content: string) {
  await writeFile(segment, content);
  await writeFile(join(place, 'synced'), '');
  const command = archiveSettings(place).archive_command?.replaceAll('%p', segment).replaceAll('%f', name);
  const { status } = spawnSync('sh', ['-c', String(command)], {
    env: { ...process.env, PATH: `${programs}:${process.env.PATH}` },
  });
  const synced = (await readFile(join(place, 'synced'), 'utf8')).replaceAll(
    `${place}/postgres.archive`,
    folder,
  );
  return { status, synced: synced.split('\n').slice(0, -1) };
}

test('the archive command flushes a file that is already archived, and refuses one that differs', async () => {
  const to = join(folder, 'wal');
  expect(await archive('log')).toEqual({ status: 0, synced: [join(to, `.${name}.draft`), to] });
  expect(await archive('log')).toEqual({ status: 0, synced: [target, to] });
  expect(await archive('other')).toEqual({ status: 1, synced: [] });
});
