/** Goal: keys and the link of the console are printed to a terminal only (C-40). */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { banner } from '../../../src/server/process/banner.ts';

const sandbox = {
  baseUrl: 'http://127.0.0.1:4000',
  graphqlUrl: 'http://127.0.0.1:4000/graphql',
  apiKey: 'the api key',
  platformKey: 'the platform key',
  accountId: '1',
  isNewKey: true,
  isNewPlatformKey: true,
  paths: { json: '/home/sandbox.json', header: '/home/sandbox.header' },
  holder: undefined,
  release: () => {},
};
const config = readConfig({});

test('a terminal sees each key once, and the link', () => {
  const text = banner({
    config,
    sandbox,
    entrance: 'http://localhost:4000/console/link/x',
    isTerminal: true,
  });
  for (const shown of ['the api key', 'the platform key', '/console/link/x'])
    expect(text.split(shown)).toHaveLength(2);
});

test('a pipe sees where the keys are, and how to get a link', () => {
  const text = banner({ config, sandbox, entrance: undefined, isTerminal: false });
  expect(text).not.toMatch(/the (api|platform) key/);
  expect(text).toContain('API key   in /home/sandbox.json');
  expect(text).toContain('person link');
});

test('the commands for another shell name the home, unless it is the usual one', () => {
  const of = (json: string) =>
    banner({
      config,
      sandbox: { ...sandbox, paths: { ...sandbox.paths, json } },
      entrance: undefined,
      isTerminal: true,
    });
  expect(of('/home/sandbox.json')).toContain('CROSSRAMP_HOME=/home npm run -s crossramp -- events tail');
  expect(of(resolve('.crossramp/sandbox.json'))).not.toContain('CROSSRAMP_HOME');
});
