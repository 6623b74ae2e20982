/**
 * Goal: a gateway that works finds damage to a posting by itself, and shows it in its metrics, its log and `doctor`. Method: the gateway as a
 * process, journals of a database, and a line that is deleted past the triggers that forbid it.
 */
import { afterAll, expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { fundAccount } from '../support/fund-account.ts';
import { newHome } from '../support/home.ts';
import { scrape } from '../support/metrics.ts';
import { crossramp, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';

const store = useDatabase();
const { home, remove } = newHome();
afterAll(remove);

test('a posting that was damaged is an alert, a line of the log and a failure of doctor', async () => {
  const port = await freePort();
  const env = { CROSSRAMP_HOME: home, DATABASE_URL: store.url };
  const gateway = await start({ ...env, ROLE: 'work', METRICS_PORT: String(port) });
  const until = (name: string, isSo: (value: number | undefined) => boolean) =>
    eventually(
      name,
      async () => isSo((await scrape(`http://127.0.0.1:${port}/metrics`)).get(`crossramp_verify_${name}`)),
      90_000,
    );
  const accountId = await createAccount(store.database, 'Shop', { templates: [], mode: 'live' });
  await fundAccount(store.database, accountId, { currency: 'BRL', amount: '5' });
  await until('new_age_seconds', (value) => value !== undefined);
  await until('defects', (value) => value === 0);
  await fundAccount(store.database, accountId, { currency: 'BRL', amount: '7' });
  await store.owner.query(`alter table ledger_line disable trigger user;
    delete from ledger_line where account_id = ${accountId} and seq = 2;
    alter table ledger_line enable trigger user`);
  // Where a turn came between posting and damage, a round finds it: now, not in twenty hours.
  await store.owner.query('update verify_place set round_ended_at = null');
  await until('defects', (value) => (value ?? 0) > 0);
  const { stdout } = await crossramp(env, 'doctor', '--json');
  const checks = JSON.parse(stdout).checks as { check: string; ok: boolean; detail: string }[];
  expect(checks.find(({ check }) => check === 'verify')).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`account ${accountId}: `),
  });
  const { code, stderr } = await gateway.end('SIGTERM');
  expect(code).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.includes('the books have defects'));
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: 50,
    role: 'work',
    account: String(accountId),
  });
}, 240_000);
