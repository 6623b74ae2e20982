/**
 * Goal: no secret of a webhook is in the database in clear, also after an upgrade, and the key can be rotated (C-60). Method: the
 * application, key files of the test, and rows as an earlier version wrote them.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newSecretKey, SecretKeyError } from '../../src/base/access/secret-box.ts';
import { newSecret, newSigningKey, publicHalf } from '../../src/base/access/webhook-keys.ts';
import { openSecrets, rotateSecrets, secretsOf } from '../../src/compose/secret-keys.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { secretOwner } from '../../src/store/webhooks/sealed-secrets.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow } from '../support/events.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { openOnramp } from '../support/webhooks.ts';

const app = useApp();
const upgraded = useDatabase();
const fresh = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'crossramp-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { ask } = graphqlClient(app, () => app.apiKey);

const STORED = `select secret from webhook_secret union all select signing_key from webhook_endpoint where signing_key is not null`;
const stored = async (owner: typeof app.owner) =>
  (await owner.query(STORED)).rows.map(({ secret }) => secret as string);

test('C-60: stored secrets are sealed, and their owner reads them as before', async () => {
  const {
    createWebhookEndpoint: { webhookEndpoint: made },
  } = await ask(
    `mutation { createWebhookEndpoint(input: { url: "https://shop.invalid/hook", isSignedByKey: true }) { webhookEndpoint { id: endpointId publicKey } errors { code message path } } }`,
  );
  expect(made.publicKey).toMatch(/^whpk_/);
  await openOnramp(app, app.apiKey, 'https://shop.invalid/own');
  await command({ DATABASE_URL: app.url }, 'webhook', 'secret', made.id, '--rotate', '--account', 'sandbox');
  const all = await stored(app.owner);
  expect(all.length).toBeGreaterThanOrEqual(4);
  for (const text of all) expect(text).toMatch(/^s1\.[0-9a-f]{12}\.[\w-]+$/);
  const { stdout } = await command(
    { DATABASE_URL: app.url },
    'webhook',
    'secret',
    made.id,
    '--account',
    'sandbox',
    '--json',
  );
  const shown = JSON.parse(stdout) as { secret: string }[];
  expect(shown).toHaveLength(2);
  for (const { secret } of shown) expect(secret).toMatch(/^whsec_/);
});

test('an upgrade seals the secrets stored before, and a rotation seals them again', async () => {
  const file = join(folder, 'made', 'secrets.key');
  const [secret, signing] = [newSecret(), newSigningKey()];
  const accountId = await addBusiness(upgraded.database, upgraded.owner);
  await addEndpointRow(upgraded.owner, accountId, { id: 'e', signing_key: signing.secret });
  await upgraded.owner.query('update webhook_secret set secret = $1', [secret]);
  expect(await stored(upgraded.owner)).toEqual([secret, signing.secret]);

  const box = await openSecrets(upgraded.database, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const first = await stored(upgraded.owner);
  const owner = secretOwner(accountId, 'e');
  expect(first.map((text) => box.open(text, owner))).toEqual([secret, signing.secret]);
  expect(publicHalf(box.open(first[1] as string, owner))).toBe(signing.public);

  const rotated = await rotateSecrets(upgraded.database, file);
  expect(rotated.resealed).toBe(2);
  const second = await stored(upgraded.owner);
  for (const text of second) expect(text).toContain(rotated.key);
  // A gateway that runs on finds the new key in the file.
  expect(second.map((text) => box.open(text, owner))).toEqual([secret, signing.secret]);
  expect(lines(file)).toHaveLength(2);
  await rotateSecrets(upgraded.database, file);
  expect(lines(file)).toHaveLength(2);
  const third = await stored(upgraded.owner);
  expect(third.map((text) => secretsOf(file).open(text, owner))).toEqual([secret, signing.secret]);
  const { rows } = await upgraded.owner.query('select count(*)::int as count from secret_key');
  expect(rows).toEqual([{ count: 2 }]);
});

test('a rotation keeps the mode and the owner of the key file', async () => {
  const file = join(folder, 'made', 'secrets.key');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(file, 65_534, 65_534);
  const before = statSync(file);
  await rotateSecrets(upgraded.database, file);
  const { uid, gid, mode } = statSync(file);
  expect([uid, gid, mode & 0o777]).toEqual([before.uid, before.gid, 0o600]);
});

test('C-60: doctor checks that the key file exists, is closed to others, and opens the sealed secrets', async () => {
  const file = join(folder, 'made', 'secrets.key');
  const check = async (keyFile: string) => {
    const env = { DATABASE_URL: upgraded.url, SECRETS_KEY_FILE: keyFile };
    const { stdout, code } = await command(env, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; detail: string }[] };
    return { code, ...checks.find((each) => each.check === 'key file') };
  };
  expect(await check(file)).toMatchObject({
    ok: true,
    detail: `${file} opens all 2 secrets of the database`,
  });
  const other = join(folder, 'other.key');
  writeFileSync(other, `${newSecretKey()}\n`, { mode: 0o600 });
  expect(await check(other)).toMatchObject({
    ok: false,
    code: 1,
    detail: expect.stringMatching(/which the key file lacks/),
  });
  expect(await check(join(folder, 'none.key'))).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/is missing: restore it/),
  });
  for (const mode of [0o644, 0o620]) {
    chmodSync(file, mode);
    expect(await check(file)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/has the mode 6[24][04].*chmod 600/),
    });
  }
  // As a secret is mounted into a container: read by the group of the process.
  chmodSync(file, 0o440);
  expect(await check(file)).toMatchObject({ ok: true });
  chmodSync(file, 0o600);
});

test('C-60: a command that seals before the first start creates the key file, and names it', async () => {
  const file = join(folder, 'command', 'secrets.key');
  await createAccount(fresh.database, 'Loja Azul', { templates: ['onramp'], mode: 'sandbox' });
  const { rows } = await fresh.owner.query('select id from account order by id desc limit 1');
  const env = { DATABASE_URL: fresh.url, SECRETS_KEY_FILE: file };
  const words = ['webhook', 'create', '--account', String(rows[0].id), '--url', 'https://shop.invalid/hook'];
  expect((await command(env, 'webhook', 'list', '--account', String(rows[0].id))).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  const { code, stderr } = await command(env, ...words);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^crossramp: made \S+secrets\.key, .*back it up.*\n$/),
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const [keyId] = (await stored(fresh.owner)).map((text) => text.split('.')[1]);
  const known = await fresh.owner.query('select id from secret_key');
  expect(known.rows).toEqual([{ id: keyId }]);
  rmSync(file);
  expect(await command(env, ...words)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is missing: restore it/),
  });
});

test.each([
  ['that is missing', undefined, /is missing: restore it/],
  ['with another key', `${newSecretKey()}\n`, /lacks key [0-9a-f]{12}, which secrets of the database/],
  ['that is damaged', 'no key\n', /must hold one key a line/],
])('a key file %s ends the start with one line', async (name, content, message) => {
  const file = join(folder, `${name.replaceAll(' ', '-')}.key`);
  if (content !== undefined) writeFileSync(file, content);
  const opening = openSecrets(upgraded.database, file);
  await expect(opening).rejects.toThrow(SecretKeyError);
  await expect(opening).rejects.toThrow(message);
});

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}
