/**
 * Goal: a backup is whole or not there, and older ones stay until it is. Method: backups of a small embedded server, commands that are
 * stopped and killed, an archive that cannot be written.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { createBackup, endArchiving } from '../../src/postgres/backup/create-backup.ts';
import { acquireEmbeddedPostgres, EmbeddedPostgresError } from '../../src/postgres/embedded-postgres.ts';
import { begin } from '../support/process.ts';
import { refusal, setsIn, useBackups } from './backups.ts';

const isRoot = process.getuid?.() === 0;
const { home, newFolder, query, write, backUp, switchLog, archive, restore, notesIn, restoredNotes } =
  useBackups();
const namesOf = (...sets: { readonly path: string }[]) => sets.map(({ path }) => basename(path));

test('a backup and the log after it are restored to the end, or to a time', async () => {
  const folder = newFolder();
  await write('a');
  await backUp({ folder });
  await write('b');
  await query('select pg_sleep(0.01)');
  const [between] = await query(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  );
  await query('select pg_sleep(0.01)');
  await write('c');
  await archive(folder);
  expect(await restoredNotes({ folder })).toEqual(['a', 'b', 'c']);
  expect(await restoredNotes({ folder, until: String(between) })).toEqual(['a', 'b']);
});

test('the first change after a start is archived by archive_timeout, and not after the first checkpoint', async () => {
  const [own, folder] = [newFolder(), newFolder()];
  const settings = { fsync: 'off', full_page_writes: 'off' };
  const first = await acquireEmbeddedPostgres({ home: own, settings });
  await createBackup({ home: own, folder, archiveSeconds: 1 });
  await first.release();
  const second = await acquireEmbeddedPostgres({ home: own, settings });
  const client = new Client({ connectionString: second.url });
  try {
    await client.connect();
    await client.query('create table note (text text)');
    const { rows } = await client.query('select pg_walfile_name(pg_current_wal_lsn()) as name');
    const file = join(folder, 'wal', `${rows[0].name}.gz`);
    await expect.poll(() => existsSync(file), { timeout: 90_000 }).toBe(true);
  } finally {
    await client.end();
    await second.release();
  }
});

test('the key file is in a backup only when requested, and a restore does not replace one', async () => {
  const [folder, keyFile, target, other] = [newFolder(), newFolder(), newFolder(), newFolder()];
  await writeFile(keyFile, 'the key');
  const without = await backUp({ folder });
  expect(await readdir(without.path)).not.toContain('secrets.key');
  const { path } = await backUp({ folder, secretsKeyFile: keyFile });
  expect((await stat(join(path, 'secrets.key'))).mode & 0o777).toBe(0o600);
  expect(await restore({ folder, secretsKeyFile: target })).toMatchObject({ hasSecretsKey: true });
  expect(await readFile(target, 'utf8')).toBe('the key');
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  await writeFile(other, 'another key');
  await restore({ folder, secretsKeyFile: other });
  expect(await readFile(other, 'utf8')).toBe('another key');
  expect(await refusal(backUp({ folder, secretsKeyFile: newFolder() }))).toMatch(
    /^SECRETS_KEY_FILE: .* is missing$/,
  );
});

describe('--keep', () => {
  test('removes older backups and their log when the new one is complete, and not when it was stopped', async () => {
    const folder = newFolder();
    const first = await backUp({ folder });
    const second = await backUp({ folder, setsMax: 2 });
    expect(second.removed).toEqual([]);
    const controller = new AbortController();
    const stopped = backUp({
      folder,
      setsMax: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(new EmbeddedPostgresError('stopped here')),
    });
    expect(await refusal(stopped)).toBe('stopped here');
    expect(await setsIn(folder)).toEqual(namesOf(first, second));
    await write('kept');
    const third = await backUp({ folder, setsMax: 1 });
    expect(third.removed).toEqual(namesOf(first, second));
    expect(await setsIn(folder)).toEqual(namesOf(third));
    const wal = await readdir(join(folder, 'wal'));
    // The server may be archiving the note of the third backup into a draft, whose name begins with a dot.
    expect(wal.filter((name) => !name.startsWith('.') && name < third.manifest.startWal)).toEqual([]);
    expect(wal).toContain(`${third.manifest.stopWal}.gz`);
    expect(await restoredNotes({ folder })).toContain('kept');
  });
});

test('a failed first backup ends the archiving that it started', async () => {
  await endArchiving(home);
  const folder = newFolder();
  const stopped = backUp({
    folder,
    onProgress: () => {
      throw new EmbeddedPostgresError('stopped here');
    },
  });
  expect(await refusal(stopped)).toBe('stopped here');
  expect(await endArchiving(home)).toBeUndefined();
  await backUp({ folder });
  expect(await endArchiving(home)).toBe(folder);
});

describe('--off', () => {
  test('ends archiving and names the folder; a later backup starts it again', async () => {
    const folder = newFolder();
    await backUp({ folder });
    expect(await endArchiving(home)).toBe(folder);
    expect(await endArchiving(home)).toBeUndefined();
    expect(await query('show archive_timeout')).toEqual(['0']);
    const before = await readdir(join(folder, 'wal'));
    await write('not archived');
    const name = await switchLog();
    await expect.poll(() => query('select last_archived_wal from pg_stat_archiver')).toEqual([name]);
    expect(await readdir(join(folder, 'wal'))).toEqual(before);
    expect(await restoredNotes({ folder })).not.toContain('not archived');
    await backUp({ folder });
    expect(await restoredNotes({ folder })).toContain('not archived');
  });
});

describe('a command that is killed in the middle', () => {
  test('a backup leaves the earlier one, and the next one removes its remains', async () => {
    const folder = newFolder();
    const before = await backUp({ folder });
    const { child, ended } = begin({ CROSSRAMP_HOME: home }, 'backup', folder, '--keep', '1', '--json');
    // The first line of progress.
    await once(child.stderr as NodeJS.ReadableStream, 'data');
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ code: null, stdout: '' });
    expect(await setsIn(folder)).toEqual([expect.stringMatching(/^\.draft-/), ...namesOf(before)]);
    expect(await restoredNotes({ folder })).toEqual(expect.any(Array));
    const next = await backUp({ folder, setsMax: 1 });
    expect(await setsIn(folder)).toEqual(namesOf(next));
  });

  test('a restore keeps gateways out until it is run again', async () => {
    const folder = newFolder();
    await write('restored');
    await backUp({ folder });
    const target = newFolder();
    const { child, ended } = begin({ CROSSRAMP_HOME: target }, 'restore', folder);
    await expect.poll(() => existsSync(join(target, 'postgres.restoring'))).toBe(true);
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    expect(await refusal(acquireEmbeddedPostgres({ home: target }))).toBe(
      `a restore into ${target} was cut off: run "crossramp restore" again, or delete the folder`,
    );
    await restore({ folder, home: target });
    expect(await notesIn(target)).toContain('restored');
    expect((await readdir(target)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });
});

describe('an archive that cannot be written', () => {
  test('refuses a backup, which works when it can', async () => {
    const folder = newFolder();
    const before = await backUp({ folder });
    await chmod(join(folder, 'wal'), 0o500);
    expect(await refusal(backUp({ folder, setsMax: 1 }))).toBe(
      `the log of the database cannot be archived into ${join(folder, 'wal')}: see postgres.log`,
    );
    expect(await setsIn(folder)).toEqual(namesOf(before));
    await chmod(join(folder, 'wal'), 0o700);
    const next = await backUp({ folder, setsMax: 1 });
    expect(await setsIn(folder)).toEqual(namesOf(next));
  });

  test('loses nothing while the folder is missing for a time', async () => {
    const folder = newFolder();
    await backUp({ folder });
    await rename(folder, `${folder}-away`);
    await write('while it was away');
    await switchLog();
    await expect
      .poll(() => query('select last_failed_time > last_archived_time from pg_stat_archiver'))
      .toEqual([true]);
    await rename(`${folder}-away`, folder);
    await archive(folder);
    expect(await restoredNotes({ folder })).toContain('while it was away');
  });
});

describe('a backup is refused', () => {
  test('into a folder with other things, within the data, or that is a file', async () => {
    const folder = newFolder();
    await mkdir(folder);
    const file = join(folder, 'mine.txt');
    await writeFile(file, '');
    expect(await refusal(backUp({ folder }))).toMatch(/ is not empty and holds no backups: /);
    expect(await readdir(folder)).toEqual(['mine.txt']);
    expect(await refusal(backUp({ folder: file }))).toMatch(/ is a file: name a folder for backups$/);
    expect(await refusal(backUp({ folder: join(home, 'postgres', 'new') }))).toMatch(/ is within the data: /);
  });

  test('into a folder of another database', async () => {
    const folder = newFolder();
    await mkdir(folder);
    await writeFile(join(folder, 'crossramp-backup.json'), '{"format":1,"systemIdentifier":"7"}');
    expect(await refusal(backUp({ folder }))).toMatch(/ holds the backups of another database \(7\): /);
  });

  test('into a folder that its server cannot enter or write to', async () => {
    const closed = newFolder();
    await mkdir(closed, { mode: isRoot ? 0o700 : 0o500 });
    expect(await refusal(backUp({ folder: join(closed, 'backups') }))).toMatch(
      isRoot
        ? / cannot enter .*: name another folder for backups$/
        : /: EACCES: permission denied.*run the command again$/,
    );
  });

  test('of a home without a database', async () => {
    expect(await refusal(backUp({ folder: newFolder(), home: newFolder() }))).toMatch(
      /^there is no database in /,
    );
  });
});
