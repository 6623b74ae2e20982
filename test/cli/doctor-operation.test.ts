/**
 * Goal: `doctor` shows backlogs and the state of the server as the alerts do. Method: the command on a database as it is new, and on one
 * with a backlog and a small disk.
 */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();

async function checks(env: Record<string, string> = {}) {
  const { stdout } = await command(
    { DATABASE_URL: store.url, CROSSRAMP_HOME: tmpdir(), ...env },
    'doctor',
    '--json',
  );
  const found = JSON.parse(stdout) as { checks: { check: string; ok: boolean; detail: string }[] };
  return new Map(found.checks.map(({ check, ok, detail }) => [check, { ok, detail }]));
}

test('a new database is well', async () => {
  const found = await checks();
  expect(found.get('jobs of live accounts')).toEqual({ ok: true, detail: 'none is due' });
  expect(found.get('webhooks of live accounts')).toMatchObject({ ok: true });
  expect(found.get('connection slots')?.detail).toMatch(/^\d+ of \d+ are used$/);
  expect(found.get('statements')?.detail).toMatch(/the oldest transaction is open for \d+ s/);
  expect(found.get('event log')).toEqual({ ok: true, detail: expect.stringMatching(/next [12] months/) });
  expect(found.get('verify')).toEqual({ ok: true, detail: expect.stringMatching(/^has not begun/) });
  expect(found.get('disk')?.detail).toMatch(/GB are free at .*; the database has 0\.\d+ GB/);
});

test('the first defect that the verification has found is named', async () => {
  const account = String(await createAccount(store.database, 'Loja Verde', { templates: [], mode: 'live' }));
  await store.owner.query(
    `insert into verify_place (account_id, journal_id, lines, since, new_defects) values ($1, 1, '{}', now(), $2)`,
    [account, JSON.stringify([['broken chain', '7', 'starts from 1']])],
  );
  expect((await checks()).get('verify')).toEqual({
    ok: false,
    detail: expect.stringContaining(`1 defects, the first: account ${account}: broken chain: starts from 1`),
  });
});

test('a backlog and a database as large as its disk are named', async () => {
  const account = String(
    await createAccount(store.database, 'Loja Azul', { templates: ['onramp'], mode: 'live' }),
  );
  await store.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at, is_live, last_error, attempts)
     values ($1, 1, 'news', now() - interval '10 minutes', true, 'no answer', 3)`,
    [account],
  );
  const found = await checks({ DATABASE_DISK_GB: '0.001' });
  expect(found.get('jobs of live accounts')).toEqual({
    ok: false,
    detail: expect.stringMatching(/^1 due, the oldest for \d+ s; 1 failed three times or more/),
  });
  expect(found.get('jobs of sandbox accounts')).toMatchObject({ ok: true });
  expect(found.get('disk')).toEqual({ ok: false, detail: expect.stringContaining('of 0.001 GB') });
});
