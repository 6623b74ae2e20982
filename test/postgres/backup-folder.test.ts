/**
 * Goal: a backup goes into its own folder only, and removes nothing that another one needs. Method: folders that are gone, have the log of
 * another server, or sets of another clock or timeline.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checksumOf, copyFile } from '../../src/postgres/backup/copy-files.ts';
import { endArchiving } from '../../src/postgres/backup/create-backup.ts';
import { type Manifest, manifestText, readManifest } from '../../src/postgres/backup/manifest.ts';
import { EmbeddedPostgresError } from '../../src/postgres/embedded-postgres.ts';
import { segmentAfter } from '../../src/postgres/wal-archive.ts';
import { refusal, setsIn, useBackups } from './backups.ts';

const isRoot = process.getuid?.() === 0;
const { home, newFolder, query, write, backUp, archive, restoredNotes } = useBackups();

/** Writes a manifest anew. */
async function change(path: string, values: Partial<Manifest>): Promise<void> {
  const file = join(path, 'manifest.json');
  await writeFile(file, manifestText({ ...(await readManifest(file)), ...values }));
}

describe('a folder that is archived into', () => {
  test('is not created again while its disk is not mounted', async () => {
    const folder = newFolder();
    await backUp({ folder });
    await rename(folder, `${folder}-away`);
    expect(await refusal(backUp({ folder }))).toBe(
      `${folder} is not mounted or was deleted: mount it, or run "crossramp backup --off" to start again`,
    );
    expect(existsSync(folder)).toBe(false);
    expect(await endArchiving(home)).toBe(folder);
    await backUp({ folder });
    expect(await setsIn(folder)).toHaveLength(1);
  });
});

describe('the log of another server', () => {
  test('is not treated as its own: a later file in it is refused', async () => {
    const folder = newFolder();
    const { path } = await backUp({ folder });
    const [current] = await query('select pg_walfile_name(pg_current_wal_insert_lsn())');
    const file = join(folder, 'wal', `${segmentAfter(segmentAfter(String(current)))}.gz`);
    await writeFile(file, 'of another server');
    expect(await refusal(backUp({ folder }))).toBe(
      `${folder} has the log of another server: ${file} is not written here yet. Name another folder`,
    );
    expect(await setsIn(folder)).toEqual([basename(path)]);
    await rm(file);
    await backUp({ folder });
  });

  test('is refused by its timeline', async () => {
    const folder = newFolder();
    const { path } = await backUp({ folder });
    await change(path, { timeline: 7 });
    expect(await refusal(backUp({ folder }))).toBe(
      `${folder} has backups of timeline 7, and the database is on 1, as after a restore: name another folder`,
    );
  });
});

describe('--keep', () => {
  test('orders by the log and not by the clock, and leaves the log that a backup needs', async () => {
    const folder = newFolder();
    const first = await backUp({ folder });
    await write('before the second');
    // A clock that was ahead.
    const ahead = join(folder, 'base', '29990101T000000.000Z');
    await rename(first.path, ahead);
    await change(ahead, { endedAt: '2999-01-01T00:00:00.000Z' });
    const second = await backUp({ folder, setsMax: 1 });
    expect(second.removed).toEqual([basename(ahead)]);
    expect(await setsIn(folder)).toEqual([basename(second.path)]);
    await archive(folder);
    expect(await restoredNotes({ folder })).toContain('before the second');
  });

  test('leaves all log from the earliest start of a stored backup on', async () => {
    const folder = newFolder();
    const first = await backUp({ folder });
    const second = await backUp({ folder });
    const third = await backUp({ folder, setsMax: 2 });
    expect(third.removed).toEqual([basename(first.path)]);
    const wal = await readdir(join(folder, 'wal'));
    expect(wal).toContain(`${second.manifest.startWal}.gz`);
    expect(wal).not.toContain(`${first.manifest.startWal}.gz`);
  });

  test('reports a backup that cannot be read, and neither removes anything nor ends archiving', async () => {
    await endArchiving(home);
    const folder = newFolder();
    const first = await backUp({ folder });
    await endArchiving(home);
    const whole = await readFile(join(first.path, 'manifest.json'));
    await writeFile(join(first.path, 'manifest.json'), '{');
    expect(await refusal(backUp({ folder, setsMax: 1 }))).toMatch(
      /\/base\/\S+ is complete, and no other backup was removed: the manifest \S+ is damaged$/,
    );
    expect(await setsIn(folder)).toHaveLength(2);
    await writeFile(join(first.path, 'manifest.json'), whole);
    expect(await endArchiving(home)).toBe(folder);
  });
});

test('a second parallel backup of the home is refused', async () => {
  const folder = newFolder();
  let second: Promise<string> | undefined;
  await backUp({
    folder,
    onProgress: () => {
      second ??= refusal(backUp({ folder: newFolder() }));
    },
  });
  expect(await second).toBe(`another backup of ${home} is running: wait until it has ended`);
  expect(await endArchiving(home)).toBe(folder);
});

test('a failed backup continues archiving into a folder that has one', async () => {
  const folder = newFolder();
  await backUp({ folder });
  await endArchiving(home);
  const stopped = backUp({
    folder,
    onProgress: () => {
      throw new EmbeddedPostgresError('stopped here');
    },
  });
  expect(await refusal(stopped)).toBe('stopped here');
  expect(await endArchiving(home)).toBe(folder);
});

describe('files that the server could change', () => {
  test.runIf(isRoot)('are the archived log alone, if root makes the backups', async () => {
    const folder = newFolder();
    const { path } = await backUp({ folder });
    const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8);
    const owned = [folder, join(folder, 'base'), path, join(path, 'data'), join(path, 'data/PG_VERSION')];
    for (const name of owned) expect([name, (await stat(name)).uid]).toEqual([name, 0]);
    expect(await Promise.all([...owned, join(folder, 'wal')].map(modeOf))).toEqual([
      '711',
      '700',
      '700',
      '700',
      '600',
      '700',
    ]);
    expect((await stat(join(folder, 'wal'))).uid).not.toBe(0);
  });

  test('are copied to new names, and no link is followed', async () => {
    const [file, link] = [newFolder(), newFolder()];
    await writeFile(file, 'mine');
    await symlink(file, link);
    await expect(copyFile(link, newFolder(), undefined)).rejects.toMatchObject({ code: 'ELOOP' });
    const other = newFolder();
    await writeFile(other, 'other');
    await expect(copyFile(other, link, undefined)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(checksumOf(link)).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});
