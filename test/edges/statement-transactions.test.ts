/**
 * Goal: lines of the statement come with their transactions in one statement, whichever way a page is asked for, and with the same
 * values as the transactions themselves. Method: the imported history and a line of no transaction, over GraphQL.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { beginCount, counted, rowsOf } from '../support/count-statements.ts';

const app = useApp({ rateLimit: null, answersBytesMax: 0, role: 'serve' });
const FACTS = `end2end template component state createdAt updatedAt status { en pt } errorMessage { en pt } fees clientName
  externalCode sourceCurrency { code } targetCurrency { code } source { amount } target { amount } legacyBody`;

beforeAll(async () => {
  expect((await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1' })).status).toBe(200);
});

/** @returns the lines of a page, and the names of the statements that read it. */
async function lines(page: string, fragments = '') {
  const ask = () => app.graphql(`{ statement(${page} } } ${fragments}`);
  await ask();
  beginCount();
  const { json } = await ask();
  expect(json.errors).toBeUndefined();
  const { nodes, edges } = json.data.statement;
  return {
    statements: [...counted().byName.keys()].filter((name) => /^(?:statement|transaction)/.test(name)),
    nodes: nodes ?? edges.map(({ node }: { node: unknown }) => node),
  };
}

test('each line has the transaction that a look-up finds', async () => {
  const { nodes, statements } = await lines(`first: 100) { nodes { number transaction { ${FACTS} } }`);
  expect(statements).toEqual(['statement_slice_desc_whole']);
  const found = nodes.filter((line: { transaction: unknown }) => line.transaction !== null);
  expect([found.length > 3, found.length < nodes.length]).toEqual([true, true]);
  for (const { transaction } of found) {
    const { json } = await app.graphql(`{ transaction(end2end: "${transaction.end2end}") { ${FACTS} } }`);
    expect(transaction).toEqual(json.data.transaction);
  }
});

test.each([
  ['from the end', 'last: 100) { edges { node { ...L } }', 'statement_slice_asc_whole'],
  ['by fragments', 'first: 100) { ...P', 'statement_slice_desc_whole'],
])('%s, with the same lines', async (_name, page, statement) => {
  const plain = await lines('first: 100) { nodes { number transaction { end2end } }');
  const fragments = `fragment L on LedgerLine { number ... { transaction { end2end } } }
    fragment P on StatementConnection { edges { ... on StatementEdge { node { ...L } } } }`;
  const used = page.includes('...P') ? fragments : fragments.split('\n')[0];
  const { nodes, statements } = await lines(page, used);
  expect(statements).toEqual([statement]);
  expect(nodes).toEqual(plain.nodes);
});

test('only the lines are read if only lines are selected', async () => {
  const { nodes, statements } = await lines('first: 100) { nodes { number }');
  expect(statements).toEqual(['statement_slice_desc']);
  expect(nodes.length).toBeGreaterThan(3);
});

test('a page reads no more than it shows, unless its neighbours are requested', async () => {
  const page = 'first: 2) { nodes { number }';
  await lines(page);
  expect(rowsOf('statement_slice_desc')).toBe(2);
  await lines(`${page} pageInfo { hasNextPage }`);
  expect(rowsOf('statement_slice_desc')).toBe(3);
});
