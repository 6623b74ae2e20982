/**
 * Goal: without the undocumented parts of the driver and without compiled queries, the gateway answers the same, byte by byte, and books the
 * same (decision 0064). Method: a second gateway on the same database with both switched off; all reads of `/v2`, exports, the
 * documents of the console and queries by a seed are asked of both. Then the second one makes an onramp that is paid and delivered.
 */
import { getNamedType, isEnumType, parse, typeFromAST, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/console/operations.ts';
import { closeDays, leaveOpen, openBusiness } from '../../src/rails/sandbox/demo-business.ts';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { buildSchema } from '../../src/schema/index.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { openPlainDatabase } from '../../src/store/connection/plain-connection.ts';
import { findAnywhere } from '../../src/store/engine/processes.ts';
import { FILTERS } from '../../src/store/engine/transaction-filters.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { queryOf } from '../compiled/queries.ts';
import { Values } from '../fuzz/values.ts';
import { pixFor } from '../resolvers/inbound/support.ts';
import { startApp, useApp } from '../support/app.ts';
import { randomOf } from '../support/load.ts';
import { IDS, READS } from '../support/rest-routes.ts';
import { SILENT } from '../support/webhooks.ts';

const QUERIES = 60;
const SCHEMA = buildSchema(REGISTRY);
/** Values of the filters of lists, by name; some find records of the example history, some find none. */
const FILTER_VALUES: Readonly<Record<string, string>> = {
  date_from: '2026-05-01',
  date_to: '2026-06-30',
  client_tax_id: '529.982.247-25',
  receive_currency_code: 'USDT',
  target_currency: 'BRL',
  currency: 'USDT',
  families: 'onramps,offramps',
  templates: 'onramp',
  status_codes: 'SUCCESS,FAILED',
  component: 'success',
  state: 'DONE',
  amount_min: '10',
  amount_max: '5000.50',
  text: 'ana',
  direction: 'in',
  waits_for: 'hold',
  awaiting_me: 'true',
};
const VARIABLES: Readonly<Record<string, unknown>> = {
  end2end: IDS.onramp,
  taxId: '52998224725',
  text: 'Ana',
  dateFrom: '2026-05-01',
};

const app = useApp();
let database: Database;
let other: Awaited<ReturnType<typeof startApp>>;
const keys: [whose: string, key: string][] = [];

beforeAll(async () => {
  const place = await openBusiness(app.services, app.accountId);
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1000' });
  await leaveOpen(place, async () => {
    await app.services.sandbox?.advanceClock(5_000);
    await settle(app.services, SILENT);
  });
  await closeDays(place);
  keys.push(['an account', app.apiKey]);
  keys.push(['an empty account', (await app.addAccount()).apiKey]);
  keys.push(['the operator', app.platformKey]);
  database = openPlainDatabase(app.url, { connections: 6 });
  await database.readClock();
  other = await startApp(database, 0, { graphqlCompiled: false, answersBytesMax: 0 });
});
afterAll(async () => {
  await other?.close();
  await database?.close();
});

/** A request, as both are asked. */
interface Request {
  readonly path: string;
  readonly body?: string;
}

async function query(baseUrl: string, key: string, { path, body }: Request): Promise<string> {
  const response = await fetch(baseUrl + path, {
    headers: {
      authorization: `Bearer ${key}`,
      'x-request-id': 'asked-of-both',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body }),
  });
  const text = (await response.text())
    .replaceAll(baseUrl, 'https://gateway.invalid')
    // Each compares its clock by its own connection.
    .replaceAll(/\d+ ms from the database/g, '# ms from the database');
  return `${response.status} ${response.headers.get('content-type')}\n${text}`;
}

/** Asks both, the first one twice: a query that comes again is compiled. What differs from one time to the next tells the time. */
async function compare(key: string, requests: readonly Request[]) {
  const different: string[] = [];
  const found = { same: 0, unsteady: 0, answered: 0 };
  for (const request of requests) {
    const first = await query(app.baseUrl, key, request);
    const plain = await query(other.publicUrl, key, request);
    const again = await query(app.baseUrl, key, request);
    if (again.startsWith('200')) found.answered += 1;
    if (plain === first && plain === again) found.same += 1;
    else if (first !== again || (await query(other.publicUrl, key, request)) !== plain) found.unsteady += 1;
    else different.push(`${request.path} ${request.body ?? ''}\n${first}\n${plain}`);
  }
  expect(different.slice(0, 2).join('\n\n')).toBe('');
  return found;
}

