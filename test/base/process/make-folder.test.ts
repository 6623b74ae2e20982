/** Goal: a folder is there afterwards, or an error says why not. Method: folders of the system's own, for a moment. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../src/base/process/make-folder.ts';
import { command } from '../../support/command.ts';

test('a folder is created with its parents, for its owner alone if requested; a repetition changes nothing', () => {
  const home = mkdtempSync(join(tmpdir(), 'make-folder-'));
  try {
    for (const _ of [1, 2]) makeFolder(join(home, 'a', 'b'), 0o700);
    for (const each of ['a', 'a/b']) expect(statSync(join(home, each)).mode & 0o777).toBe(0o700);
    writeFileSync(join(home, 'file'), '');
    expect(() => makeFolder(join(home, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(home, 'file', 'c'))).toThrow('ENOTDIR');
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('a PSP whose folder cannot be created reports it in one line', async () => {
  const ended = await command({}, 'psp', '--home', '/proc/nowhere/psp', '--port', '1', '--control-port', '0');
  expect(ended.code).not.toBe(0);
  expect([ended.stdout, ended.stderr]).toEqual([
    '',
    expect.stringMatching(/^crossramp: .*\/proc\/nowhere.*\n$/),
  ]);
});
