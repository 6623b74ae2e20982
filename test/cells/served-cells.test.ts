/**
 * Goal: one process serves several cells, each as if it were alone; what it does not serve it says where to find, and a cell that is away
 * takes no other with it. Method: a process with two cells on two databases, and a third cell that is said to be elsewhere; the network
 * to one database is cut.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { newSessionToken } from '../../src/base/access/session-token.ts';
import { cellOf } from '../../src/base/ids/cell.ts';
import { SHARED_SCHEMAS } from '../../src/rest-compat/openapi-schemas.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { crossramp, failToStart, type Running, start } from '../support/process.ts';
import { startProxy, type TestProxy, through } from '../support/proxy.ts';

const LONG_MS = 400_000;
const stores = { first: useDatabase(), a1: useDatabase() };
const { home, remove } = newHome();
const keys: Record<string, string> = {};
const ADDRESS = 'https://b2.invalid';
let proxy: TestProxy;
let running: Running;
let env: Record<string, string>;

beforeAll(async () => {
  proxy = await startProxy(Number(new URL(stores.a1.url).port));
  const file = join(home, 'cells.json');
  const cells = {
    first: { databaseUrl: stores.first.url, databaseOwnerUrl: stores.first.ownerUrl },
    a1: { databaseUrl: through(proxy, stores.a1.url), databaseOwnerUrl: through(proxy, stores.a1.ownerUrl) },
    b2: { address: ADDRESS },
  };
  writeFileSync(file, JSON.stringify({ cells }));
  env = { CROSSRAMP_HOME: home, CELLS_FILE: file, SANDBOX: '1' };
  running = await start(env);
  await vi.waitFor(async () => expect((await get('/cells/a1/readyz')).status).toBe(200), {
    timeout: 200_000,
  });
  keys.first = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
  keys.a1 = JSON.parse(readFileSync(join(home, 'a1', 'sandbox.json'), 'utf8')).apiKey;
}, LONG_MS);
afterAll(async () => {
  await running?.end('SIGTERM');
  await proxy.close();
  remove();
}, LONG_MS);

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${running.baseUrl}${path}`, { headers, redirect: 'manual' });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) };
}
const by = (cell: string) => ({ authorization: `Bearer ${keys[cell]}` });

async function createOnramp(cell: string): Promise<{ end2end: string }> {
  const answer = await fetch(`${running.baseUrl}/v2/onramp`, {
    method: 'POST',
    headers: { ...by(cell), 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ amount_payment: 550, currency_exit_received_code: 'USDT_TRX' },
      ...{ client_name: 'Ana', client_tax_id: '52998224725' },
    }),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()) as { end2end: string };
}

test(
  'keys reach their cell, and a record of another cell looks missing',
  async () => {
    expect([keys.first, keys.a1].map((key) => cellOf(key ?? ''))).toEqual(['', 'a1']);
    for (const [own, other] of [
      ['first', 'a1'],
      ['a1', 'first'],
    ] as const) {
      const { end2end } = await createOnramp(own);
      expect((await get(`/v2/onramp/${end2end}`, by(own))).status).toBe(200);
      expect((await get(`/v2/onramp/${end2end}`, by(other))).json()).toMatchObject({ code: 'NOT_FOUND' });
      const session = await stores[own].owner.query(`select process ->> 'session' as token from transaction`);
      expect((await get(`/pay/${session.rows[0].token}`)).status).toBe(200);
    }
  },
  LONG_MS,
);

test(
  'a cell of another gateway is answered 421 with its address, an unknown cell is a missing record',
  async () => {
    const misdirected = await get('/v2/balance', { authorization: `Bearer ${newApiKey('test', 'b2')}` });
    expect(misdirected.status).toBe(421);
    expect(misdirected.headers.get('content-type')).toBe('application/problem+json');
    expect(misdirected.json()).toMatchObject({
      code: 'MISDIRECTED',
      address: ADDRESS,
      next: expect.stringContaining('`address`'),
    });
    const described = Object.keys(SHARED_SCHEMAS.Problem?.properties as object);
    expect(described).toEqual(expect.arrayContaining(Object.keys(misdirected.json())));
    expect((await get(`/pay/${newSessionToken('b2')}`)).status).toBe(421);
    const unknown = await get('/v2/balance', { authorization: `Bearer ${newApiKey('test', 'zz')}` });
    expect(unknown.status).toBe(401);
    expect((await get('/cells/a1/readyz')).status).toBe(200);
    for (const code of ['zz', '00']) expect((await get(`/cells/${code}/readyz`)).status).toBe(404);
  },
  LONG_MS,
);

test(
  'a link signs in to its cell, and the browser returns to that cell',
  async () => {
    const made = await crossramp(
      { ...env, CELL: 'a1' },
      ...[
        'person',
        'invite',
        'ana@example.invalid',
        '--account',
        'sandbox',
        '--role',
        'owner',
        '--name',
        'Ana',
      ],
      '--json',
    );
    expect(made.stderr).toBe('');
    const { url } = JSON.parse(made.stdout);
    expect(cellOf(new URL(url).pathname.split('/').at(-1) ?? '')).toBe('a1');
    const page = await get(new URL(url).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get('set-cookie')).toContain('cell=a1; Path=/');
  },
  LONG_MS,
);

test(
  'an unreachable cell answers 503, it alone, and is ready again when it is back',
  async () => {
    proxy.fail('refuse');
    proxy.cut();
    await expect.poll(async () => (await get('/cells/a1/readyz')).status, { timeout: 200_000 }).toBe(503);
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    expect(ready.json()).toMatchObject({
      status: 'ready',
      cells: { first: { status: 'ready' }, a1: { status: 'not ready' } },
    });
    expect((await get('/v2/balance', by('a1'))).status).toBe(503);
    expect((await get('/v2/balance', by('first'))).status).toBe(200);
    await createOnramp('first');
    proxy.heal();
    await expect
      .poll(async () => (await get('/v2/balance', by('a1'))).status, { timeout: 200_000 })
      .toBe(200);
  },
  LONG_MS,
);

test.each([
  ['{', 'not JSON'],
  ['{"cells":{"A1":{}}}', 'cells.A1: expected first, or two characters of a-z and 0-9 other than 00'],
  [
    '{"cells":{"a1":{}}}',
    'cells.a1.databaseUrl: expected a database, or the address where the cell is served',
  ],
  ['{"cells":{"a1":{"address":"https://x.invalid","databaseUrl":"y"}}}', 'there is no such setting'],
  ['{"cells":{"b2":{"address":"https://x.invalid"}}}', 'CELLS_FILE: expected a cell with a database'],
])(
  'a file that is not accepted ends the start with its reason: %s',
  async (text, reason) => {
    const file = join(home, 'wrong.json');
    writeFileSync(file, text);
    const { code, stderr } = await failToStart({ CROSSRAMP_HOME: home, CELLS_FILE: file });
    expect(stderr).toContain(reason);
    expect(code).toBe(1);
  },
  LONG_MS,
);
