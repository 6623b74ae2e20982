/**
 * Goal: `crossramp person` invites and removes people, and records that in the audit log (C-40). Method: the commands,
 * run in this process.
 */
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const run = (...args: string[]) =>
  command({ DATABASE_URL: store.url, PUBLIC_URL: 'https://pay.example.com' }, ...args, '--json');
const json = async (...args: string[]) => JSON.parse((await run(...args)).stdout);

test('C-40: an operator invites, lists and removes people, and makes their links', async () => {
  const { accountId } = await json('account', 'create', '--name', 'Shop');
  const at = ['--account', accountId];
  const ana = ['--name', 'Ana Souza', '--role', 'owner'];
  const invited = await json('person', 'invite', 'Ana@Example.com', ...at, ...ana);
  expect(invited).toEqual({
    personId: expect.stringMatching(/^per_/),
    url: expect.stringMatching(/^https:\/\/pay\.example\.com\/console\/link\/[\w-]{43}$/),
    expiresAt: expect.any(String),
  });
  expect((await json('person', 'link', 'ana@example.com', ...at)).url).not.toBe(invited.url);
  const listed = await json('person', 'list', ...at);
  expect(listed).toEqual([
    expect.objectContaining({ email: 'ana@example.com', role: 'owner', joinedAt: null, passkeys: 0 }),
  ]);
  expect(await json('person', 'sessions', 'ana@example.com')).toEqual([]);
  const people = command({ DATABASE_URL: store.url }, 'person', 'sessions', 'ana@example.com');
  expect((await people).stdout).toBe('no sessions\n');
  const wrong = await run('person', 'invite', 'x', ...at, '--name', 'X', '--role', 'platform_owner');
  expect([wrong.code, wrong.stderr]).toEqual([
    expect.any(Number),
    expect.stringMatching(/<email>: must be an e-mail address.*--role: must be one of viewer/),
  ]);
  const nobody = await run('person', 'link', 'nobody@example.com', ...at);
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringMatching(/no one in the account has/)]);
  await json('person', 'remove', 'ana@example.com', ...at);
  expect(await json('person', 'list', ...at)).toEqual([]);
  const { rows } = await store.owner.query(
    `select act, actor_kind from audit_entry where act ~ '^person' order by seq`,
  );
  expect(rows.map((row) => `${row.actor_kind} ${row.act}`)).toEqual([
    'OPERATOR person.invite',
    'OPERATOR person.link',
    'OPERATOR person.remove',
  ]);
}, 120_000);
