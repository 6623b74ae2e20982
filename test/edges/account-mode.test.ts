/**
 * Goal: an account moves play money or real money, never both (C-40). Method: accounts of both modes in one gateway; every
 * door of the sandbox is tried on a live account, and every creation, which has no rails to go to.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeyHash, newApiKey, PLATFORM_SCOPES, SCOPES } from '../../src/base/access/api-key.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { storeKey } from '../../src/store/account/api-keys.ts';
import { addJobs, claimJobs } from '../../src/store/engine/jobs.ts';
import { type Answer, startApp, useApp } from '../support/app.ts';
import { fundAccount } from '../support/fund-account.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { errorsIn } from '../support/refusals.ts';
import { BODIES, WRITES } from '../support/rest-routes.ts';

const app = useApp();
const withRails = useApp({ liveRails: LIVE_RAILS });
const HOUR = 3_600_000;
let live: Awaited<ReturnType<typeof app.addAccount>>;
/** On the gateway that has live rails. */
let trading: typeof live;

beforeAll(async () => {
  live = await app.addAccount({ mode: 'live' });
  trading = await withRails.addAccount({ mode: 'live' });
});

const asTrading = (query: string) => withRails.graphql(query, {}, { key: trading.apiKey });
const asLive = (query: string) => app.graphql(query, {}, { key: live.apiKey });
const codeOf = async (query: string) => errorsIn((await asLive(query)).json)?.[0].extensions.code;
const page = (path: string, form?: Record<string, string>, baseUrl = app.baseUrl) =>
  fetch(`${baseUrl}${path}`, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
const sandboxMs = async () => (await app.services.times()).sandbox - (await app.services.times()).live;

/** The body of an answer, without the ids of its request. */
const withoutIds = ({ text }: Answer) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');

describe('keys', () => {
  test('C-40: a key has the mode of its account', async () => {
    expect(live.apiKey).toMatch(/^crx_live_/);
    expect((await app.addAccount()).apiKey).toMatch(/^crx_test_/);
    expect((await app.get('/v2/balance', { key: live.apiKey })).status).toBe(200);
    const who = '{ viewer { account { mode } key { mode } } }';
    expect((await asLive(who)).json.data.viewer).toEqual({
      account: { mode: 'LIVE' },
      key: { mode: 'live' },
    });
    expect((await app.graphql(who)).json.data.viewer.account.mode).toBe('SANDBOX');
  });

  test.each([
    ['test', 'live'],
    ['live', 'sandbox'],
  ] as const)('C-40, C-41: a %s key of a %s account opens nothing', async (mode, accountMode) => {
    const { accountId } = await app.addAccount({ mode: accountMode });
    const apiKey = newApiKey(mode);
    const rest = {
      id: `key_${mode}`,
      hint: apiKey.slice(-4),
      name: 'other',
      scopes: SCOPES,
      allowedCidrs: [],
    };
    await storeKey(app.database, { ...rest, accountId, mode, hash: apiKeyHash(apiKey), expiresAt: null });
    for (const path of ['/v2/balance', '/graphql?query={viewer{key{name}}}']) {
      const refused = await app.get(path, { key: apiKey });
      const unknown = await app.get(path, { key: newApiKey(mode) });
      expect([refused.status, withoutIds(refused)]).toEqual([401, withoutIds(unknown)]);
    }
  });

  test('C-40: the mode of an account cannot be changed by the gateway', async () => {
    const change = { name: 'mode_of_test', text: `update account set mode = 'sandbox' where id = $1` };
    await expect(app.database.query(change, [live.accountId])).rejects.toThrow(/permission denied/);
  });
});

describe('a live account without live rails', () => {
  const CREATIONS = ['/v2/crossramp_checkout', '/v2/onramp', '/v2/offramp', '/v2/withdrawal'];

  test.each(CREATIONS)('C-40: POST %s reports it, and stores nothing', async (path) => {
    const { status, json } = await app.post(path, BODIES[path], { key: live.apiKey });
    expect(json).toMatchObject({ code: 'RAILS_MISSING', detail: expect.stringContaining('no live rails') });
    expect(status).toBe(422);
    const { rows } = await app.owner.query('select from transaction where account_id = $1', [live.accountId]);
    expect(rows).toEqual([]);
  });

  test.each([
    'mutation { createCheckout(input: { currency: "USDT_TRX" }) { transaction { end2end } errors { code message path } } }',
    'mutation { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "100" } }) { quote { id: quoteId } errors { code message path } } }',
    '{ quote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "100" } }) { id: quoteId } }',
  ])('C-40: so does %s', async (query) => {
    expect(await codeOf(query)).toBe('RAILS_MISSING');
  });

  test('C-40, C-20: a visit of a static link created before opens nothing', async () => {
    const { json } = await asTrading(
      'mutation { createStaticLink(input: { name: "Shop", currency: "USDT_TRX", amount: "80" }) { staticLink { slug } errors { code message path } } }',
    );
    const other = await startApp(withRails.database);
    try {
      const answer = await page(
        `/pay/l/${json.data.createStaticLink.staticLink.slug}`,
        undefined,
        other.publicUrl,
      );
      expect(answer.status).toBe(422);
      expect(await answer.text()).not.toContain('Sandbox');
    } finally {
      await other.close();
    }
  });

  test('C-3: rates of the sandbox do not value its balance', async () => {
    await fundAccount(app.database, live.accountId, { currency: 'USDT_TRX', amount: '10' });
    const { json } = await app.get('/v2/balance', { key: live.apiKey });
    expect(json.balances.USDT).toMatchObject({
      calculated_BRL_balance: null,
      'USDT (TRX)': { available: 10 },
    });
  });
});

describe('a live account with live rails', () => {
  test('C-22: its whitelist has the cooling time of a live account, on the clock of the machine', async () => {
    await withRails.post('/v2/sandbox/clock', { advance: '2h' });
    const group = await asTrading(
      'mutation { createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId createdAt } errors { code message path } } }',
    );
    const { id: groupId, createdAt } = group.json.data.createWhitelistGroup.whitelistGroup;
    expect(Date.parse(createdAt)).toBeLessThan(Date.now() + HOUR);
    const entry = `groupId: "${groupId}", target: { wallet: { network: "TRX", address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" } }`;
    const added = await asTrading(
      `mutation { addWhitelistEntry(input: { ${entry} }) { whitelistEntry { createdAt usableAt } errors { code message path } } }`,
    );
    const { createdAt: addedAt, usableAt } = added.json.data.addWhitelistEntry.whitelistEntry;
    expect(Date.parse(usableAt) - Date.parse(addedAt)).toBe(24 * HOUR);
  });

  test('C-63: plain http to this machine is for the sandbox alone', async () => {
    const endpoint =
      'mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { webhookEndpoint { id: endpointId } errors { code message path } } }';
    const { json } = await asTrading(endpoint);
    expect(errorsIn(json)[0].extensions.code).toBe('INVALID_PARAMETER');
  });
});

describe('the sandbox', () => {
  const doors = WRITES.filter(({ path }) => path.startsWith('/v2/sandbox/'));
  let livePlatform: string;

  beforeAll(async () => {
    const platform = await platformAccount(app.database, 'live');
    livePlatform = (await app.addKey(platform, PLATFORM_SCOPES)).apiKey;
  });

  test.each(doors)('C-40: $path is for sandbox accounts alone', async ({ path, body, scope }) => {
    const key = scope === 'create' ? live.apiKey : livePlatform;
    const { json } = await app.post(path, body, { key });
    expect(json).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      detail: expect.stringContaining('sandbox'),
    });
  });

  test.each([
    'sandboxAdvanceClock(input: { by: "1s" }) { now errors { code message path } }',
    'sandboxFund(input: { currency: "BRL", amount: "1" }) { funding { amount } errors { code message path } }',
    'sandboxTrigger(input: { end2end: "x", scenario: PAY }) { transaction { state } errors { code message path } }',
  ])('C-40: so is %s', async (call) => {
    expect(await codeOf(`mutation { ${call} }`)).toBe('FORBIDDEN');
    expect((await asLive('{ sandboxScenarios { name } }')).json.data).toEqual({ sandboxScenarios: null });
  });
});

