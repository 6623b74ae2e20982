/** Goal: the process that holds the keys reaches few packages of npm, and a new one is seen. Method: the imports of its program, and the lock file. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importClosure } from '../../scripts/import-closure.ts';

const PASSKEYS = '@simplewebauthn/server';
const DIRECT = [
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip32',
  '@scure/bip39',
  PASSKEYS,
  'commander',
];
const ROOT = new URL('../../', import.meta.url);
const { packages: locked } = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as {
  packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
};

/** @returns places in `node_modules` of these packages, and of all that they depend on. */
function installed(names: readonly string[], from = '', found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const nested = `${from}/node_modules/${name}`;
    const path = from !== '' && locked[nested] ? nested : `node_modules/${name}`;
    if (found.has(path)) continue;
    found.add(path);
    installed(Object.keys(locked[path]?.dependencies ?? {}), path, found);
  }
  return found;
}

test('the program of the signer imports exactly these packages', () => {
  const { packages } = importClosure(fileURLToPath(new URL('src/cli/signer-main.ts', ROOT)));
  expect(packages).toEqual(DIRECT);
});

test('docs/signer.md has the number of packages of a signer installation', () => {
  const whole = installed(DIRECT).size;
  const without = installed(DIRECT.filter((name) => name !== PASSKEYS)).size;
  expect([without, whole]).toEqual([6, 31]);
  const text = readFileSync(new URL('docs/signer.md', ROOT), 'utf8').replace(/\s+/g, ' ');
  expect(text).toContain(`${without} packages`);
  expect(text).toContain(`${whole} packages`);
});
