/**
 * Goal: a restore touches nothing but what is its own, and says what to do where it cannot go on. Method: homes with planted files, and
 * a backup that is damaged beside one that is whole.
 */
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupReport } from '../../src/postgres/backup/create-backup.ts';
import { refusal, useBackups } from './backups.ts';

const isRoot = process.getuid?.() === 0;
const { home, newFolder, query, write, backUp, restore, notesIn } = useBackups();
const folder = newFolder();
let backup: BackupReport;
beforeAll(async () => {
  const keyFile = newFolder();
  await writeFile(keyFile, 'the key');
  await write('a');
  backup = await backUp({ folder, secretsKeyFile: keyFile });
});

describe('the mark of a restore that was cut off', () => {
  test('is not followed to the data of another home', async () => {
    const target = newFolder();
    await mkdir(target);
    const mark = join(target, 'postgres.restoring');
    const advice = 'move the folder away, or set CROSSRAMP_HOME to a new one';
    for (const text of [JSON.stringify({ place: home }), '{"place":', '{"place":7}', 'null']) {
      await writeFile(mark, text);
      expect(await refusal(restore({ folder, home: target }))).toBe(`${mark} is damaged: ${advice}`);
      expect(await readdir(target)).toEqual(['postgres.restoring']);
    }
    expect(await query('select count(*) > 0 from note')).toEqual([true]);
    await writeFile(mark, JSON.stringify({ place: target }));
    await restore({ folder, home: target });
    expect(await notesIn(target)).toContain('a');
  });
});

describe('a home is refused', () => {
  test('when others can write to it', async () => {
    const target = newFolder();
    await mkdir(target);
    await chmod(target, 0o777);
    expect(await refusal(restore({ folder, home: target }))).toBe(
      `others can write to ${target}: run chmod go-w on it, or set CROSSRAMP_HOME to a new folder`,
    );
    expect(await readdir(target)).toEqual([]);
  });

  test.runIf(isRoot)('when it belongs to another user', async () => {
    const target = newFolder();
    await mkdir(target);
    await chown(target, 1, 1);
    expect(await refusal(restore({ folder, home: target }))).toBe(
      `${target} belongs to another user (uid 1): run the command as this user, or set CROSSRAMP_HOME to a new folder`,
    );
  });

  test('when the folder of the data is not empty', async () => {
    const target = newFolder();
    const rescued = join(target, 'postgres', 'base');
    await mkdir(rescued, { recursive: true });
    expect(await refusal(restore({ folder, home: target }))).toMatch(` has a database: `);
    expect(existsSync(rescued)).toBe(true);
  });

  test('when the key file cannot be put back', async () => {
    const target = newFolder();
    const secretsKeyFile = join(newFolder(), 'secrets.key');
    expect(await refusal(restore({ folder, home: target, secretsKeyFile }))).toMatch(
      /^the key file of the backup cannot be put back to \S+\/secrets\.key: ENOENT.*: make its folder, or change SECRETS_KEY_FILE$/,
    );
    expect(await readdir(target)).toEqual([]);
  });
});

test('a planted draft of the passwords is not written through', async () => {
  const target = newFolder();
  const other = newFolder();
  await mkdir(target);
  await writeFile(other, 'mine');
  await symlink(other, join(target, 'postgres.json.draft'));
  await restore({ folder, home: target, secretsKeyFile: join(target, 'secrets.key') });
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await readdir(target)).sort()).toEqual(['postgres', 'postgres.json', 'secrets.key']);
});

test('a damaged backup names the path of the previous one', async () => {
  await write('b');
  const newest = await backUp({ folder });
  const file = join(newest.path, 'data/PG_VERSION');
  await appendFile(file, ' ');
  const advice = `: move ${newest.path} out of base to restore from the one before it, and the log`;
  expect(await refusal(restore({ folder }))).toBe(
    `the backup is damaged: ${file} differs from its manifest${advice}`,
  );
  const manifest = join(newest.path, 'manifest.json');
  await writeFile(manifest, '{');
  expect(await refusal(restore({ folder }))).toBe(`the manifest ${manifest} is damaged${advice}`);
  await rename(newest.path, newFolder());
  const target = newFolder();
  expect(await restore({ folder, home: target })).toMatchObject({ from: backup.path });
  expect(await notesIn(target)).toEqual(['a', 'b']);
});
