/**
 * Goal: a listener gets every event once, and orders are made once, although the gateway dies again and again. Method: the gateway as
 * a process on a database that lives on gets SIGKILL while orders are made; the iterator of the SDK and `graphql-sse` listen all the
 * while, and what they got is compared with the log. SDK_KILLS=20 for more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '../../packages/sdk/src/index.ts';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { cpfOf } from '../support/load.ts';
import { type Running, start } from '../support/process.ts';
import { createSubscriber } from './recipes/graphql-sse.ts';

const KILLS = Number(process.env.SDK_KILLS ?? 3);
/** Orders at the same time; orders (of four events) and time before each kill, and the time until the next start. */
const MAKERS = 16;
const MOST_ORDERS = 100_000;
const ORDERS_OF_A_LIFE = 25;
const LIFE_MS = 2_000;
const AWAY_MS = 300;
const LIMIT_MS = 120_000 + KILLS * 20_000;
const SUBSCRIPTION = 'subscription { events { __typename cursor ... on TransactionEvent { name } } }';

const store = useDatabase();
const { home, remove } = newHome();
let gateway: Running;
let env: Record<string, string>;
let key: string;
let baseUrl: string;

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const templates = REGISTRY.templates.map(({ name }) => name);
  const accountId = await createAccount(store.database, 'Merchant', { templates });
  const options = { name: 'shop', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
  key = (await createKey(store.database, accountId, options)).apiKey;
  env = {
    ...{ CROSSRAMP_HOME: home, DATABASE_URL: store.url, SANDBOX: '1', PORT: String(port) },
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' },
  };
  gateway = await start(env);
}, 120_000);
afterAll(async () => {
  await gateway?.end('SIGTERM');
  remove();
});

test(`${KILLS} kills while orders are made`, { timeout: LIMIT_MS }, async () => {
  const bySdk: string[] = [];
  const bySse: string[] = [];
  const ending = new AbortController();
  const client = createClient({ baseUrl, key, retries: 1_000, timeoutMs: 5_000 });
  let streams = 0;
  const listener = createClient({
    ...{ baseUrl, key },
    fetch: (url, init) => {
      if (String(url).endsWith('/graphql')) streams++;
      return fetch(url, init);
    },
  });
  const [origin] = await origins(client);
  const listening = (async () => {
    for await (const { cursor } of listener.events({ after: origin, signal: ending.signal }))
      bySdk.push(cursor);
  })();
  const end = createSubscriber(`${baseUrl}/graphql`, key)(
    { query: `${SUBSCRIPTION.replace('events {', `events(after: "${origin}") {`)}` },
    {
      next: ({ data }) => {
        const { __typename, cursor } = (data as { events: { __typename: string; cursor: string } }).events;
        if (__typename === 'TransactionEvent') bySse.push(cursor);
      },
      error: (error) => bySse.push(String(error)),
      complete: () => {},
    },
  );
  const beganAt = Date.now();
  let isOver = false;
  let made = 0;
  const makers = Array.from({ length: MAKERS }, async (_, maker) => {
    for (let n = 0; !isOver; n++) {
      await client.rest.post('/v2/onramp', order(`${maker}-${n}`, maker * MOST_ORDERS + n));
      made++;
    }
  });
  const live = async () => {
    const before = made;
    await sleep(LIFE_MS);
    await vi.waitUntil(() => made >= before + ORDERS_OF_A_LIFE, { timeout: LIMIT_MS });
  };
  for (let kill = 0; kill < KILLS; kill++) {
    await live();
    await gateway.end('SIGKILL');
    await sleep(AWAY_MS);
    gateway = await start(env);
  }
  await live();
  isOver = true;
  await Promise.all(makers);
  const seconds = (Date.now() - beganAt) / 1_000;
  const log = await cursorsAfter(client, origin);
  await expect
    .poll(() => [bySdk.length, bySse.length], { timeout: 60_000 })
    .toEqual([log.length, log.length]);
  ending.abort();
  end();
  await listening;
  expect(bySdk).toEqual(log);
  expect(bySse).toEqual(log);
  expect(streams).toBeGreaterThan(KILLS);
  process.stderr.write(
    `sdk: ${KILLS} kills, ${made} orders, ${log.length} events, ${Math.round(log.length / seconds)} a second\n`,
  );
  // One order for each that was asked for: no reference occurs twice.
  const { total } = await client.rest.get('/v2/onramps', { limit: 1 });
  expect(total).toBe(made + 1);
});

type Client = ReturnType<typeof createClient>;

/** A customer of its own for each order: they would reach the daily limit of one. */
const order = (external_code: string, customer: number) => ({
  amount_payment: '60.00',
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: cpfOf(customer),
  external_code,
});

/** Makes a first order. @returns the cursors of its events. */
async function origins(client: Client): Promise<string[]> {
  await client.rest.post('/v2/onramp', order('first', MAKERS * MOST_ORDERS));
  return (await client.rest.get('/v2/events')).events.map(({ cursor }) => cursor);
}

/** @returns the cursors of the whole log after a place. */
async function cursorsAfter(client: Client, origin = ''): Promise<string[]> {
  const cursors: string[] = [];
  for (let after = origin; ; ) {
    const { events, next } = await client.rest.get('/v2/events', { after, limit: 100 });
    if (events.length === 0) return cursors;
    cursors.push(...events.map(({ cursor }) => cursor));
    after = next;
  }
}
