/**
 * Goal: `crossramp key` refuses the same times as GraphQL, and writes nothing then (C-40). Method: the commands, on a
 * database.
 */
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const run = (...args: string[]) => command({ DATABASE_URL: store.url }, ...args, '--json');
const json = async (...args: string[]) => JSON.parse((await run(...args)).stdout);
const account = async () => (await json('account', 'create', '--name', 'Shop')).accountId as string;

test('C-40: the expiry of a key must be in the future', async () => {
  const owner = ['--account', await account()];
  const create = ['key', 'create', ...owner, '--scopes', 'read', '--expires'];
  expect(await run(...create, '2020-01-01T00:00:00Z')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'crossramp: --expires: must be in the future\n',
  });
  expect(await json('key', 'list', ...owner)).toEqual([]);
  expect(await json(...create, '30m')).toEqual({ keyId: expect.any(String), apiKey: expect.any(String) });
}, 60_000);

test('C-40: a rotated key stays valid for 30 days at most', async () => {
  const owner = ['--account', await account()];
  const { keyId } = await json('key', 'create', ...owner, '--scopes', 'read');
  for (const overlap of ['31d', '721h', '99999d'])
    expect(await run('key', 'rotate', keyId, '--overlap', overlap)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Expected a duration such as 1d, 12h, 30m, of at most 30d.'),
    });
  expect(await json('key', 'list', ...owner)).toMatchObject([{ keyId, expiresAt: null }]);
  expect(await json('key', 'rotate', keyId, '--overlap', '30d')).toEqual({
    keyId: expect.any(String),
    apiKey: expect.any(String),
  });
}, 60_000);
