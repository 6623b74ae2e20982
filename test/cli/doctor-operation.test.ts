/**
 * Goal: `doctor` shows backlogs and the state of the server as the alerts do. Method: the command on a new database,
 * and on one with a backlog and a small disk.
 */
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';

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

test('a new database passes all checks', async () => {
  const found = await checks();
  expect(found.get('jobs of live accounts')).toEqual({ ok: true, detail: 'none is due' });
  expect(found.get('webhooks of live accounts')).toMatchObject({ ok: true });
  expect(found.get('connection slots')?.detail).toMatch(/^\d+ of \d+ are used$/);
  expect(found.get('statements')?.detail).toMatch(/the oldest transaction is open for \d+ s/);
  expect(found.get('event log')).toEqual({ ok: true, detail: expect.stringMatching(/next [12] months/) });
  expect(found.get('verify')).toEqual({ ok: true, detail: expect.stringMatching(/^has not begun/) });
  expect(found.get('disk')?.detail).toMatch(/GB are free at .*; the database has 0\.\d+ GB/);
});

test('an installation without a process that works is named', async () => {
  expect((await checks()).get('worker')).toEqual({
    ok: true,
    detail: 'no process with ROLE=work or all has run yet',
  });
  const leave = (until: string) =>
    store.owner.query(
      `update verify_turn set leased_until = ${until}, new_until = now() - interval '2 minutes'`,
    );
  await leave(`now() + interval '10 minutes'`);
  expect((await checks()).get('worker')).toEqual({
    ok: true,
    detail: 'a process with ROLE=work or all runs',
  });
  await leave(`'-infinity'`);
  expect((await checks()).get('worker')).toEqual({
    ok: false,
    detail: expect.stringMatching(/^no process with ROLE=work or all has run for \d+ s: start one$/),
  });
  await store.owner.query('update verify_turn set new_until = null');
});

test('the first defect of the verification is named', async () => {
  const account = String(await createAccount(store.database, 'Loja Verde', { templates: [], mode: 'live' }));
  await store.owner.query(
    `insert into verify_place (account_id, journal_id, lines, since, new_defects) values ($1, 1, '{}', now(), $2)`,
    [account, JSON.stringify([['broken chain', '7', 'starts from 1']])],
  );
  expect((await checks()).get('verify')).toEqual({
    ok: false,
    detail: expect.stringContaining(`defects: 1, the first: account ${account}: broken chain: starts from 1`),
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
    detail: expect.stringMatching(/^1 due \(news: 1, the oldest for \d+ s\); 1 failed three times or more/),
  });
  expect(found.get('jobs of sandbox accounts')).toMatchObject({ ok: true });
  expect(found.get('disk')).toEqual({ ok: false, detail: expect.stringContaining('of 0.001 GB') });
});

test('fewer replicas than DATABASE_REPLICAS are named, where the gateway may see them', async () => {
  const settings = { DATABASE_REPLICAS: '2' };
  expect((await checks(settings)).get('replicas')).toEqual({ ok: false, detail: '0 of 2 are connected' });
  expect((await checks()).get('replicas')).toEqual({ ok: true, detail: 'none that is visible' });
});

test('a machine whose clock is off by more than the alert allows fails', async () => {
  const wall = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => performance.timeOrigin + performance.now() - 3_000);
  try {
    expect((await checks()).get('clock')).toEqual({
      ok: false,
      detail: expect.stringMatching(/^\d+ ms behind the database$/),
    });
  } finally {
    wall.mockRestore();
  }
});

test('a process is checked by the metrics of the settings', async () => {
  expect((await checks()).get('process')).toEqual({
    ok: true,
    detail: 'not visible without the METRICS_PORT that it has',
  });
  const port = await freePort();
  expect((await checks({ METRICS_PORT: String(port) })).get('process')).toEqual({
    ok: true,
    detail: `none runs with http://127.0.0.1:${port}/metrics`,
  });
  const other = createServer((_request, response) => void response.end('# no figures\n'));
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  try {
    expect((await checks({ METRICS_PORT: String(port), METRICS_HOST: '0.0.0.0' })).get('process')).toEqual({
      ok: false,
      detail: `its clock and event loop cannot be read from http://127.0.0.1:${port}/metrics`,
    });
  } finally {
    other.close();
  }
});
