/**
 * Goal: work under a key is done once, also when it was committed and the answer to the commit was lost (C-52). Method: two ways in to one
 * database. The first goes through a proxy; a trigger holds its commit at the server until the proxy drops what comes back. The same
 * request then comes by the second.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { startApp, useApp } from '../support/app.ts';
import { startProxy, type TestProxy, through } from '../support/proxy.ts';
import { eventually } from '../support/receiver.ts';
import { openOnramp } from '../support/webhooks.ts';

const COMMITTING = `select from pg_stat_activity where datname = current_database() and query ~* '^commit' and state = 'active'`;

const app = useApp();
let proxy: TestProxy;
let database: Database;
let far: Awaited<ReturnType<typeof startApp>>;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let endpoint: string;
let end2end: string;

beforeAll(async () => {
  proxy = await startProxy(Number(new URL(app.url).port));
  database = openDatabase(through(proxy, app.url), {});
  far = await startApp(database);
  await app.owner.query(
    `create function held() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return null; end $$`,
  );
});
afterAll(async () => {
  await far?.close();
  proxy?.heal();
  await database?.close();
  await proxy?.close();
});
beforeEach(async () => {
  shop = await app.addAccount();
  const made = await ask(
    'createWebhookEndpoint(input: { url: "https://shop.invalid/hook" }) { webhookEndpoint { endpointId } errors { message } }',
  );
  endpoint = made.webhookEndpoint.endpointId;
  end2end = await openOnramp(app, shop.apiKey);
  await app.owner.query(
    `insert into webhook_delivery (account_id, endpoint_id, event_seq, round, transaction_id, state, due_at, ended_at, created_at)
      select account_id, $2, seq, 0, transaction_id, 'delivered', now(), now(), now() from event where account_id = $1`,
    [String(shop.accountId), endpoint],
  );
});
afterEach(async () => {
  proxy.heal();
  for (const table of ['webhook_redelivery', 'audit_entry'])
    await app.owner.query(`drop trigger if exists held on ${table}`);
});

async function ask(mutation: string) {
  const { json } = await app.graphql(`mutation { made: ${mutation} }`, {}, { key: shop.apiKey });
  expect(json.errors).toBeUndefined();
  expect(json.data.made.errors).toEqual([]);
  return json.data.made;
}

/** Sends a request of which the answer to the commit is lost. `table`: gets a row in the transaction of the work. */
async function loseCommit(table: string, path: string, body: unknown): Promise<void> {
  await app.owner.query(
    `create constraint trigger held after insert on ${table} deferrable initially deferred for each row execute function held()`,
  );
  const sent = fetch(far.publicUrl + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${shop.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    },
    body: JSON.stringify(body),
  });
  await eventually('it commits', async () => (await app.owner.query(COMMITTING)).rowCount === 1);
  proxy.fail('drop', 'down');
  expect(await (await sent).text()).toContain('"code":"UNAVAILABLE"');
  await app.owner.query(`drop trigger held on ${table}`);
  proxy.heal();
}

/** @returns the answer to the same request, as soon as its key is free. */
const again = (path: string, body: unknown) =>
  eventually('the key is free', async () => {
    const answer = await app.post(path, body, { key: shop.apiKey, headers: { 'idempotency-key': 'k' } });
    return !answer.text.includes('IDEMPOTENCY_RUNNING') && answer;
  });

async function count(table: string): Promise<number> {
  const { rows } = await app.owner.query(`select count(*)::int as n from ${table} where account_id = $1`, [
    String(shop.accountId),
  ]);
  return rows[0].n;
}

/** Ends the deliveries that wait, so that a filter of ended ones meets them again. */
const endDeliveries = () =>
  app.owner.query(
    `update webhook_delivery set state = 'delivered', ended_at = now() where account_id = $1 and state = 'pending'`,
    [String(shop.accountId)],
  );

test('a redelivery of many is made once, and answered as it was', async () => {
  const before = await count('webhook_delivery');
  const path = '/v2/webhook_deliveries/redeliver';
  const body = { endpoint_id: endpoint, states: ['delivered'] };
  await loseCommit('webhook_redelivery', path, body);
  await endDeliveries();
  const { status, json } = await again(path, body);
  expect([status, json]).toMatchObject([200, { matched: before, redelivered: before }]);
  expect(json.last_cursor).not.toBeNull();
  expect(await count('webhook_delivery')).toBe(2 * before);
  expect(await count('webhook_redelivery')).toBe(1);
});

test('a recovery is made once, and answered as it was', async () => {
  const before = await count('webhook_delivery');
  await app.owner.query(`update webhook_delivery set state = 'dead' where account_id = $1`, [
    String(shop.accountId),
  ]);
  await app.owner.query(
    `update webhook_endpoint set state = 'disabled', disabled_from_seq = 1 where account_id = $1 and id = $2`,
    [String(shop.accountId), endpoint],
  );
  await app.owner.query(
    `insert into relay_place (account_id, seq) select account_id, event_seq from account_head where account_id = $1
      on conflict (account_id) do update set seq = excluded.seq`,
    [String(shop.accountId)],
  );
  const path = `/v2/webhook_endpoint/${endpoint}/recover`;
  await loseCommit('webhook_redelivery', path, {});
  const { status, json } = await again(path, {});
  expect([status, json]).toMatchObject([200, { matched: before, redelivered: before }]);
  expect(await count('webhook_redelivery')).toBe(1);
});

test('a scenario is played once', async () => {
  const document = `mutation { sandboxTrigger(input: { end2end: "${end2end}", scenario: PAY, idempotencyKey: "k" }) { transaction { end2end } errors { code message } } }`;
  await loseCommit('audit_entry', '/graphql', { query: document });
  const { json } = await again('/graphql', { query: document });
  expect(json).toEqual({ data: { sandboxTrigger: { transaction: { end2end }, errors: [] } } });
  const { rows } = await app.owner.query(
    `select count(*)::int as n from audit_entry where account_id = $1 and act = 'sandbox.trigger' and ("after"->>'step') is null`,
    [String(shop.accountId)],
  );
  expect(rows).toEqual([{ n: 1 }]);
});
