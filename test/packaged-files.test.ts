/**
 * Goal: no secret that lies beside the sources gets into the package or the image. Method: the list of packaged files is made of
 * copies of the packaged folders with secrets among them, with git and without; the patterns of `.dockerignore` are matched as Docker does.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COPIED, packagedFiles } from '../scripts/packaged-files.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SECRETS = [
  'deploy/compose/.env',
  'deploy/compose/.env.live',
  'deploy/systemd/gateway.key',
  'docs/console/bank.p12',
  'docs/bank.pfx',
  'src/console/island/chain.pem',
  'prisma/migrations/.env',
];
/** Not a secret by its name. */
const NOTES = 'deploy/compose/live.yml';
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
const tracked = git(ROOT, 'ls-files', '-z').split('\0').filter(Boolean);
const inCopied = (path: string) => COPIED.some((each) => path === each || path.startsWith(`${each}/`));

const place = mkdtempSync(join(tmpdir(), 'crossramp-packaged-'));
beforeAll(() => {
  for (const path of tracked.filter(inCopied)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    cpSync(join(ROOT, path), join(place, path));
  }
});
afterAll(() => rmSync(place, { recursive: true }));

describe('the package', () => {
  test('of a tree without git has every file of the project, and none of another kind', () => {
    for (const path of SECRETS) writeFileSync(join(place, path), 'secret');
    const installed = join(place, 'examples/react/node_modules');
    mkdirSync(installed);
    writeFileSync(join(installed, 'index.js'), '');
    expect(packagedFiles(place)).toEqual(tracked.filter(inCopied).toSorted());
    rmSync(installed, { recursive: true });
  });

  test('of a checkout has tracked files alone', () => {
    for (const path of SECRETS) rmSync(join(place, path));
    git(place, 'init', '--quiet');
    git(place, 'add', '--all');
    for (const path of [...SECRETS, NOTES]) writeFileSync(join(place, path), 'secret');
    expect(packagedFiles(place)).toEqual(tracked.filter(inCopied).toSorted());
  });
});

describe('.dockerignore', () => {
  const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  /** The last pattern that fits the path or a folder of it decides. */
  const isIgnored = (path: string) => {
    const parts = path.split('/');
    const paths = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
    return patterns.reduce((isLeftOut, pattern) => {
      const isExcepted = pattern.startsWith('!');
      const glob = isExcepted ? pattern.slice(1) : pattern;
      return paths.some((each) => matchesGlob(each, glob)) ? !isExcepted : isLeftOut;
    }, false);
  };

  test('keeps keys and environments of every folder out of the image', () => {
    const secrets = [
      ...SECRETS,
      '.env',
      '.env.live',
      'gateway.key',
      '.crossramp/sandbox.json',
      '.git/config',
    ];
    expect(secrets.filter((path) => !isIgnored(path))).toEqual([]);
  });

  test('lets every file of the package through', () => {
    expect(tracked.filter(inCopied).filter(isIgnored)).toEqual([]);
    expect(tracked.filter((path) => path.startsWith('src/') && isIgnored(path))).toEqual([]);
  });
});
