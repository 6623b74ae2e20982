/**
 * Goal: tools of others read the interfaces of the gateway without errors, and what they generate compiles and works. Method: programs of
 * test/tools in processes of their own, with the modules of its own package.json: they are installed by TOOLS_TEST=1, or by `npm ci` in
 * that folder; nothing is fetched after that. Clients are generated from the document that a gateway serves, and each makes a checkout.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from './support/app.ts';
import { hasModules, TOOLS } from './support/tools.ts';

const TIMEOUT = 500_000;

/** Runs a program of that folder beside the gateway of this process. @returns what it printed, with its errors where it failed. */
async function run(program: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: TOOLS,
    env: { ...process.env, ...env },
    timeout: TIMEOUT,
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return (await ended) === 0 ? out : `failed: ${out}${errors}`;
}

describe.skipIf(!hasModules(TOOLS))('tools of others', () => {
  const app = useApp();

  test('graphql-eslint, composition, inspector and linters find no errors', {
    timeout: TIMEOUT,
  }, async () => {
    expect(await run('read.js', [], { BASE_URL: app.baseUrl })).not.toMatch(/failed|\d errors/);
  });

  describe('clients by generators', () => {
    beforeAll(async () => {
      expect(await run('generate.js', [], { BASE_URL: app.baseUrl })).not.toContain('failed');
    }, TIMEOUT);

    test('compile', { timeout: TIMEOUT }, async () => {
      expect(await run('node_modules/typescript/bin/tsc', ['-p', '.'])).toBe('');
    });

    test.each([
      'hey-api',
      'kubb',
      'openapi-typescript',
      'orval',
    ])('%s creates a checkout and reads it', async (name) => {
      const env = { BASE_URL: app.baseUrl, API_KEY: app.apiKey };
      const printed = await run(`calls/${name}.ts`, [], env);
      const { json } = await app.get(`/v2/crossramp_checkouts?external_code=${name}`);
      expect([printed]).toEqual(json.results.map(({ end2end }: { end2end: string }) => `${end2end} ${name}`));
    });
  });
});
