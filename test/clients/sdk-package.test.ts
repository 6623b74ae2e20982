/**
 * Goal: the TypeScript client is small, installs from its tarball without network, and its README is true. Method: it is built, packed and
 * installed into a folder of its own; the examples of the README are checked by the compiler there, and run against the gateway.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signV1 } from '../../src/webhooks/sign.ts';
import { useApp } from '../support/app.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GZIPPED_MAX = 6 * 1_024;
const PAID = /pays at http\S+\n\d+\.\d+ USDT for order-1\n$/;
const run = promisify(execFile);
const app = useApp();
const place = mkdtempSync(join(tmpdir(), 'crossramp-sdk-'));
const built = join(place, 'sdk');
const shop = join(place, 'shop');
let key: string;
const tool = (name: string) => join(ROOT, 'node_modules/.bin', name);
/** Environment of npm: nothing of it goes to a registry. */
const env = {
  ...process.env,
  npm_config_offline: 'true',
  npm_config_cache: join(place, 'cache'),
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
};

beforeAll(async () => {
  // A copy, so that the folder of the sources stays as it is.
  cpSync(join(ROOT, 'packages/sdk'), join(built, 'packages/sdk'), {
    recursive: true,
    filter: (path) => !path.endsWith('/dist'),
  });
  cpSync(join(ROOT, 'tsconfig.json'), join(built, 'tsconfig.json'));
  const cwd = join(built, 'packages/sdk');
  await run('npm', ['run', '-s', 'build'], { cwd, env });
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd, env });
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  await run('npm', ['install', '--silent', join(cwd, stdout.trim())], { cwd: shop, env });
  key = (await app.addAccount()).apiKey;
  for (const [index, text] of examples().entries()) {
    const here = text.replaceAll('http://localhost:4000', app.baseUrl).replaceAll('crx_test_…', key);
    writeFileSync(join(shop, `example-${index}.ts`), here);
  }
}, 240_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Code of the README, in its order. */
function examples(): string[] {
  const text = readFileSync(join(ROOT, 'packages/sdk/README.md'), 'utf8');
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
}
const installed = () => join(shop, 'node_modules/@crossramp/sdk');
const TITLES = ['checkout', 'list', 'once', 'refusals', 'graphql', 'events', 'webhook'];

test('has no dependencies, and needs at most 6 kB', () => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed(), 'package.json'), 'utf8'),
  );
  expect([dependencies, devDependencies, peerDependencies]).toEqual([undefined, undefined, undefined]);
  const dist = join(installed(), 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const text = files.map((name) => readFileSync(join(dist, name), 'utf8')).join('');
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(GZIPPED_MAX);
  // Web APIs only.
  expect(text).not.toMatch(/\b(?:node:|require\(|process\.|Buffer\b)/);
});

test('the gateway does not depend on it', () => {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('@crossramp/sdk');
});

test('the examples have their types', async () => {
  expect(examples().length).toBe(TITLES.length);
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ];
  const files = TITLES.map((_, index) => `example-${index}.ts`);
  const { stdout } = await run(
    tool('tsc'),
    [...options, '--lib', 'es2022,dom,dom.iterable', '--types', '', ...files],
    {
      cwd: shop,
    },
  ).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test('docs/sdk.md has the first example', () => {
  expect(readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8')).toContain(examples()[0]);
});

describe('examples run', () => {
  const output = async (index: number) => {
    const { stdout, stderr } = await run(process.execPath, [`example-${index}.ts`], { cwd: shop });
    return stdout + stderr;
  };

  test('to a paid checkout', async () => {
    expect(await output(0)).toMatch(PAID);
  });

  test('over lists', async () => {
    expect(await output(1)).toMatch(/^1 CRX\w+ \w+ 150\n$/);
  });

  test('for one order under a key of the caller', async () => {
    const count = async () => (await app.get('/v2/crossramp_checkouts', { key })).json.total;
    const before = await count();
    for (let n = 0; n < 2; n++) expect(await output(2)).toBe('');
    expect(await count()).toBe(before + 1);
  });

  test('to a refusal with its facts', async () => {
    expect(await output(3)).toBe('TRANSACTION 1 50000\n');
  });

  test('over GraphQL', async () => {
    expect(await output(4)).toMatch(/^http\S+ CRX\w+ .+\n\d+\n$/);
  });

  test('over events, until the signal', async () => {
    expect(await output(5)).toMatch(/^(\w+\.\w+\.\w+ CRX\w+\n)+$/);
  });

  test('to an authentic webhook', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const file = join(shop, 'webhook.ts');
    writeFileSync(file, readFileSync(join(shop, 'example-6.ts'), 'utf8').replace('whsec_…', secret));
    const { receive } = await import(pathToFileURL(file).href);
    const body = '{"end2end":"CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ","state":"PAID"}';
    const seconds = Math.floor(Date.now() / 1_000);
    const request = (signature: string) =>
      new Request('http://localhost/hook', {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'evt_1_x',
          'webhook-timestamp': String(seconds),
          'webhook-signature': signature,
        },
      });
    expect((await receive(request(signV1(secret, 'evt_1_x', seconds, body)))).status).toBe(204);
    expect((await receive(request('v1,AAAA'))).status).toBe(400);
  });
});
