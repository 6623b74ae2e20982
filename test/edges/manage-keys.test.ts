/**
 * Goal: an account makes, replaces and ends its own keys, and gains nothing by it (C-40). Method: keys by GraphQL over HTTP;
 * attacks in which a key gives more than it has, and in which one maker approves its own withdrawal by another key.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../../src/base/access/api-key.ts';
import { replaceKey } from '../../src/resolvers/account/manage-keys.ts';
import { lockHeads } from '../../src/store/engine/processes.ts';
import { useApp } from '../support/app.ts';
import { action, graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { whitelist } from '../support/rest-routes.ts';

const app = useApp();
const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, perform, fund } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
  await whitelist(app, shop.accountId, 'out', [{ network: 'TRX', target: ADDRESS }]);
  await fund('USDT_TRX', '5000');
  await ask(
    'mutation { updateAccountSettings(input: { approvalAbove: "0" }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
});

const MAKE =
  'mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { issuedApiKey { apiKey key { keyId name scopes madeBy allowedCidrs expiresAt } } errors { code message path } } }';
const make = async (input: object, key = shop.apiKey) =>
  (await ask(MAKE, { input: { name: 'Till', scopes: ['read'], ...input } }, key)).createApiKey.issuedApiKey;
const refusedKey = (input: object, key = shop.apiKey) =>
  refusal(MAKE, { input: { name: 'Till', scopes: ['read'], ...input } }, key);
const rotate = async (keyId: string, overlapSeconds: number, key = shop.apiKey) =>
  (
    await ask(
      `mutation { rotateApiKey(input: { keyId: "${keyId}", overlapSeconds: ${overlapSeconds} }) { issuedApiKey { apiKey key { keyId scopes replaces madeBy } } errors { code message path } } }`,
      {},
      key,
    )
  ).rotateApiKey.issuedApiKey;
const statusOf = async (key: string) => (await app.get('/v2/balance', { key })).status;
const until = (key: string, status: number) => expect.poll(() => statusOf(key)).toBe(status);

describe('keys', () => {
  test('C-40: a key is created, used, listed with its last use, and revoked', async () => {
    const { apiKey, key } = await make({ allowedCidrs: ['127.0.0.0/8'] });
    expect(apiKey).toMatch(/^crx_test_/);
    expect(key).toMatchObject({ name: 'Till', scopes: ['read'], madeBy: shop.keyId, expiresAt: null });
    expect(await statusOf(apiKey)).toBe(200);
    const listed = async () =>
      (await ask('{ apiKeys { keyId lastUsedAt revokedAt } }')).apiKeys.find(
        ({ keyId }: { keyId: string }) => keyId === key.keyId,
      );
    await expect.poll(async () => (await listed()).lastUsedAt).not.toBeNull();
    for (const _ of [1, 2])
      await ask(
        `mutation { revokeApiKey(input: { keyId: "${key.keyId}" }) { apiKey { keyId } errors { code message path } } }`,
      );
    expect((await listed()).revokedAt).not.toBeNull();
    await until(apiKey, 401);
  });

  test('C-40: a rotated key is valid for the overlap, and its successor has the same properties', async () => {
    const { apiKey, key } = await make({ scopes: ['read', 'move'] });
    const next = await rotate(key.keyId, 3_600);
    expect(next.key).toMatchObject({ scopes: ['read', 'move'], replaces: key.keyId, madeBy: shop.keyId });
    expect([await statusOf(apiKey), await statusOf(next.apiKey)]).toEqual([200, 200]);
    const last = await rotate(next.key.keyId, 0);
    await until(next.apiKey, 401);
    expect(await statusOf(last.apiKey)).toBe(200);
    const again = `mutation { rotateApiKey(input: { keyId: "${next.key.keyId}" }) { issuedApiKey { apiKey } errors { code message path } } }`;
    expect((await refusal(again)).code).toBe('NOT_FOUND');
  });

  test('C-40: a key is replaced once: a second successor would end with the overlap', async () => {
    const { apiKey, key } = await make({});
    const next = await rotate(key.keyId, 3_600);
    const refused = await refusal(
      `mutation { rotateApiKey(input: { keyId: "${key.keyId}" }) { issuedApiKey { apiKey } errors { code message path } } }`,
    );
    expect([refused.code, refused.message]).toEqual([
      'STEP_CONFLICT',
      expect.stringContaining(`is being replaced by ${next.key.keyId}`),
    ]);
    expect([await statusOf(apiKey), await statusOf(next.apiKey)]).toEqual([200, 200]);
    const { apiKeys } = await ask('{ apiKeys { keyId expiresAt } }');
    expect(apiKeys).toContainEqual({ keyId: next.key.keyId, expiresAt: null });
  });

  test.each([
    [{ name: '' }, 'input.name'],
    [{ scopes: [] }, 'input.scopes'],
    [{ scopes: ['read', 'root'] }, 'input.scopes.1'],
    [{ allowedCidrs: ['10.0.0.0/33'] }, 'input.allowedCidrs.0'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
  ])('C-50: %j is refused by name', async (input, parameter) => {
    const refused = await refusedKey(input);
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', parameter]);
  });
});

describe('a key grants no scope that it lacks', () => {
  test('C-40: no scope', async () => {
    const { apiKey } = await make({ scopes: ['read', 'admin'] });
    for (const scope of ['create', 'move']) {
      const refused = await refusedKey({ scopes: ['read', scope] }, apiKey);
      expect([refused.code, refused.message]).toEqual(['FORBIDDEN', expect.stringContaining(`"${scope}"`)]);
    }
    for (const scope of PLATFORM_SCOPES)
      expect((await refusedKey({ scopes: [scope] })).code).toBe('FORBIDDEN');
  });

  test('C-40: not by rotating a key that may do more', async () => {
    const { apiKey } = await make({ scopes: ['read', 'admin'] });
    const refused = await refusal(
      `mutation { rotateApiKey(input: { keyId: "${shop.keyId}" }) { issuedApiKey { apiKey } errors { code message path } } }`,
      {},
      apiKey,
    );
    expect([refused.code, refused.message]).toEqual(['FORBIDDEN', expect.stringContaining('"create"')]);
  });

  test('C-40: no longer life, and no other network unless it is named', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const maker = await make({ scopes: ['read', 'admin'], expiresAt, allowedCidrs: ['127.0.0.0/8'] });
    const later = await refusedKey({ expiresAt: '2999-01-01T00:00:00Z' }, maker.apiKey);
    expect(parametersOf(later)).toEqual(['input.expiresAt']);
    const { key } = await make({}, maker.apiKey);
    expect(key).toMatchObject({ expiresAt, allowedCidrs: ['127.0.0.0/8'] });
  });

  test('C-40: a key with networks creates none outside of them', async () => {
    const { apiKey } = await make({
      scopes: ['read', 'admin'],
      allowedCidrs: ['127.0.0.0/8', '2001:db8::/32'],
    });
    const within = ['127.0.0.1', '127.1.0.0/16', '2001:db8:1::/48'];
    expect((await make({ allowedCidrs: within }, apiKey)).key.allowedCidrs).toEqual(within);
    for (const network of ['0.0.0.0/0', '127.0.0.0/7', '10.0.0.1', '2001:db8::/31', '::/0']) {
      const refused = await refusedKey({ allowedCidrs: ['127.0.0.1', network] }, apiKey);
      expect(parametersOf(refused)).toEqual(['input.allowedCidrs.1']);
    }
  });

  test('C-40: a key does not get the text of one that lives longer, or works on other networks, by rotating it', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const scopes = ['read', 'admin'];
    const short = await make({ scopes, expiresAt });
    const bound = await make({ scopes, allowedCidrs: ['127.0.0.0/8'] });
    const endless = (await make({})).key.keyId;
    const elsewhere = (await make({ expiresAt, allowedCidrs: ['10.0.0.0/8'] })).key.keyId;
    for (const [maker, keyId] of [
      [short, endless],
      [bound, endless],
      [bound, elsewhere],
    ]) {
      const refused = await refusal(
        `mutation { rotateApiKey(input: { keyId: "${keyId}" }) { issuedApiKey { apiKey } errors { code message path } } }`,
        {},
        maker.apiKey,
      );
      expect(refused.code).toBe('FORBIDDEN');
    }
    expect((await rotate(elsewhere, 60, short.apiKey)).key.replaces).toBe(elsewhere);
    for (const maker of [short, bound])
      expect((await rotate(maker.key.keyId, 60, maker.apiKey)).key.replaces).toBe(maker.key.keyId);
  });
});

describe('approver and maker are two', () => {
  const input = { amountReceived: '10', currency: 'USDT_TRX', groupId: 'out' };
  const waitingForLocks = async () =>
    (await app.owner.query('select from pg_locks where not granted')).rows.length;
  const waiting = async () => (await create('createWithdrawal', input)).transaction.end2end;

  test('C-40: a maker’s key creates a second key and approves with it: refused', async () => {
    const second = await make({ scopes: [...SCOPES] });
    const third = await make({ scopes: [...SCOPES] }, second.apiKey);
    const rotated = await rotate(third.key.keyId, 60, third.apiKey);
    const end2end = await waiting();
    for (const { apiKey } of [second, third, rotated]) {
      const refused = await refusal(action('approveWithdrawal'), { end2end }, apiKey);
      expect(refused.code).toBe('FORBIDDEN');
      expect((await app.post(`/v2/withdrawal/${end2end}/approve`, {}, { key: apiKey })).status).toBe(403);
    }
  });

  test('C-40: nor does the maker approve the request of a key of its own, nor does a sibling key', async () => {
    const keys = [await make({ scopes: [...SCOPES] }), await make({ scopes: [...SCOPES] })] as const;
    const made = await app.graphql(
      `mutation { createWithdrawal(input: { amountReceived: "10", currency: "USDT_TRX", groupId: "out" }) { transaction { end2end } errors { code message path } } }`,
      {},
      { key: keys[0].apiKey },
    );
    const { end2end } = made.json.data.createWithdrawal.transaction;
    for (const key of [shop.apiKey, keys[1].apiKey])
      expect((await refusal(action('approveWithdrawal'), { end2end }, key)).code).toBe('FORBIDDEN');
  });

  test('C-40: nor a key that the operator created, once the maker has replaced it, nor its successor', async () => {
    const other = await app.addKey(shop.accountId, SCOPES);
    const next = await rotate(other.keyId, 3_600);
    const last = await rotate(next.key.keyId, 3_600);
    const end2end = await waiting();
    for (const { apiKey } of [other, next, last])
      expect((await refusal(action('approveWithdrawal'), { end2end }, apiKey)).code).toBe('FORBIDDEN');
  });

  test('C-40: the check is under the lock: a key that becomes the maker’s while the approval waits does not approve', async () => {
    const end2end = await waiting();
    const { apiKey, keyId } = await app.addKey(shop.accountId, SCOPES);
    const approving = await app.database.withTx(async (tx) => {
      await lockHeads(tx, [shop.accountId], 'sandbox');
      const refused = refusal(action('approveWithdrawal'), { end2end }, apiKey);
      await expect.poll(waitingForLocks).toBe(1);
      const old = { id: keyId, name: 'x', scopes: SCOPES, allowedCidrs: [], expiresAt: null };
      const how = { madeBy: shop.keyId, overlapSeconds: 60, now: new Date() };
      await replaceKey(tx, shop.accountId, old, how);
      return { refused };
    });
    expect((await approving.refused).code).toBe('FORBIDDEN');
  });

  test('C-22: a key that the operator made approves', async () => {
    const end2end = await waiting();
    const { apiKey } = await app.addKey(shop.accountId, ['move', 'read']);
    expect(await perform('approveWithdrawal', end2end, '', apiKey)).not.toContain('APPROVAL');
  });
});
