/**
 * Goal: `node` reads every record by its global id, with the rights of the caller, and one of another account is missing. Method: one
 * record of each type that a merchant and the operator have, read by its owner, by another account, and without the scope.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: Awaited<ReturnType<typeof app.addAccount>>;
const { ask } = graphqlClient(app, () => shop.apiKey);
const ids: Record<string, string> = {};

const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }';
const nodeOf = async (id: string, key: string) => {
  const { json } = await app.graphql(NODE, { id }, { key });
  return { node: json.data.node, code: json.errors?.[0]?.extensions.code };
};
const ERRORS = 'errors { message }';

beforeAll(async () => {
  shop = await app.addAccount();
  other = await app.addAccount();
  const made = await ask(`mutation {
    createOnramp(input: { currency: "USDT_TRX", amount: { brl: "60" }, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { id } ${ERRORS} }
    createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { webhookEndpoint { id endpointId } ${ERRORS} }
    createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id groupId } ${ERRORS} }
    createStaticLink(input: { name: "Shop", currency: "USDT_TRX" }) { staticLink { id } ${ERRORS} }
    inviteMember(input: { name: "Rita", email: "rita@shop.invalid", role: VIEWER }) { invitation { member { id } } ${ERRORS} }
  }`);
  const { groupId } = made.createWhitelistGroup.whitelistGroup;
  const { endpointId } = made.createWebhookEndpoint.webhookEndpoint;
  const more = await ask(
    `mutation ($group: String!, $endpoint: String!) {
      addWhitelistEntry(input: { groupId: $group, target: { pixKey: { type: CPF, key: "52998224725" } } }) { whitelistEntry { id } ${ERRORS} }
      sendTestWebhook(input: { endpointId: $endpoint }) { webhookDelivery { id } ${ERRORS} }
    }`,
    { group: groupId, endpoint: endpointId },
  );
  const { viewer, customer } = await ask(
    '{ viewer { account { id } key { id } } customer(taxId: "52998224725") { id } }',
  );
  Object.assign(ids, {
    Onramp: made.createOnramp.transaction.id,
    WebhookEndpoint: made.createWebhookEndpoint.webhookEndpoint.id,
    WhitelistGroup: made.createWhitelistGroup.whitelistGroup.id,
    StaticLink: made.createStaticLink.staticLink.id,
    Member: made.inviteMember.invitation.member.id,
    WhitelistEntry: more.addWhitelistEntry.whitelistEntry.id,
    WebhookDelivery: more.sendTestWebhook.webhookDelivery.id,
    Account: viewer.account.id,
    ApiKey: viewer.key.id,
    Customer: customer.id,
  });
});

const TYPES = [
  ...['Onramp', 'WebhookEndpoint', 'WhitelistGroup', 'StaticLink', 'Member', 'WhitelistEntry'],
  ...['WebhookDelivery', 'Account', 'ApiKey', 'Customer'],
];

describe.each(TYPES)('a record of the type %s', (type) => {
  test('is read by its global id', async () => {
    const id = ids[type] ?? '';
    expect(await nodeOf(id, shop.apiKey)).toEqual({ node: { __typename: type, id }, code: undefined });
  });

  test('C-15: of another account looks missing', async () => {
    const missing = Buffer.from(`${type}:999999999`).toString('base64url');
    const foreign = await nodeOf(ids[type] ?? '', other.apiKey);
    expect(foreign.node).toBeNull();
    expect(foreign).toEqual(await nodeOf(missing, other.apiKey));
  });
});

test('a record that a key may not list is refused by `node` as well', async () => {
  const { apiKey } = await app.addKey(shop.accountId, ['read']);
  expect(await nodeOf(ids.ApiKey ?? '', apiKey)).toEqual({ node: null, code: 'FORBIDDEN' });
});

test('an account holder is a record of the operator alone', async () => {
  const id = Buffer.from(`AccountHolder:${shop.accountId}`).toString('base64url');
  expect((await nodeOf(id, app.platformKey)).node).toEqual({ __typename: 'AccountHolder', id });
  expect(await nodeOf(id, shop.apiKey)).toEqual({ node: null, code: 'FORBIDDEN' });
});

test.each([
  '',
  'x',
  'T25yYW1w',
  Buffer.from('Onramp:\0').toString('base64url'),
  'é',
])('%j names no record', async (id) => {
  expect(await nodeOf(id, shop.apiKey)).toEqual({ node: null, code: undefined });
});
