/**
 * Goal: a command whose output has no reader, as before `| head`, ends without a complaint, and completes its work.
 * Method: real processes whose output is closed before they write.
 */
import { closeSync, openSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { begin, crossramp, ended, spawnTo } from '../support/process.ts';

const app = useApp();
const QUIET = { code: 0, stdout: '', stderr: '' };
let env: Record<string, string>;

beforeAll(() => {
  env = { DATABASE_URL: app.url };
});

/** Runs a command whose output is closed from the beginning. */
function unread(...args: string[]) {
  const { child, ended } = begin(env, ...args);
  child.stdout?.destroy();
  return ended;
}

test.each([
  'transaction list',
  'export --account sandbox',
  'records --month 2026-11',
  'account create --help',
])('"%s" ends without a complaint when its output is closed', async (words) => {
  expect(await unread(...words.split(' '))).toEqual(QUIET);
});

test('"events tail", which never ends by itself, ends without a complaint', async () => {
  const order = { amount_payment: 60, currency_exit_received_code: 'USDT_TRX', client_name: 'Ana' };
  expect((await app.post('/v2/onramp', { ...order, client_tax_id: '52998224725' })).status).toBe(201);
  const after = Buffer.from(`e1:${app.accountId}:0`).toString('base64url');
  const words = ['events', 'tail', '--base-url', app.baseUrl, '--key', app.apiKey, '--after', after];
  expect(await unread(...words)).toEqual(QUIET);
});

test('a command that writes to the database completes its work', async () => {
  expect(await unread('account', 'create', '--name', 'Unread')).toEqual(QUIET);
  expect((await crossramp(env, 'account', 'list')).stdout).toMatch(/ Unread$/m);
});

test('an import continues when no one reads its progress', async () => {
  const { accountId } = await app.addAccount();
  const words = ['import', 'docs/examples/history.ndjson', '--account', String(accountId), '--json'];
  const { child, ended } = begin(env, ...words);
  child.stderr?.destroy();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ transactions: { taken: 9 } });
});

test('a failed command reports it by its exit code', async () => {
  const { code, stderr } = await unread('transaction', 'show', 'CRX0');
  expect([code, stderr]).toEqual([1, 'crossramp: account sandbox has no transaction CRX0\n']);
});

test('a command whose output cannot be written does its work, and fails with one line', async () => {
  const file = openSync('/dev/full', 'w');
  const words = ['account', 'create', '--name', 'Full'];
  const child = spawnTo({ stdout: file, stderr: 'pipe' }, env, 'src/cli/main.ts', ...words);
  closeSync(file);
  const { code, stderr } = await ended(child);
  expect(stderr).toMatch(/^crossramp: the answer could not be written: ENOSPC[^\n]*\n$/);
  expect(code).toBe(1);
  expect((await crossramp(env, 'account', 'list')).stdout).toMatch(/ Full$/m);
});
