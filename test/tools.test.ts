/**
 * Goal: tools of others read the interfaces of the gateway without errors. Method: test/tools/read.js in a process of its own, with the
 * modules of its own package.json: they are installed by TOOLS_TEST=1, or by `npm ci` in that folder; nothing is fetched after that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('tools/', import.meta.url));
const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8', timeout: 500_000 });

if (process.env.TOOLS_TEST === '1') run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');

test.skipIf(!existsSync(`${FOLDER}node_modules`))(
  'graphql-eslint, composition, generators and linters find no errors',
  { timeout: 500_000 },
  () => {
    const { status, stdout, stderr } = run(process.execPath, 'read.js');
    expect(status, stdout + stderr).toBe(0);
  },
);
