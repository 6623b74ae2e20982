/**
 * Goal: the operator sees each figure of the house in every cell, and sums that are exact; a cell that does not answer is named and is in no
 * sum. Method: three cells on three databases, two of them in one process and the third behind HTTP, by GraphQL, the console and the command.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import { cellElsewhere, cellHere, cellUnserved } from '../../src/compose/other-cells.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { FIGURES } from '../../src/resolvers/cells/figures.ts';
import { overCells } from '../../src/resolvers/cells/over-cells.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import type { OtherCell } from '../../src/resolvers/services/other-cells.ts';
import { createAccount, platformAccount } from '../../src/store/account/accounts.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { inviteByOperator, tokenOf } from '../support/people.ts';
import { crossramp } from '../support/process.ts';

const LONG_MS = 90_000;
const stores = { first: useDatabase(), a1: useDatabase(), b2: useDatabase() };
const { home, remove } = newHome();
const FUNDS = { first: '0.1', a1: '0.2', b2: '1000000000.000001' } as const;
const ALL = '1000000000.300001';
/** The discard port: nothing listens there. */
/** No test listens on a port that low. */
const NOWHERE = 'http://127.0.0.1:2';
type Gateway = Awaited<ReturnType<typeof startApp>>;
const gateways: Partial<Record<keyof typeof FUNDS, Gateway>> = {};
const others: OtherCell[] = [];
let operatorKey: string;
let figuresKey: string;
let page: (path: string) => Promise<string>;

async function keyOf(database: Database, scopes: readonly Scope[], accountId?: bigint): Promise<string> {
  const input = { name: 'test', scopes, expiresAt: null, allowedCidrs: [] };
  return (await createKey(database, accountId ?? (await platformAccount(database, 'sandbox')), input)).apiKey;
}

