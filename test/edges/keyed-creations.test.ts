/**
 * Goal: what is made under a key is made once, also when the process dies between making it and keeping the answer (C-52). Method: the
 * database refuses to keep answers, as if the process had ended there; the same request comes again when it keeps them.
 */
import { afterEach, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';

const app = useApp({ rateLimit: null });

afterEach(async () => {
  await app.owner.query('drop trigger if exists no_answer on idempotency_key');
});

const CREATIONS = {
  webhook_endpoint:
    'createWebhookEndpoint(input: { url: "https://shop.invalid/once" }, idempotencyKey: "k") { id }',
  static_link:
    'createStaticLink(input: { name: "Once", currency: "USDT_TRX" }, idempotencyKey: "k") { id: slug }',
  whitelist_group: 'createWhitelistGroup(name: "Once", idempotencyKey: "k") { id }',
  quote:
    'createQuote(input: { template: onramp, currency: "USDT_TRX", brlAmount: "100" }, idempotencyKey: "k") { id rate expiresAt }',
} as const;

const add = (groupId: string) =>
  `addWhitelistEntry(groupId: "${groupId}", input: { pixKeyType: CPF, pixKey: "52998224725" }, idempotencyKey: "k") { id }`;

/** Asks while no answer is kept, and then twice more; @returns what the last two said. */
async function askAgain(creation: string) {
  await app.owner.query(`
    create or replace function no_answer() returns trigger language plpgsql as $$ begin raise 'no answer is kept'; end $$;
    create trigger no_answer before update on idempotency_key for each row when (new.answer is not null) execute function no_answer()`);
  const ask = async () => (await app.graphql(`mutation { made: ${creation} }`)).json;
  expect((await ask()).errors).toHaveLength(1);
  await app.owner.query('drop trigger no_answer on idempotency_key');
  const [second, third] = [await ask(), await ask()];
  expect(second.errors).toBeUndefined();
  expect(third).toEqual(second);
  return second.data.made;
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
  const { json } = await app.graphql('mutation { createWhitelistGroup(name: "Entries") { id } }');
  const { id } = await askAgain(add(json.data.createWhitelistGroup.id));
  expect(id).toMatch(/^wle_/);
  expect(await count('whitelist_entry')).toBe(1);
});
