/**
 * Goal: what is made under a key is made once, also when the process dies between making it and keeping the answer (C-52). Method: the
 * database refuses to keep answers, as if the process had ended there; the same request comes again when it keeps them.
 */

import { afterEach, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp({ rateLimit: null });

afterEach(async () => {
  await app.owner.query('drop trigger if exists no_answer on idempotency_key');
});

const CREATIONS = {
  webhook_endpoint:
    'createWebhookEndpoint(input: { url: "https://shop.invalid/once", idempotencyKey: "k" }) { webhookEndpoint { id: endpointId } errors { code message path } }',
  static_link:
    'createStaticLink(input: { name: "Once", currency: "USDT_TRX", idempotencyKey: "k" }) { staticLink { id: slug } errors { code message path } }',
  whitelist_group:
    'createWhitelistGroup(input: { name: "Once", idempotencyKey: "k" }) { whitelistGroup { id: groupId } errors { code message path } }',
  quote:
    'createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "100" }, idempotencyKey: "k" }) { quote { id: quoteId rate expiresAt } errors { code message path } }',
} as const;

const add = (groupId: string) =>
  `addWhitelistEntry(input: { groupId: "${groupId}", target: { pixKey: { type: CPF, key: "52998224725" } }, idempotencyKey: "k" }) { whitelistEntry { id: entryId } errors { code message path } }`;

/** Asks while no answer is kept, and then twice more; @returns what the last two said. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function askAgain(creation: string, key = app.apiKey): Promise<any> {
  await app.owner.query(`
    create or replace function no_answer() returns trigger language plpgsql as $$ begin raise 'no answer is kept'; end $$;
    create trigger no_answer before update on idempotency_key for each row when (new.answer is not null) execute function no_answer()`);
  const ask = async () => (await app.graphql(`mutation { made: ${creation} }`, {}, { key })).json;
  expect((await ask()).errors).toHaveLength(1);
  await app.owner.query('drop trigger no_answer on idempotency_key');
  const [second, third] = [await ask(), await ask()];
  expect(errorsIn(second)).toBeUndefined();
  expect(third).toEqual(second);
  const { errors: _errors, ...made } = second.data.made;
  return Object.values(made)[0];
}

async function count(table: string): Promise<number> {
  const { rows } = await app.owner.query(`select count(*)::int as n from ${table} where account_id = $1`, [
    String(app.accountId),
  ]);
  return rows[0].n;
}

test.each(Object.entries(CREATIONS))('one %s', async (table, creation) => {
  const before = await count(table);
  expect((await askAgain(creation)).id).toMatch(/^[\w-]{16,}$/);
  expect(await count(table)).toBe(before + 1);
});

test('one whitelist_entry', async () => {
  const { json } = await app.graphql(
    'mutation { createWhitelistGroup(input: { name: "Entries" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  const { id } = await askAgain(add(json.data.createWhitelistGroup.whitelistGroup.id));
  expect(id).toMatch(/^wle_/);
  expect(await count('whitelist_entry')).toBe(1);
});

test('play money is credited once', async () => {
  const { id } = await askAgain(
    'sandboxFund(input: { currency: "USDC_BASE", amount: "5.00", idempotencyKey: "k" }) { funding { id: journalId currency { code } amount } errors { code message path } }',
  );
  expect(id).toMatch(/^\d+$/);
  const { json } = await app.get('/v2/balance');
  expect(json.balances.USDC['USDC (BASE)'].available).toBe(5);
});

const ISSUED = '{ issuedApiKey { apiKey key { id: keyId name } } errors { code message path } }';
const createKey = (more: string) =>
  `createApiKey(input: { name: "Till", scopes: ["read"], ${more} }) ${ISSUED}`;

test('one API key, whose text is in the first answer alone and stored nowhere', async () => {
  const before = await count('api_key');
  const unheard = await askAgain(createKey('idempotencyKey: "k"'));
  expect(unheard).toEqual({ apiKey: null, key: { id: expect.stringMatching(/^key_/), name: 'Till' } });
  expect(await count('api_key')).toBe(before + 1);

  const ask = async (more = 'idempotencyKey: "heard"') =>
    (await app.graphql(`mutation { made: ${createKey(more)} }`)).json.data.made;
  const [first, again] = [await ask(), await ask()];
  const { apiKey } = first.issuedApiKey;
  expect((await app.graphql('{ viewer { account { name } } }', {}, { key: apiKey })).status).toBe(200);
  expect(again.issuedApiKey).toEqual({ ...first.issuedApiKey, apiKey: null });
  const { rows } = await app.owner.query('select answer from idempotency_key where key = $1', ['heard']);
  expect(rows[0].answer).not.toContain(apiKey);
  const { errors } = await ask('allowedCidrs: ["127.0.0.1"], idempotencyKey: "heard"');
  expect(errors[0].code).toBe('IDEMPOTENCY_MISMATCH');
  expect(await count('api_key')).toBe(before + 2);
});

test('one replacement of an API key', async () => {
  const { keyId } = await app.addKey(app.accountId, ['read']);
  const before = await count('api_key');
  const rotated = await askAgain(`rotateApiKey(input: { keyId: "${keyId}", idempotencyKey: "k" }) ${ISSUED}`);
  expect(rotated).toMatchObject({ apiKey: null, key: { id: expect.stringMatching(/^key_/) } });
  expect(await count('api_key')).toBe(before + 1);
});

test('one new webhook secret; the same request is answered with the valid ones', async () => {
  const before = await count('webhook_secret');
  const secrets = await askAgain(
    'rotateWebhookSecret(input: { idempotencyKey: "k" }) { secrets { secret } errors { code message path } }',
  );
  expect(secrets).toEqual([{ secret: expect.stringMatching(/^whsec_/) }]);
  expect(await count('webhook_secret')).toBe(before + 1);
  const { rows } = await app.owner.query(
    `select answer from idempotency_key where route = 'mutation rotateWebhookSecret'`,
  );
  expect(rows[0].answer).not.toContain('whsec_');
});

test('the clock of the sandbox moves once', async () => {
  const first = await askAgain(
    'sandboxAdvanceClock(input: { by: "1d", idempotencyKey: "k" }) { now errors { code message path } }',
    app.platformKey,
  );
  const { json } = await app.graphql(
    'mutation { sandboxAdvanceClock(input: { by: "1ms" }) { now } }',
    {},
    { key: app.platformKey },
  );
  const { now } = json.data.sandboxAdvanceClock;
  expect(Date.parse(now) - Date.parse(String(first))).toBeLessThan(86_400_000);
});

test('a test, a made-up event and a manual delivery are sent once', async () => {
  const made = await app.graphql(
    'mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
  );
  await app.post('/v2/crossramp_checkout', { amount_payment: 50, currency_exit_received_code: 'USDT_TRX' });
  const { id: endpoint } = made.json.data.createWebhookEndpoint.webhookEndpoint;
  const before = await count('webhook_delivery');
  const { id } = await askAgain(
    `sendTestWebhook(input: { endpointId: "${endpoint}", idempotencyKey: "k" }) { webhookDelivery { id: deliveryId } errors { code message path } }`,
  );
  expect(await count('webhook_delivery')).toBe(before + 1);
  await askAgain(
    `sendSampleWebhook(input: { endpointId: "${endpoint}", eventName: "onramp.depositpix.paid", idempotencyKey: "k" }) { webhookSample { id: sampleId webhookId } errors { code message path } }`,
  );
  expect(await count('webhook_sample')).toBe(1);
  await app.owner.query(`update webhook_delivery set state = 'dead' where account_id = $1`, [
    String(app.accountId),
  ]);
  await askAgain(
    `redeliverWebhook(input: { deliveryId: "${id}", idempotencyKey: "k" }) { webhookDelivery { id: deliveryId } errors { code message path } }`,
  );
  expect(await count('webhook_delivery')).toBe(before + 2);
});
