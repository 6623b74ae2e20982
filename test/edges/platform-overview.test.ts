/** C-40: what an operator sees over all accounts of its mode: who they are and how the rails are doing; nobody else sees it. */
import { expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';

const app = useApp();

async function request(query: string, key: string) {
  const { json } = await app.graphql(query, {}, { key });
  return { data: json.data, code: json.errors?.[0].extensions.code };
}
const ACCOUNTS = (args: string) =>
  `{ accounts(${args}) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor } nodes { accountId handle name createdAt } } }`;
const HEALTH = '{ railHealth { rail lastEventAt unsettledEvents pendingOrders failingOrders } }';

test('account holders of the mode, in pages, newest first; not the platform, and none of the other mode', async () => {
  const made = [await app.addAccount(), await app.addAccount()].map(({ accountId }) => String(accountId));
  const live = await app.addAccount({ mode: 'live' });
  const { accounts: all } = (await request(ACCOUNTS('first: 100'), app.platformKey)).data;
  const ids = all.nodes.map(({ accountId }: { accountId: string }) => accountId);
  expect(ids.slice(0, 2)).toEqual(made.toReversed());
  expect(ids).toContain(String(app.accountId));
  expect(ids).not.toContain(String(live.accountId));
  expect(all.totalCount).toBe(ids.length);
  const { accounts: page } = (await request(ACCOUNTS('first: 1'), app.platformKey)).data;
  const next = (await request(ACCOUNTS(`first: 1, after: "${page.pageInfo.endCursor}"`), app.platformKey))
    .data.accounts;
  expect(next.nodes[0].accountId).toBe(made[0]);
  expect(next.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  const back = (await request(ACCOUNTS(`last: 1, before: "${next.pageInfo.startCursor}"`), app.platformKey))
    .data.accounts;
  expect(back.nodes[0].accountId).toBe(made[1]);
});

test('every rail: its last report, and its orders and failures', async () => {
  const { apiKey, accountId } = await app.addAccount();
  const { json } = await app.post(
    '/v2/onramp',
    {
      amount_payment: 550,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana',
      client_tax_id: '52998224725',
    },
    { key: apiKey },
  );
  await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end }, { key: apiKey });
  await app.owner.query(
    `insert into job (account_id, transaction_id, kind, payload, due_at, is_live, last_error)
       values ($1, 999, 'create_charge', '{}', now() + interval '1 hour', false, 'away'),
              ($1, 999, 'expire', '{}', now() + interval '1 hour', false, 'a timer is no order')`,
    [String(accountId)],
  );
  const { railHealth } = (await request(HEALTH, app.platformKey)).data;
  expect(railHealth.map(({ rail }: { rail: string }) => rail)).toEqual([
    'PIX',
    'CHAIN',
    'IDENTITY',
    'SCREENING',
    'LIQUIDITY',
    'RATES',
  ]);
  expect(railHealth[0]).toMatchObject({
    lastEventAt: expect.stringMatching(/^20.*Z$/),
    unsettledEvents: 0,
    failingOrders: 1,
  });
  expect(railHealth[3]).toMatchObject({ lastEventAt: null, failingOrders: 0 });
});

test('the key of an account is refused', async () => {
  for (const query of [ACCOUNTS('first: 1'), HEALTH])
    expect((await request(query, app.apiKey)).code).toBe('FORBIDDEN');
});

const HOLDER = (
  accountId: bigint | string,
  customers = 'customers(first: 1) { totalCount nodes { taxId } }',
) =>
  `{ accountHolder(accountId: "${accountId}") { name templateSettings { template feeRate } ${customers} } }`;

test('one account holder: its price and limits, and its customers for roles that decide about them', async () => {
  const { accountHolder } = (await request(HOLDER(app.accountId), app.platformKey)).data;
  expect(accountHolder.templateSettings.map(({ template }: { template: string }) => template)).toContain(
    'onramp',
  );
  expect(accountHolder.customers.totalCount).toBeGreaterThan(0);
  expect(accountHolder.customers.nodes).toHaveLength(1);
  const live = await app.addAccount({ mode: 'live' });
  const platform = await platformAccount(app.database, 'sandbox');
  for (const missing of [live.accountId, platform, '0', 'x', '9'.repeat(30)])
    expect((await request(HOLDER(missing), app.platformKey)).data).toEqual({ accountHolder: null });
  const { apiKey } = await app.addKey(platform, ['platform:books']);
  expect((await request(HOLDER(app.accountId), apiKey)).code).toBe('FORBIDDEN');
  expect((await request(HOLDER(app.accountId, ''), apiKey)).data.accountHolder.name).toBe('Sandbox');
  expect((await request(HOLDER(app.accountId, ''), app.apiKey)).code).toBe('FORBIDDEN');
});
