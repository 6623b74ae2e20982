/** Goal: `doctor` fails if the gateway's login can become the owner and there is a live account (C-30). */
import { expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();

async function login(url: string) {
  const { stdout } = await command({ DATABASE_URL: url }, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; detail: string }[] };
  return checks.find(({ check }) => check === 'login');
}

test('doctor accepts one login in a sandbox, and refuses it if there is a live account', async () => {
  expect(await login(store.ownerUrl)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/can become/),
  });
  await createAccount(store.database, 'Loja Azul', { templates: ['onramp'], mode: 'live' });
  expect(await login(store.ownerUrl)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('give the gateway a login of its own'),
  });
  expect(await login(store.url)).toMatchObject({ ok: true, detail: expect.stringMatching(/cannot become/) });
});
