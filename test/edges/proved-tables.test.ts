/**
 * Goal: what proved answers are made of stands in tables whose every change moves the version of the account, and nowhere else
 * (decision 0044). Method: all that is proved is asked for over one connection, and PostgreSQL says which tables it looked at.
 */
import { type GraphQLObjectType, getNamedType, isInterfaceType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAMILIES } from '../../src/rest-compat/families.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { isProvedField } from '../../src/schema/proved-fields.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startApp, useApp } from '../support/app.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const SCHEMA = buildSchema(REGISTRY);
const IDS = HISTORY.split('\n').flatMap((line) =>
  line.includes('"transaction"') ? [JSON.parse(line).end2end] : [],
);
/** Looked at for every request: who asks, and the version itself. And what triggers of `transaction` alone write. */
const BESIDE = ['account', 'account_head', 'api_key', 'list_outcome', 'list_pix'];
let database: Database;
let gateway: Awaited<ReturnType<typeof startApp>>;
let ids: readonly string[];

beforeAll(async () => {
  const made = await app.post('/v2/onramp', {
    amount_payment: 50,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
  });
  expect(made.status).toBe(201);
  ids = [...IDS.filter(Boolean), made.json.end2end];
  database = openDatabase(app.url, { connections: 1 });
  gateway = await startApp(database);
});
afterAll(async () => {
  await gateway?.close();
  await database?.close();
});

/** @returns a selection of all proved fields, types within types to a depth. */
function selectionOf(type: unknown, depth: number): string {
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields())
    .filter(({ name }) => isProvedField(type, name))
    .flatMap((field) => {
      const inner = getNamedType(field.type);
      if (isLeafType(inner)) return [field.name];
      return depth > 0 ? [`${field.name} ${selectionOf(inner, depth - 1)}`] : [];
    });
  const own = isInterfaceType(type)
    ? SCHEMA.getPossibleTypes(type).map((each) => {
        const attributes = Object.keys(each.getFields()).filter((name) => !type.getFields()[name]);
        const shown = attributes.filter((name) => isProvedField(each as GraphQLObjectType, name));
        return `... on ${each.name} { __typename ${shown.join(' ')} }`;
      })
    : [];
  return `{ __typename ${[...fields, ...own].join(' ')} }`;
}

const run = (name: string, text: string) => database.query<{ name: string }>({ name, text }, []);

const post = async (query: string, isRefused = false) => {
  const answer = await fetch(`${gateway.publicUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { errors } = (await answer.json()) as { errors?: unknown };
  if (isRefused) expect(errors).toBeDefined();
  else expect(errors).toBeUndefined();
};

const TRANSACTIONS = [
  'first: 2',
  'filter: { text: "a", amountMin: "1", statusCodes: [SUCCESS], direction: IN }, first: 2',
  'families: ONRAMPS, offset: 1',
  'families: [ONRAMPS, OFFRAMPS], last: 2',
];

test('a write to any of the read tables moves the version', async () => {
  const { rows } = await app.owner.query(
    `select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'moved_update'`,
  );
  const moving = rows.map(({ name }) => name as string);
  // All is asked in one database transaction of the one connection: PostgreSQL counts what it looks at in it.
  await run('test_begin', 'begin');
  await post(`{ currencies ${selectionOf(SCHEMA.getType('Currency'), 1)} }`);
  for (const id of ids)
    await post(`{ transaction(end2end: "${id}") ${selectionOf(SCHEMA.getType('Transaction'), 1)} }`);
  for (const given of TRANSACTIONS)
    await post(`{ transactions(${given}) ${selectionOf(SCHEMA.getType('TransactionConnection'), 2)} }`);
  await post(`{ statement(first: 2) ${selectionOf(SCHEMA.getType('StatementConnection'), 3)} }`);
  await post(
    '{ statement(offset: 1, filter: { currency: "Tether", dateFrom: "2026-01-01" }) { totalCount } }',
    true,
  );
  for (const { list, single } of FAMILIES) {
    for (const id of ids) await gateway.get(`/v2/${single}/${id}`, app.apiKey);
    await gateway.get(`/v2/${list}?date_from=2026-01-01&date_to=2030-01-01`, app.apiKey);
    await gateway.get(`/v2/${list}?client_tax_id=52998224725&offset=1`, app.apiKey);
  }
  await gateway.get('/v2/statement?currency=USDT_TRX&date_from=2026-01-01', app.apiKey);
  const looked = await run(
    'test_looked',
    'select relname as name from pg_stat_xact_user_tables where coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0',
  );
  await run('test_commit', 'commit');
  const names = looked.map(({ name }) => name);
  expect(moving).toHaveLength(8);
  expect(names).toEqual(expect.arrayContaining(['transaction', 'ledger_line', 'ledger_day', 'list_day']));
  expect(names.filter((name) => ![...moving, ...BESIDE].includes(name))).toEqual([]);
});
