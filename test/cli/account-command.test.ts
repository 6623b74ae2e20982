/** Goal: `crossramp account` and `key` keep play money and real money apart (C-40). Method: the commands as processes, on a database. */
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const run = (...args: string[]) => command({ DATABASE_URL: store.url }, ...args, '--json');
const json = async (...args: string[]) => JSON.parse((await run(...args)).stdout);

test('C-40: keys have the mode of their account, and the sandbox plays no scenario on a live one', async () => {
  const play = await json('account', 'create', '--name', 'Play');
  const live = await json('account', 'create', '--name', 'Real', '--mode', 'live');
  expect([play, live]).toEqual([
    { accountId: expect.any(String), mode: 'sandbox' },
    { accountId: expect.any(String), mode: 'live' },
  ]);
  const { rows: written } = await store.owner.query(
    `select e.act, e.xmin = a.xmin as "isOne" from audit_entry e join account a on a.id = e.account_id order by a.id`,
  );
  expect(written).toEqual([0, 1].map(() => ({ act: 'account.create', isOne: true })));
  const key = (account: string, ...more: string[]) =>
    run('key', 'create', '--account', account, '--scopes', 'read', ...more);
  expect(JSON.parse((await key(play.accountId)).stdout).apiKey).toMatch(/^crx_test_/);
  for (const more of [['--live'], []]) {
    const { code, stdout, stderr } = await key(live.accountId, ...more);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/no live rails.*; RAILS_FILE, which names them, is not set here\n$/),
    ]);
  }
  const platform = await key('platform', '--live');
  expect([platform.code, platform.stderr]).toEqual([1, expect.stringMatching(/no live rails/)]);
  expect(await json('key', 'list', '--account', live.accountId)).toEqual([]);
  const listed = () => command({ DATABASE_URL: store.url }, 'key', 'list', '--account', play.accountId);
  expect((await listed()).stdout).toMatch(/ valid {4}never used +read {2}unnamed\n$/);
  await store.owner.query(`update api_key set last_used_at = '2026-11-22T10:00:00Z'`);
  expect((await listed()).stdout).toContain('  2026-11-22T10:00:00.000Z  read  unnamed\n');
  const refused = await key(play.accountId, '--live');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/is a sandbox account: .*\n$/)]);
  for (const hidden of [
    await run('account', 'create', '--name', 'Ana \u202e55,00'),
    await key(play.accountId, '--name', 'Ana \u202e55,00'),
  ])
    expect([hidden.code, hidden.stderr]).toEqual([
      2,
      expect.stringMatching(/name: must be .*invisible characters\n$/),
    ]);
  const money = ['--currency', 'BRL', '--amount', '1'];
  const funded = await run('trigger', 'fund', '--account', live.accountId, ...money);
  expect([funded.code, funded.stderr]).toEqual([1, expect.stringMatching(/is live: .*\n$/)]);
  const { rows } = await store.owner.query('select from journal');
  expect(rows).toEqual([]);
}, 120_000);
