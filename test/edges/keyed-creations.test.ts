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
async function askAgain(creation: string): Promise<{ readonly id: string }> {
  await app.owner.query(`
    create or replace function no_answer() returns trigger language plpgsql as $$ begin raise 'no answer is kept'; end $$;
    create trigger no_answer before update on idempotency_key for each row when (new.answer is not null) execute function no_answer()`);
  const ask = async () => (await app.graphql(`mutation { made: ${creation} }`)).json;
  expect((await ask()).errors).toHaveLength(1);
  await app.owner.query('drop trigger no_answer on idempotency_key');
  const [second, third] = [await ask(), await ask()];
  expect(errorsIn(second)).toBeUndefined();
  expect(third).toEqual(second);
  const { errors: _errors, ...made } = second.data.made;
  return Object.values(made)[0] as { readonly id: string };
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

test('a test and a manual delivery are sent once', async () => {
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
  await app.owner.query(`update webhook_delivery set state = 'dead' where account_id = $1`, [
    String(app.accountId),
  ]);
  await askAgain(
    `redeliverWebhook(input: { deliveryId: "${id}", idempotencyKey: "k" }) { webhookDelivery { id: deliveryId } errors { code message path } }`,
  );
  expect(await count('webhook_delivery')).toBe(before + 2);
});
