/**
 * Goal: whoever has a key for a moment cannot take an account's protections away and withdraw (C-40, C-22). Method: the attack
 * by HTTP, on an account with a cooling time of a day; then the virtual clock goes on.
 */
import { beforeEach, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const SETTINGS =
  'whitelistCoolingSeconds approvalAbove pendingChanges { setting value requestedBy requestedAt effectiveAt }';
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, fund } = graphqlClient(app, () => shop.apiKey);

const update = async (input: string) =>
  (
    await ask(
      `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { ${SETTINGS} } errors { code message path } } }`,
    )
  ).updateAccountSettings.accountSettings;
const read = async () =>
  (await ask(`{ viewer { account { accountSettings { ${SETTINGS} } } } }`)).viewer.account.accountSettings;
const pass = (by: string) =>
  ask(`mutation { sandboxAdvanceClock(input: { by: "${by}" }) { now errors { code message path } } }`);
const withdraw = (groupId: string) =>
  app.post(
    '/v2/withdrawal',
    { amount_received: 3_000, currency_receive_code: 'USDT_TRX', group_id: groupId },
    { key: shop.apiKey },
  );
async function newAddress(): Promise<string> {
  const {
    createWhitelistGroup: { whitelistGroup: group },
  } = await ask(
    'mutation { createWhitelistGroup(input: { name: "out" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  await ask(
    `mutation { addWhitelistEntry(input: { groupId: "${group.id}", target: { wallet: { network: "TRX", address: "${ADDRESS}" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
  );
  return group.id;
}

beforeEach(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '5000');
  await update('whitelistCoolingSeconds: 86400, approvalAbove: "100"');
});

test('C-40, C-22: cooling and approval removed, a new address, a withdrawal: refused until the cooling time is over', async () => {
  const attacked = await update('whitelistCoolingSeconds: 0, approvalAbove: null');
  expect(attacked).toMatchObject({ whitelistCoolingSeconds: 86_400, approvalAbove: '100' });
  const [one, two] = attacked.pendingChanges;
  expect([one.setting, two.setting].sort()).toEqual(['APPROVAL_ABOVE', 'WHITELIST_COOLING_SECONDS']);
  expect(one.requestedBy).toBe(shop.keyId);
  expect(Date.parse(one.effectiveAt) - Date.parse(one.requestedAt)).toBe(86_400_000);
  const group = await newAddress();
  const refused = await withdraw(group);
  expect([refused.status, refused.json.code]).toEqual([422, 'ADDRESS_NOT_WHITELISTED']);
  await pass('23h');
  expect((await withdraw(group)).json.code).toBe('ADDRESS_NOT_WHITELISTED');
  await pass('61m');
  expect(await read()).toEqual({ whitelistCoolingSeconds: 0, approvalAbove: null, pendingChanges: [] });
  const { json } = await withdraw(group);
  expect(json.component).not.toContain('approval');
  expect(await read()).toEqual({ whitelistCoolingSeconds: 0, approvalAbove: null, pendingChanges: [] });
});

test('C-40: a waiting loosening can be withdrawn, and tightening withdraws it', async () => {
  await update('whitelistCoolingSeconds: 60, approvalAbove: "900"');
  const cancel = (setting: string) =>
    `mutation { cancelSettingChange(input: { setting: ${setting} }) { accountSettings { ${SETTINGS} } errors { code message path } } }`;
  const {
    cancelSettingChange: { accountSettings: cancelSettingChange },
  } = await ask(cancel('APPROVAL_ABOVE'));
  expect(cancelSettingChange.pendingChanges).toMatchObject([
    { setting: 'WHITELIST_COOLING_SECONDS', value: '60' },
  ]);
  expect((await refusal(cancel('APPROVAL_ABOVE'))).code).toBe('NOT_FOUND');
  expect(await update('whitelistCoolingSeconds: 90000')).toEqual({
    whitelistCoolingSeconds: 90_000,
    approvalAbove: '100',
    pendingChanges: [],
  });
  await pass('26h');
  expect(await read()).toMatchObject({ whitelistCoolingSeconds: 90_000, approvalAbove: '100' });
});

test('C-40: tightening applies immediately, and waiting changes follow the cooling time in force at their request', async () => {
  expect(await update('approvalAbove: "50"')).toMatchObject({ approvalAbove: '50', pendingChanges: [] });
  await update('whitelistCoolingSeconds: 3600');
  await pass('12h');
  const later = await update('approvalAbove: "60"');
  const of = Object.fromEntries(
    later.pendingChanges.map((change: { setting: string; effectiveAt: string }) => [
      change.setting,
      Date.parse(change.effectiveAt),
    ]),
  );
  expect(of.APPROVAL_ABOVE - of.WHITELIST_COOLING_SECONDS).toBeGreaterThan(11 * 3_600_000);
  await pass('13h');
  expect(await read()).toMatchObject({ whitelistCoolingSeconds: 3_600, approvalAbove: '50' });
});

test('C-40: without a cooling time loosening applies immediately', async () => {
  shop = await app.addAccount();
  await update('approvalAbove: "100"');
  expect(await update('approvalAbove: null')).toMatchObject({ approvalAbove: null, pendingChanges: [] });
});

test('C-40: a loosening requested by a key does not take effect once the key is revoked, and the log records it', async () => {
  const leaked = await app.addKey(shop.accountId, SCOPES);
  const input = '{ whitelistCoolingSeconds: 0, approvalAbove: null }';
  await ask(
    `mutation { updateAccountSettings(input: ${input}) { accountSettings { approvalAbove } errors { code message path } } }`,
    {},
    leaked.apiKey,
  );
  expect((await read()).pendingChanges).toHaveLength(2);
  await ask(
    `mutation { revokeApiKey(input: { keyId: "${leaked.keyId}" }) { apiKey { keyId } errors { code message path } } }`,
  );
  const { nodes } = (await ask('{ auditLog(first: 1, acts: ["key.revoke"]) { nodes { objectId before } } }'))
    .auditLog;
  expect(nodes).toEqual([{ objectId: leaked.keyId, before: expect.anything() }]);
  await pass('25h');
  expect(await read()).toEqual({
    whitelistCoolingSeconds: 86_400,
    approvalAbove: '100',
    pendingChanges: [],
  });
});

test('C-40: a loosening requested by a key is dropped once the key that replaced it is revoked', async () => {
  const leaked = await app.addKey(shop.accountId, SCOPES);
  let key = leaked;
  await ask(
    'mutation { updateAccountSettings(input: { approvalAbove: null }) { errors { code message path } } }',
    {},
    leaked.apiKey,
  );
  for (const _ of [1, 2]) {
    const rotate = `mutation { rotateApiKey(input: { keyId: "${key.keyId}", overlapSeconds: 0 }) { issuedApiKey { apiKey key { keyId } } errors { code message path } } }`;
    const { issuedApiKey } = (await ask(rotate, {}, key.apiKey)).rotateApiKey;
    key = { apiKey: issuedApiKey.apiKey, keyId: issuedApiKey.key.keyId };
  }
  expect((await read()).pendingChanges).toHaveLength(1);
  await ask(`mutation { revokeApiKey(input: { keyId: "${key.keyId}" }) { errors { code message path } } }`);
  expect((await read()).pendingChanges).toEqual([]);
});

test('C-40: a change that took effect before its key is revoked stays', async () => {
  const { apiKey, keyId } = await app.addKey(shop.accountId, SCOPES);
  await ask(
    'mutation { updateAccountSettings(input: { approvalAbove: "500" }) { accountSettings { approvalAbove } errors { code message path } } }',
    {},
    apiKey,
  );
  await pass('25h');
  await ask(
    `mutation { revokeApiKey(input: { keyId: "${keyId}" }) { apiKey { keyId } errors { code message path } } }`,
  );
  expect(await read()).toMatchObject({ approvalAbove: '500', pendingChanges: [] });
});
