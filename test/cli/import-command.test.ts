/**
 * `crossramp import` as a process: it reports its progress, and Ctrl-C stops both the process and its statement in the
 * database.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { begin, crossramp } from '../support/process.ts';
import { transaction } from '../support/records.ts';

const test = useDatabase();
const { home, remove } = newHome();
afterAll(remove);
const path = join(home, 'history.ndjson');
const environment = () => ({ CROSSRAMP_HOME: home, DATABASE_URL: test.url });
const newAccount = () => createAccount(test.database, 'Holder', { templates: [] });
const write = (count: number) =>
  writeFileSync(path, Array.from({ length: count }, () => `${transaction('onramp')}\n`).join(''));
const stored = async (accountId: bigint) =>
  (await test.owner.query('select count(*)::int as n from transaction where account_id = $1', [accountId]))
    .rows[0].n;

it('--json writes progress lines to standard error and one value to standard output', async () => {
  write(2_500);
  const accountId = await newAccount();
  const { code, stdout, stderr } = await crossramp(
    environment(),
    ...['import', path, '--account', String(accountId), '--json'],
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    transactions: { taken: 2_500, known: 0 },
    entries: { taken: 0, known: 0 },
  });
  const [first] = stderr.trim().split('\n');
  expect(JSON.parse(first as string)).toEqual({ progress: { phase: 'reading', done: 1_000, of: null } });
});

it('C-70: import waits for another writer of the account, reports the wait, and continues', async () => {
  write(10);
  const accountId = await newAccount();
  const holder = await test.owner.connect();
  try {
    await holder.query('begin');
    await holder.query('select from account_head where account_id = $1 for update', [accountId]);
    const { child, ended } = begin(environment(), 'import', path, '--account', String(accountId), '--json');
    let said = '';
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (chunk) => {
        said += chunk;
        if (said.includes('waiting')) resolve();
      });
      child.once('exit', () => resolve());
    });
    const last = said.trim().split('\n').at(-1) as string;
    expect(JSON.parse(last)).toEqual({ progress: { phase: 'waiting', done: expect.any(Number), of: null } });
    await holder.query('rollback');
    expect(await ended).toMatchObject({ code: 0 });
  } finally {
    holder.release();
  }
  expect(await stored(accountId)).toBe(10);
});

it('import is silent if standard error is no terminal', async () => {
  write(10);
  const accountId = await newAccount();
  const { code, stderr } = await crossramp(environment(), 'import', path, '--account', String(accountId));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the import with %i: its statement is cancelled, and nothing is imported', async (signal, exitCode) => {
  write(10);
  const accountId = await newAccount();
  const holder = await test.owner.connect();
  try {
    await holder.query('begin');
    await holder.query('select from account_head where account_id = $1 for update', [accountId]);
    const { child, ended } = begin(environment(), 'import', path, '--account', String(accountId));
    const waiting = () =>
      test.owner.query(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
    while ((await waiting()).rows.length === 0) expect(child.exitCode, 'it waits for the account').toBe(null);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout, stderr }).toEqual({
      code: exitCode,
      stdout: '',
      stderr: `crossramp: stopped by ${signal}: nothing was taken\n`,
    });
    // The lock is still held, so only the cancellation can have ended the statement.
    expect((await waiting()).rows).toEqual([]);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await stored(accountId)).toBe(0);
});
