/**
 * Goal: who has an old Node gets one line that says what to do, and `npm ci` under it is silent: npm would warn about every package that
 * asks for the newer Node. Method: the check in a process that says to be of another version; the settings of npm, read.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Runs the check in a process whose Node says that it is this version. */
function check(version: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const versions = `{ ...process.versions, node: '${version}' }`;
  const claim = `data:text/javascript,Object.defineProperty(process, 'versions', { value: ${versions} })`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', claim, pathOf('scripts/check-node.js')],
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

test.each([
  '18.20.8',
  '20.20.2',
  '23.11.1',
  '24.11.1',
])('Node %s is too old: one line says so', async (version) => {
  const stderr = `crossramp: Node 24.12 or newer is needed, this is ${version}. On Linux "npm ci" of the gateway brings one along; elsewhere install it from https://nodejs.org.\n`;
  expect(await check(version)).toEqual({ code: 1, stdout: '', stderr });
});

test.each([
  '24.12.0',
  '24.21.0',
  '25.0.0',
  process.versions.node,
])('Node %s is taken in silence', async (version) => {
  expect(await check(version)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('npm shows only errors, and runs no script of a package', () => {
  const lines = readFileSync(pathOf('.npmrc'), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['loglevel=error', 'ignore-scripts=true']));
});
