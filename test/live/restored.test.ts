/**
 * Goal: after the database was restored from a backup, nobody is told that all is well where something is missing. Method: a gateway as
 * a process, which goes on; its server goes back to a copy of its data, and new events take the numbers of those that were lost.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newHome } from '../support/home.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { type Running, start } from '../support/process.ts';
import { EVENTS, subscribe } from './streams.ts';

const { home, remove } = newHome();
let postgres: MortalPostgres;
let gateway: Running;
let key: string;

beforeAll(async () => {
  postgres = await startMortalPostgres();
  gateway = await start({
    DATABASE_URL: postgres.url,
    SANDBOX: '1',
    CROSSRAMP_HOME: home,
    RATE_LIMIT: 'off',
  });
  key = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
}, 120_000);
afterAll(async () => {
  await gateway?.end('SIGKILL');
  await postgres?.remove();
  remove();
});

async function call(path: string, body?: object) {
  const answer = await fetch(`${gateway.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}

const STATEMENT = 'subscription { statementEntryAdded { cursor entry { credit } } }';

const order = {
  amount_payment: 50,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana',
  client_tax_id: '52998224725',
};
async function makeOrder(): Promise<string> {
  const { status, json } = await call('/v2/onramp', order);
  expect(status).toBe(201);
  return json.end2end;
}
/** Funds the account. @returns the cursor of the newest line of its statement. */
async function fundAndFollow(amount: string): Promise<string> {
  expect((await call('/v2/sandbox/fund', { currency: 'BRL', amount })).status).toBeLessThan(300);
  const app = { baseUrl: gateway.baseUrl, apiKey: key };
  const stream = await subscribe(app, STATEMENT);
  await stream.until(() => stream.beginning() !== undefined);
  stream.close();
  return stream.beginning()?.id as string;
}
const logOf = async (after = '') => (await call(`/v2/events?limit=100&after=${after}`)).json;
const listed = async () =>
  (await call('/v2/onramps?limit=100')).json.results.map(({ end2end }: { end2end: string }) => end2end);
const isReady = async () => (await fetch(`${gateway.baseUrl}/readyz`)).status === 200;
const ready = () => vi.waitFor(async () => expect(await isReady()).toBe(true), { timeout: 30_000 });

test('a cursor of lost events has expired, however many events followed; an older one continues; no cached answer is from before', async () => {
  const first = await makeOrder();
  const { next: kept } = await logOf();
  const restore = await postgres.backUp();
  await ready();
  const lost = [await makeOrder(), await makeOrder()];
  const { next, events } = await logOf(kept);
  // Asked for twice, it is kept.
  for (let n = 0; n < 3; n++) expect(await listed()).toEqual([...lost.toReversed(), first]);
  const lineCursor = await fundAndFollow('7');
  const stream = await subscribe({ baseUrl: gateway.baseUrl, apiKey: key }, EVENTS, {
    variables: { after: next },
  });

  await restore();
  await ready();
  const expired = { status: 410, json: { code: 'CURSOR_EXPIRED' } };
  expect(await call(`/v2/events?after=${next}`)).toMatchObject(expired);
  await stream.ended;
  expect(await listed()).toEqual([first]);
  const since: string[] = [];
  while ((await logOf(kept)).events.length < events.length + 2) {
    since.unshift(await makeOrder());
    expect(await call(`/v2/events?after=${next}`)).toMatchObject(expired);
    expect(await listed()).toEqual([...since, first]);
  }
  const { json } = await call(`/v2/events?after=${next}`);
  expect(json.earliest).toBeDefined();
  const again = await subscribe({ baseUrl: gateway.baseUrl, apiKey: key }, EVENTS, { lastEventId: next });
  await again.ended;
  expect(again.events[0]?.data.data.events.__typename).toBe('CursorExpired');
  // Lines that came since have the number of the lost one.
  for (const amount of ['8', '9']) await call('/v2/sandbox/fund', { currency: 'BRL', amount });
  const lines = await subscribe({ baseUrl: gateway.baseUrl, apiKey: key }, STATEMENT, {
    lastEventId: lineCursor,
  });
  await lines.ended;
  expect(lines.events[0]?.data.errors[0].extensions.code).toBe('CURSOR_EXPIRED');
  const { events: told } = await logOf(kept);
  const ids = told.map(({ transaction }: { transaction: { end2end: string } }) => transaction.end2end);
  expect(new Set(ids)).toEqual(new Set(since));
}, 180_000);

test('streams of the statement and of balances end where lines were lost and no event was', async () => {
  const restore = await postgres.backUp();
  await ready();
  for (const amount of ['1', '2', '3']) await fundAndFollow(amount);
  const app = { baseUrl: gateway.baseUrl, apiKey: key };
  const lines = await subscribe(app, STATEMENT);
  const balances = await subscribe(app, 'subscription { balanceChanged { cursor } }');
  await lines.until(() => lines.beginning() !== undefined);
  await balances.until(1);
  const endings = [lines.ended, balances.ended];
  await restore();
  await ready();
  await fundAndFollow('4');
  await Promise.all(endings);
  expect(lines.events).toEqual([]);
}, 120_000);
