/**
 * Goal: a start on the operator's own database makes a sandbox there only when it is asked for one (C-40). Method: real
 * processes on a new database.
 */
import { readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { crossramp, failToStart, start } from './support/process.ts';

const store = useDatabase();
const { home, remove } = newHome();
const env = () => ({ CROSSRAMP_HOME: home, DATABASE_URL: store.url });
const made = async () => {
  const names = ['account', 'api_key', 'rate'];
  const counts = names.map((name) => `(select count(*)::int from ${name}) as ${name}`);
  return (await store.owner.query(`select ${counts.join(', ')}`)).rows[0];
};
afterAll(remove);

test('C-40: a start creates nothing of the sandbox, and explains how to create the first key', async () => {
  const refused = await failToStart({ PORT: '0', ...env() }, '--demo');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^crossramp: --demo needs .*--sandbox\n$/),
  ]);
  const running = await start(env());
  try {
    expect(await made()).toEqual({ account: 0, api_key: 0, rate: 0 });
    expect(readdirSync(home)).toEqual([]);
    const [create, key] = running.banner.split('\n').filter((line) => line.includes('crossramp --'));
    const words = (line = '') => line.replaceAll('"', '').split(' -- ')[1]?.split(' ') ?? [];
    const named = words(create).slice(0, 3).concat('Loja Azul', '--json');
    const { accountId } = JSON.parse((await crossramp(env(), ...named)).stdout);
    const asked = words(key).map((word) => (word === 'ID' ? accountId : word));
    const { apiKey } = JSON.parse((await crossramp(env(), ...asked, '--json')).stdout);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(`${running.baseUrl}/v2/balance`, { headers })).status).toBe(200);
  } finally {
    await running.end('SIGTERM');
  }
}, 60_000);

test('a start creates a sandbox when requested', async () => {
  const running = await start(env(), '--sandbox');
  await running.end('SIGTERM');
  expect(running.banner).toContain('(sandbox)');
  expect(readdirSync(home)).toContain('sandbox.json');
  expect((await made()).rate).toBeGreaterThan(0);
}, 60_000);