function restReads(): Request[] {
  const plain = READS.map(({ path }) => ({ path: path === '/v2/events' ? `${path}?wait=0` : path }));
  const lists = READS.filter(
    ({ route }) => route === '/v2/statement' || (/s$/.test(route) && route !== '/v2/events'),
  );
  const filtered = lists.flatMap(({ path }) => [
    { path: `${path}?limit=3&offset=2` },
    { path: `${path}?limit=101&offset=-1&unknown=1` },
    ...FILTERS.flatMap(([, { parameters = [] }]) =>
      parameters.map(({ name }) => ({ path: `${path}?${name}=${value(name)}` })),
    ),
  ]);
  const exports = FILTERS.flatMap(([, filter]) =>
    ['csv', 'csv-pt', 'jsonl'].map((format) => ({
      path: `/export/transactions?format=${format}&${filter.export}=${value(filter.export)}`,
    })),
  );
  const statements = ['csv', 'csv-pt', 'jsonl', 'ofx', 'hledger'].map((format) => ({
    path: `/export/statement?format=${format}`,
  }));
  return [...plain, ...filtered, ...exports, ...statements, { path: '/export/records?month=2026-05' }];
}

const value = (name: string) => encodeURIComponent(FILTER_VALUES[name] ?? 'none');

/** Every query of the console, with a value for each variable. */
function consoleReads(): Request[] {
  return [...OPERATIONS].flatMap(([operationName, { text }]) => {
    const document = parse(text);
    const [definition] = document.definitions;
    if (definition?.kind !== 'OperationDefinition' || definition.operation !== 'query') return [];
    const variables = Object.fromEntries(
      (definition.variableDefinitions ?? []).flatMap(({ variable: { name }, type }): [string, unknown][] => {
        const of = getNamedType(typeFromAST(SCHEMA, type as never));
        const given = name.value === 'accountId' ? String(app.accountId) : VARIABLES[name.value];
        if (given !== undefined) return [[name.value, given]];
        if (of?.name === 'Boolean') return [[name.value, true]];
        if (of?.name === 'Int' && name.value === 'first') return [[name.value, 25]];
        return isEnumType(of) && type.kind === 'NonNullType' ? [[name.value, of.getValues()[0]?.name]] : [];
      }),
    );
    return [{ path: '/graphql', body: JSON.stringify({ query: text, operationName, variables }) }];
  });
}

function madeReads(seed: number): Request[] {
  const values = new Values(randomOf(seed), Object.values(IDS), 'grp_made');
  const made: Request[] = [];
  while (made.length < QUERIES) {
    const query = queryOf(SCHEMA, values);
    if (isValid(query.query)) made.push({ path: '/graphql', body: JSON.stringify(query) });
  }
  return made;
}

function isValid(query: string): boolean {
  try {
    return validate(SCHEMA, parse(query)).length === 0;
  } catch {
    // Texts may hold what no document may.
    return false;
  }
}

test('every read of /v2 and every export is the same', { timeout: 120_000 }, async () => {
  for (const [, key] of keys) {
    const found = await compare(key, restReads());
    expect(found.answered).toBeGreaterThan(0);
    expect(found.unsteady).toBeLessThan(found.same / 10);
  }
});

test('every document of the console is the same, and queries by a seed', { timeout: 240_000 }, async () => {
  for (const [turn, [, key]] of keys.entries()) {
    const found = await compare(key, [...consoleReads(), ...madeReads(turn + 1)]);
    expect(found.answered).toBeGreaterThan(QUERIES / 2);
    expect(found.unsteady).toBeLessThan(found.same);
  }
});

test('a transaction is made, paid and booked', { timeout: 60_000 }, async () => {
  const { accountId, apiKey } = await app.addAccount();
  const response = await fetch(`${other.publicUrl}/v2/onramp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ amount_payment: '100.00', currency_exit_received_code: 'USDT_TRX' },
      ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
    }),
  });
  const { end2end } = (await response.json()) as { end2end: string };
  expect(response.status).toBe(201);
  const rowAt = async (isThere: (step: string) => boolean) => {
    for (;;) {
      await settle(other.services, SILENT);
      const row = await findAnywhere(database, end2end);
      if (row && isThere(`${row.component}/${row.state}`)) return row;
    }
  };
  const charged = await rowAt((step) => step === 'depositpix/QRCODE');
  const settledAt = new Date(await other.services.clock.nowMs()).toISOString();
  const payment = pixFor(charged, { settledAt });
  for (const outcome of ['step', 'duplicate'])
    expect(await other.services.receive(payment)).toMatchObject({ outcome });
  expect(await other.services.receive(pixFor(charged, { settledAt }))).toMatchObject({ outcome: 'suspense' });
  await rowAt((step) => step === 'success/DONE');
  const verified = await verifyLedger(database, accountId);
  expect(verified.defects).toEqual([]);
  expect(verified).toEqual(await verifyLedger(app.database, accountId));
});
