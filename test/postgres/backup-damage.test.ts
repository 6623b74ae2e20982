/**
 * Goal: a restore gives what was backed up, or names what is wrong and changes nothing. Method: one backup of a small embedded server,
 * damaged and healed; homes and times that cannot be.
 */
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupReport } from '../../src/postgres/backup/create-backup.ts';
import { refusal, useBackups } from './backups.ts';

const { home, newFolder, query, write, backUp, archive, restore, notesIn, restoredNotes } = useBackups();
const folder = newFolder();
let backup: BackupReport;
beforeAll(async () => {
  await write('a');
  backup = await backUp({ folder });
});

describe('the manifest', () => {
  /** Damages a file of the backup, restores in vain, and heals it. @returns the refusal, with the path of the backup left out. */
  async function afterDamage(path: string, damage: (file: string) => Promise<unknown>): Promise<string> {
    const file = join(backup.path, path);
    const whole = existsSync(file) ? await readFile(file) : undefined;
    await damage(file);
    const target = newFolder();
    const text = await refusal(restore({ folder, home: target }));
    await (whole ? writeFile(file, whole) : rm(file));
    expect(existsSync(target) ? await readdir(target) : []).toEqual([]);
    return text.replace(`${backup.path}/`, '');
  }

  test.each([
    'data/PG_VERSION',
    'data/global/pg_control',
    'postgres.json',
  ])('refuses a %s of another size', async (path) => {
    const text = await afterDamage(path, (file) => appendFile(file, ' '));
    expect(text).toBe(`the backup is damaged: ${path} differs from its manifest`);
  });

  test('refuses a file of the same size with another content', async () => {
    const path = 'data/global/pg_filenode.map';
    const text = await afterDamage(path, async (file) => {
      const bytes = await readFile(file);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      await writeFile(file, bytes);
    });
    expect(text).toBe(`the backup is damaged: ${path} differs from its manifest`);
  });

  test('refuses a missing file', async () => {
    const text = await afterDamage('data/postgresql.conf', (file) => rm(file));
    expect(text).toBe('the backup is damaged: data/postgresql.conf is missing');
  });

  test.each(['data/standby.signal', 'data/base/999999', 'notes.txt'])('refuses an added %s', async (path) => {
    const text = await afterDamage(path, (file) => writeFile(file, 'added'));
    expect(text).toBe(`the backup is damaged: ${path} is not in its manifest`);
  });

  test('refuses a change of its own text, and a backup without one', async () => {
    const changed = await afterDamage('manifest.json', async (file) =>
      writeFile(file, (await readFile(file, 'utf8')).replace('"size": 3', '"size": 4')),
    );
    expect(changed).toBe('the manifest manifest.json is damaged: its checksum differs');
    expect(await afterDamage('manifest.json', (file) => truncate(file, 100))).toBe(
      'the manifest manifest.json is damaged',
    );
    expect(await afterDamage('manifest.json', (file) => rm(file))).toBe(
      'the manifest manifest.json cannot be read (ENOENT): the backup is not complete',
    );
  });

  test('refuses a change of the log that the backup needs', async () => {
    const path = `../../${backup.manifest.wal[0]?.path}`;
    expect(await afterDamage(path, (file) => appendFile(file, ' '))).toMatch(
      /wal\/\w+\.gz differs from its manifest$/,
    );
    expect(await afterDamage(path, (file) => rm(file))).toMatch(/wal\/\w+\.gz is missing$/);
  });

  test('accepts the healed backup', async () => {
    expect(await restoredNotes({ folder })).toEqual(['a']);
  });
});

describe('the archive', () => {
  test('is refused for a time before it, and for one after it when it has no change', async () => {
    const { endedAt } = backup.manifest;
    expect(await refusal(restore({ folder, until: '2020-01-01T00:00:00.000Z' }))).toBe(
      `--until 2020-01-01T00:00:00.000Z is before the end of the oldest backup: the earliest time that can be restored is ${endedAt}`,
    );
    expect(await refusal(restore({ folder, until: '2999-01-01T00:00:00.000Z' }))).toBe(
      `--until 2999-01-01T00:00:00.000Z is after the end of the archive, which has no change after ${endedAt}: leave --until out`,
    );
  });

  test('names the range for a time after it, and its ends can be restored', async () => {
    await write('b');
    await archive(folder);
    const text = await refusal(restore({ folder, until: '2999-01-01T00:00:00.000Z' }));
    const [, from = '', to = ''] =
      /after the end of the archive: name a time from (\S+) to (\S+), or leave --until out$/.exec(text) ?? [];
    expect(from).toBe(backup.manifest.endedAt);
    expect(await restoredNotes({ folder, until: from })).toEqual(['a']);
    // The last change was made within the millisecond after it.
    expect(await restoredNotes({ folder, until: to })).toEqual(['a']);
  });

  test('is refused if it has a gap, or a file that cannot be read', async () => {
    await write('c');
    const name = await archive(folder);
    await archive(folder);
    const path = join(folder, 'wal', `${name}.gz`);
    const whole = await readFile(path);
    await truncate(path, 100);
    expect(await refusal(restore({ folder }))).toBe(
      `the archive is damaged: ${name}.gz cannot be read. Restore to a time before it with --until, or put a copy of it back`,
    );
    await rm(path);
    expect(await refusal(restore({ folder }))).toMatch(`the archive has a gap: ${name}.gz is missing`);
    await writeFile(path, whole);
    expect(await restoredNotes({ folder })).toEqual(['a', 'b', 'c']);
  });
});

describe('a restore is refused', () => {
  test('into a home whose server runs, or that has a database', async () => {
    const advice = 'stop its gateway and move the folder away, or set CROSSRAMP_HOME to a new one';
    expect(await refusal(restore({ folder, home }))).toBe(`${home} has a database: ${advice}`);
    expect(await query('select count(*) > 0 from note')).toEqual([true]);
    const stopped = newFolder();
    await restore({ folder, home: stopped });
    expect(await refusal(restore({ folder, home: stopped }))).toBe(`${stopped} has a database: ${advice}`);
    expect(await notesIn(stopped)).toContain('a');
  });

  test('from a folder that has no backups', async () => {
    expect(await refusal(restore({ folder: home }))).toMatch(/ is no folder of backups: /);
    expect(await refusal(restore({ folder: newFolder() }))).toMatch(/ is no folder of backups: /);
  });
});