async function query({ publicUrl }: Gateway, key: string, text: string) {
  const answer = await fetch(`${publicUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: text }),
  });
  return answer.json();
}

/** @returns a reader of pages of the console, as an operator who has just signed in. */
async function pages(): Promise<(path: string) => Promise<string>> {
  const { publicUrl: baseUrl, services } = gateways.first as Gateway;
  const platform = await platformAccount(stores.first.database, 'sandbox');
  const who = { email: 'ana@example.invalid', role: 'platform_operator' } as const;
  const { url } = await inviteByOperator(services, platform, who);
  const device = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: null };
  const token = await acceptLink(services, tokenOf(url), device, undefined);
  const person = { token, headers: { cookie: `session=${token}` } };
  return async (path) => (await visit({ baseUrl }, person, path)).text;
}

beforeAll(async () => {
  for (const cell of ['b2', 'a1', 'first'] as const) {
    const { database } = stores[cell];
    const gateway = await startApp(database, 0, {
      cells: { own: cell, others: cell === 'first' ? others : [] },
    });
    gateways[cell] = gateway;
    const templates = REGISTRY.templates.map(({ name }) => name);
    const accountId = await createAccount(database, 'Loja', { templates, mode: 'sandbox' });
    const key = await keyOf(database, SCOPES, accountId);
    const funded = await fetch(`${gateway.publicUrl}/v2/sandbox/fund`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ currency: 'USDT_TRX', amount: FUNDS[cell] }),
    });
    expect(funded.status).toBe(200);
  }
  operatorKey = await keyOf(stores.first.database, ['read', ...PLATFORM_SCOPES]);
  figuresKey = await keyOf(stores.b2.database, ['platform:figures']);
  const address = gateways.b2?.publicUrl ?? '';
  others.push(
    cellHere('a1', () => gateways.a1?.services),
    cellElsewhere({ code: 'b2', address, operatorKeys: { sandbox: figuresKey } }),
  );
  page = await pages();
}, LONG_MS);
afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close();
  remove();
});

const OVER = (figure: string) =>
  `{ figuresOverCells(figure: ${figure}) { names values cells { cell rows { names values } failure } sum { names values } isComplete } }`;
const over = async (figure: string) =>
  (await query(gateways.first as Gateway, operatorKey, OVER(figure))).data.figuresOverCells;

test('a sum is exact, and unknown where a value is unknown', () => {
  const row = (balance: string, brl: string | null) => ({ names: ['A.pix', 'BRL'], values: [balance, brl] });
  const { sum, isComplete } = overCells('treasury', [
    { cell: 'first', rows: [row('0.1', '1')], failure: null },
    {
      cell: 'a1',
      rows: [row('-0.000001', null), { names: ['A.pix', 'X'], values: ['2', '3'] }],
      failure: null,
    },
    { cell: 'b2', rows: null, failure: 'ECONNREFUSED' },
  ]);
  expect(sum).toEqual([row('0.099999', null), { names: ['A.pix', 'X'], values: ['2', '3'] }]);
  expect(isComplete).toBe(false);
});

describe('over cells here and elsewhere', () => {
  test('treasury', async () => {
    const found = await over('TREASURY');
    expect(
      found.cells.map(({ cell, failure }: { cell: string; failure: string }) => [cell, failure]),
    ).toEqual([
      ['first', null],
      ['a1', null],
      ['b2', null],
    ]);
    const holders = (rows: { names: string[]; values: string[] }[]) =>
      rows.find(({ names }) => names.join() === 'account holders,USDT_TRX')?.values[0];
    expect(found.cells.map(({ rows }: { rows: never }) => Number(holders(rows)))).toEqual(
      Object.values(FUNDS).map(Number),
    );
    expect([holders(found.sum), found.isComplete]).toEqual([ALL, true]);
  });

  test.each(Object.keys(FIGURES).map((name) => name.toUpperCase()))('%s', async (figure) => {
    const found = await over(figure);
    expect(found.isComplete).toBe(true);
    expect(found.cells).toHaveLength(3);
    for (const { names, values } of found.sum)
      expect([names.length, values.length]).toEqual([found.names.length, found.values.length]);
  });
});

describe('a cell that does not answer is named, and is in no sum', () => {
  const unanswered: Record<string, [OtherCell, string]> = {
    starting: [cellHere('c3', () => undefined), 'the cell is starting'],
    'without a key': [
      cellElsewhere({ code: 'c3', address: NOWHERE, operatorKeys: {} }),
      'CELLS_FILE has no operator key of sandbox accounts for it',
    ],
    refusing: [
      cellElsewhere({ code: 'c3', address: NOWHERE, operatorKeys: { sandbox: 'x' } }),
      'ECONNREFUSED',
    ],
    unserved: [cellUnserved('c3'), 'this process does not serve it, and CELLS_FILE has no address for it'],
  };
  test.each(Object.entries(unanswered))('%s', async (_, [cell, failure]) => {
    others.push(cell);
    const found = await over('TREASURY').finally(() => others.pop());
    expect(found.cells.at(-1)).toEqual({ cell: 'c3', rows: null, failure });
    expect(found.isComplete).toBe(false);
    expect(found.cells.slice(0, 3).every(({ rows }: { rows: unknown }) => rows !== null)).toBe(true);
  });

  test('with a key that it refuses, or one without the scope', async () => {
    const address = gateways.b2?.publicUrl ?? '';
    const wrong = await keyOf(stores.first.database, ['platform:figures']);
    const narrow = await keyOf(stores.b2.database, ['read']);
    for (const [key, failure] of [
      [wrong, 'it refuses the operator key'],
      [narrow, 'it answers: this requires a key with the scope "platform:books"'],
    ]) {
      others.push(cellElsewhere({ code: 'c3', address, operatorKeys: { sandbox: key as string } }));
      const found = await over('TREASURY').finally(() => others.pop());
      expect(found.cells.at(-1)).toEqual({ cell: 'c3', rows: null, failure });
    }
  });
});

describe('a cell that hangs', () => {
  const server = createServer(() => {});
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const failure = 'no answer within 2 seconds';

  test('elsewhere or here is given up after two seconds, all of them together', async () => {
    const { services } = gateways.a1 as Gateway;
    const never = { ...services.database, query: () => new Promise<never>(() => {}) };
    const hanging = [
      cellHere('d4', () => ({ ...services, database: never as never })),
      cellElsewhere({ code: 'c3', address, operatorKeys: { sandbox: 'x' } }),
    ];
    others.push(...hanging);
    const found = await over('TREASURY').finally(() => others.splice(-hanging.length));
    expect(found.cells.slice(-hanging.length)).toEqual([
      { cell: 'd4', rows: null, failure },
      { cell: 'c3', rows: null, failure },
    ]);
    expect(found.isComplete).toBe(false);
  });

  test('is named by the console, which leaves it out of the sum', async () => {
    others.push(cellElsewhere({ code: 'c3', address, operatorKeys: { sandbox: 'x' } }));
    const text = await page('/console/books').finally(() => others.pop());
    for (const shown of ['Cell c3 is not reachable and in no sum:', failure, 'Sum without c3'])
      expect(text).toContain(shown);
  });
});

describe('a cell that lies', () => {
  let answer = '';
  const server = createServer((_request, response) => response.end(answer));
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const told = async (rows: unknown) => {
    answer = JSON.stringify({ data: { figures: rows } });
    others.push(cellElsewhere({ code: 'c3', address, operatorKeys: { sandbox: 'x' } }));
    return over('TREASURY').finally(() => others.pop());
  };
  const row = (names: unknown, values: unknown) => ({ names, values });
  test.each([
    ['of more digits than money has', [row(['A', 'BRL'], [`0.${'0'.repeat(200_000)}1`, null])]],
    ['of a name without an end', [row(['A'.repeat(10_000), 'BRL'], ['1', null])]],
    ['of a name with lines', [row(['A\nBRL', 'X'], ['1', null])]],
    ['in more rows than a house has', Array.from({ length: 20_000 }, () => row(['A', 'BRL'], ['1', null]))],
    ['of exponents', [row(['A', 'BRL'], ['1e9', null])]],
    ['of numbers', [row(['A', 'BRL'], [1, null])]],
    ['of another length', [row(['A', 'BRL'], ['1'])]],
    ['of nothing', [null]],
  ])('with figures %s is named, and is in no sum', async (_, rows) => {
    const found = await told(rows);
    expect(found.cells.at(-1)).toEqual({ cell: 'c3', rows: null, failure: 'it answers in another form' });
    expect(found.isComplete).toBe(false);
  });
});

test('the scope of figures reads figures and changes nothing', async () => {
  const b2 = gateways.b2 as Gateway;
  expect((await query(b2, figuresKey, '{ figures(figure: TREASURY) { names } }')).errors).toBeUndefined();
  for (const text of [
    '{ treasury { balance } }',
    '{ balances { currency { code } } }',
    '{ accounts { nodes { name } } }',
    '{ accountHolder(accountId: "1") { name } }',
    '{ openPixOrders { key } }',
    '{ railHealth { rail } }',
    '{ rateFeeds { __typename } }',
    '{ screeningLists { __typename } }',
    '{ reviewQueue { __typename } }',
    '{ viewer { account { name } } }',
    'mutation { closeBooks(input: { day: "2026-01-01" }) { errors { code } } }',
  ]) {
    const { data, errors } = await query(b2, figuresKey, text);
    const code = errors?.[0]?.extensions.code ?? data.closeBooks.errors[0]?.code;
    expect([text, code]).toEqual([text, 'FORBIDDEN']);
  }
});

test('the console shows a row for each cell, the sum, and what is missing', async () => {
  const books = await page('/console/books');
  const shown = books.slice(
    books.indexOf('Current position: by cell'),
    books.indexOf('Trial balance: by cell'),
  );
  const [rows = '', sums = ''] = shown.split('<tfoot>');
  expect(rows).toContain('1,000,000,000.000001');
  expect(sums).toContain('1,000,000,000.300001');
  expect(await page('/console/review')).toContain('Review queue: by cell');
  expect(await page('/console/reconciliation')).toContain('Reconciliation: by cell');
  others.push(cellUnserved('c3'));
  const partial = await page('/console/books').finally(() => others.pop());
  expect(partial).toContain('Cell c3 is not reachable and in no sum:');
});

test(
  'the command shows each cell and the sum, and fails when one does not answer',
  async () => {
    const keyFile = join(home, 'b2.key');
    writeFileSync(keyFile, `${figuresKey}\n`);
    const run = async (address: string) => {
      const file = join(home, 'cells.json');
      const first = { databaseUrl: stores.first.url, databaseOwnerUrl: stores.first.ownerUrl };
      writeFileSync(file, JSON.stringify({ cells: { first, b2: { address, operatorKeyFile: 'b2.key' } } }));
      return crossramp({ CROSSRAMP_HOME: home, CELLS_FILE: file }, 'cell', 'figures', 'treasury');
    };
    const whole = await run(gateways.b2?.publicUrl ?? '');
    expect(whole.stderr).toBe('');
    expect(whole.stdout).toMatch(/^CELL +ACCOUNT +CURRENCY +BALANCE +BRL$/m);
    expect(whole.stdout).toMatch(/^all cells +account holders +USDT_TRX +1000000000\.100001 /m);
    expect(whole.code).toBe(0);
    const partial = await run(NOWHERE);
    expect(partial.stdout).toContain('cell b2 is not reachable: ECONNREFUSED');
    expect(partial.stdout).toMatch(/^all but b2 +account holders +USDT_TRX +0\.1/m);
    expect(partial.code).toBe(1);
  },
  LONG_MS,
);