describe('pages', () => {
  let other: Awaited<ReturnType<typeof startApp>>;
  let path: string;

  beforeAll(async () => {
    const shop = await app.addAccount();
    const made = await app.post('/v2/crossramp_checkout', BODIES['/v2/crossramp_checkout'], {
      key: shop.apiKey,
    });
    path = new URL(made.json.payment_link).pathname;
    // What a live account will have once it has rails: a session that waits for money. Another process has not met it yet.
    await app.owner.query(`update account set mode = 'live' where id = $1`, [shop.accountId]);
    other = await startApp(app.database);
  });
  afterAll(() => other?.close());

  test('C-40: the page of a live account has no panel, and none of its actions', async () => {
    const shown = await page(path, undefined, other.publicUrl);
    expect(shown.status).toBe(200);
    expect(await shown.text()).not.toMatch(/class="sandbox"|Test mode/);
    const paid = await page(`${path}/sandbox`, { scenario: 'pay' }, other.publicUrl);
    expect(paid.status).toBe(404);
  });

  test('C-40: no page moves the clock', async () => {
    const made = await app.post('/v2/crossramp_checkout', BODIES['/v2/crossramp_checkout']);
    const own = new URL(made.json.payment_link).pathname;
    const before = await sandboxMs();
    expect((await page(`${own}/clock`, { advance: '1d' })).status).toBe(404);
    expect((await page(`${own}/clock`)).status).toBe(404);
    expect((await sandboxMs()) - before).toBeLessThan(HOUR);
    expect(await (await page(own)).text()).not.toContain('name="advance"');
  });
});

describe('the clock', () => {
  test('C-40: timers of live accounts follow the machine, whatever the clock of the sandbox', async () => {
    const { accountId } = await app.addAccount();
    const [row] = (
      await app.owner.query('select id from transaction where account_id = $1 limit 1', [app.accountId])
    ).rows;
    const dueMs = (await app.services.times()).live + HOUR;
    await app.database.withTx((tx) =>
      addJobs(
        tx,
        [{ accountId: live.accountId, transactionId: BigInt(row.id), kind: 'expire', payload: {}, dueMs }],
        null,
      ),
    );
    const due = async (now: { sandbox: number; live: number }) =>
      (
        await claimJobs(app.database, {
          now,
          limit: 10,
          worker: null,
          only: { accountId: live.accountId, transactionId: BigInt(row.id) },
        })
      ).length;
    expect(await due({ sandbox: dueMs + HOUR, live: dueMs - 1 })).toBe(0);
    expect(await due({ sandbox: dueMs - HOUR, live: dueMs })).toBe(1);
    expect((await app.services.forAccount(accountId)).mode).toBe('sandbox');
    const { clock } = await app.services.forAccount(live.accountId);
    await app.post('/v2/sandbox/clock', { advance: '1h' });
    expect(await clock.nowMs()).toBeLessThan(Date.now() + 1_000);
  });
});
