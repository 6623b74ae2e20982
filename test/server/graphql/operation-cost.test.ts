/** Goal: an operation is measured once for each size that it asks for, never by the size of another. Method: the schema, counted preparations. */
import { getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { buildSchema } from '../../../src/schema/index.ts';
import type { ServerContext } from '../../../src/server/graphql/graphql-context.ts';
import type { OperationParams } from '../../../src/server/graphql/known-operations.ts';
import { operationCosts } from '../../../src/server/graphql/operation-cost.ts';
import { REGISTRY } from '../../../src/templates/index.ts';

const schema = buildSchema(REGISTRY);
const LIST = `query List($first: Int = 50, $note: String!, $families: [TransactionFamily!]) {
  transactions(families: $families, first: $first) { nodes { end2end } }
  transaction(end2end: $note) { end2end }
}`;

function counted() {
  let prepared = 0;
  const costOf = operationCosts(schema, (query) => {
    prepared += 1;
    return { document: parse(query) };
  });
  const contextOf = (accountId: bigint) => ({ caller: { accountId } }) as unknown as ServerContext;
  return {
    costOf: (params: OperationParams, accountId = 1n) => costOf(params, contextOf(accountId)),
    prepared: () => prepared,
  };
}

const cost = (variables: Record<string, unknown>, { costOf } = counted()) =>
  costOf({ query: LIST, variables }).points;

test('sizes in variables count; other values do not, and are not measured again', () => {
  const { costOf, prepared } = counted();
  const small = costOf({ query: LIST, variables: { first: 1, note: 'a' } });
  const large = costOf({ query: LIST, variables: { first: 100, note: 'a' } });
  expect(large.points - small.points).toBe(99 * 2);
  expect(prepared()).toBe(2);
  expect(costOf({ query: LIST, variables: { first: 100, note: 'b' } })).toBe(large);
  expect(costOf({ query: LIST, variables: { first: 1, note: 'c' } })).toBe(small);
  expect(prepared()).toBe(2);
});

test('null uses the default of the schema, an omitted value that of the document, whichever comes first', () => {
  const nothing = { note: 'a' };
  const none = { note: 'a', first: null };
  for (const order of [
    [nothing, none],
    [none, nothing],
  ]) {
    const shared = counted();
    const found = new Map(order.map((variables) => [variables, cost(variables, shared)]));
    expect([found.get(nothing), found.get(none)]).toEqual([cost(nothing), cost(none)]);
    expect(found.get(nothing)).not.toBe(found.get(none));
  }
});

test('an invalid operation costs nothing, is not within the limits, and is not remembered', () => {
  const { costOf } = counted();
  expect(costOf({ query: LIST, variables: { first: 1 } })).toEqual({ points: 0, isWithin: false });
  expect(costOf({ query: LIST, variables: { first: 1, note: 'a' } }).points).toBeGreaterThan(0);
  expect(costOf({ query: LIST, variables: { first: 'x', note: 'a' } })).toEqual({
    points: 0,
    isWithin: false,
  });
});

test("one account's new operations never push out those of another", () => {
  const { costOf, prepared } = counted();
  costOf({ query: LIST, variables: { first: 7, note: 'a' } });
  for (let n = 0; n < 1_100; n += 1) costOf({ query: `query N${n} { balances { available } }` }, 2n);
  const before = prepared();
  costOf({ query: LIST, variables: { first: 7, note: 'a' } });
  expect(prepared()).toBe(before);
});

test("one account's new sizes never push out those of another", () => {
  const { costOf, prepared } = counted();
  const query =
    'query($a: Int, $b: Int) { x: transactions(first: $a) { totalCount } y: transactions(first: $b) { totalCount } }';
  costOf({ query, variables: { a: 1, b: 100 } });
  for (let n = 0; n < 1_100; n += 1)
    costOf({ query, variables: { a: 2 + (n % 40), b: (1 + n / 40) | 0 } }, 2n);
  const before = prepared();
  costOf({ query, variables: { a: 1, b: 100 } });
  expect(prepared()).toBe(before);
});

/** Lines and their transactions, nested: a depth of two for each level and one for the root. */
const nested = (levels: number) =>
  `{ transaction(end2end: "x") ${'{ ledgerLines { transaction '.repeat(levels)} { ... on Onramp { ...F } } ${'} }'.repeat(levels)} } fragment F on Onramp { end2end }`;

test.each([
  [
    'a cost of \\d+; at most 15000',
    '{ transactions(first: 100) { nodes { events { name state sequence } ledgerLines { number debit credit balance transaction { end2end state fees ledgerLines { number } } } } } }',
  ],
  [
    'a breadth of 546; at most 500',
    `{ ${Array.from({ length: 26 }, (_, n) => `a${n}: balances { ${Array.from({ length: 20 }, (_, m) => `b${m}: available`).join(' ')} }`).join(' ')} }`,
  ],
  ['a depth of 12; at most 10', nested(5)],
])('an operation with %s is refused', (message, query) => {
  expect(() => counted().costOf({ query })).toThrow(new RegExp(`^the operation has ${message} is allowed$`));
});

test('fragments add nothing to the depth, and introspection has none', () => {
  // Its depth is 10, so what is over a limit is its cost.
  expect(() => counted().costOf({ query: nested(4) })).toThrow(/^the operation has a cost/);
  const type = `{ __type(name: "Query") { fields { type ${'{ ofType '.repeat(12)} { name } ${'}'.repeat(12)} } } }`;
  expect(counted().costOf({ query: type }).isWithin).toBe(true);
});

test('operations of one document are measured separately', () => {
  const { costOf } = counted();
  const query = `query A { balances { blocked } } query B { balances { blocked available } }`;
  const [a, b] = ['A', 'B'].map((operationName) => costOf({ query, operationName }).points);
  expect(b).toBeGreaterThan(a as number);
});

test('a filter without an index costs the scanned records, one with an index nothing', () => {
  const { costOf } = counted();
  const costWith = (filter: string) =>
    costOf({ query: `{ transactions(first: 1, filter: { ${filter} }) { totalCount } }` }).points;
  const plain = costOf({ query: '{ transactions(first: 1) { totalCount } }' }).points;
  for (const filter of ['dateFrom: "2026-01-01"', 'clientTaxId: "1"', 'clientTaxId: "1", component: "quote"'])
    expect(costWith(filter), filter).toBe(plain);
  for (const filter of [
    'text: "a"',
    'waitsFor: HOLD, text: "a"',
    'awaitingMe: true, text: "a"',
    'amountMin: "1"',
    'currency: "BRL"',
    'templates: [onramp]',
  ])
    expect(costWith(filter), filter).toBe(plain + 2_500);
  for (const filter of [
    ...['statusCodes: [PENDING]', 'component: "quote"', 'targetCurrency: "BRL"'],
    ...['waitsFor: HOLD', 'waitsFor: HOLD, component: "quote"'],
    ...['awaitingMe: true', 'awaitingMe: true, clientTaxId: "1"', 'awaitingMe: true, dateFrom: "2026-01-01"'],
    ...['clientTaxId: "1", text: "a"', 'externalCode: "1", amountMin: "1"'],
  ])
    expect(costWith(filter), filter).toBe(plain + 1_000);
  expect(costWith('awaitingMe: false')).toBe(plain);
  const ofLog = (args: string) => costOf({ query: `{ auditLog(first: 1${args}) { totalCount } }` }).points;
  expect(ofLog(', actorId: "key_1"') - ofLog('')).toBe(1_000);
  const ofDeliveries = (args: string) =>
    costOf({
      query: `{ viewer { account { webhookDeliveries(first: 1${args}) { nodes { id: deliveryId } } } } }`,
    }).points;
  for (const args of [', states: [DEAD]', ', endpointId: "whe_1"', ', states: [DEAD], offset: 2000'])
    expect(ofDeliveries(args) - ofDeliveries(''), args).toBe(1_000);
});

test('a variable of thousands of wrong members is measured no further than the first', () => {
  const query = 'query ($f: TransactionFilter) { transactions(filter: $f) { totalCount } }';
  let printed = 0;
  const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`x${at}`, 1]));
  const f = Object.defineProperty(wrong, 'toJSON', { value: () => `${++printed}` });
  expect(counted().costOf({ query, variables: { f } })).toEqual({ points: 0, isWithin: false });
  expect(printed).toBeLessThan(5);
});

test('records before a page that are passed over cost as well', () => {
  const { costOf } = counted();
  const more = (field: string, args: string) =>
    costOf({ query: field.replace('ARGS', `first: 1, ${args}`) }).points -
    costOf({ query: field.replace('ARGS', `first: 1, ${args.replace(/offset: \d+/, 'offset: 0')}`) }).points;
  const list = '{ transactions(ARGS) { totalCount } }';
  expect(more(list, 'offset: 90000')).toBe(0);
  for (const filter of ['clientTaxId: "1"', 'dateFrom: "2026-01-01"', 'direction: IN'])
    expect(more(list, `offset: 1, filter: { ${filter} }`), filter).toBe(1_000);
  // Those cost it already.
  for (const filter of ['targetCurrency: "BRL"', 'text: "a"', 'clientTaxId: "1", text: "a"'])
    expect(more(list, `offset: 1, filter: { ${filter} }`), filter).toBe(0);
  for (const field of [
    '{ customers(ARGS) { nodes { taxId } } }',
    '{ viewer { account { webhookDeliveries(ARGS) { nodes { state } } } } }',
    '{ suspense(ARGS) { nodes { state } } }',
    '{ railEvents(ARGS) { nodes { state } } }',
    '{ screeningHits(ARGS) { nodes { state } } }',
    '{ requestLog(ARGS, statusClass: SUCCESSFUL) { nodes { status } } }',
    '{ receivables(ARGS) { nodes { amount } } }',
    '{ accounts(ARGS) { nodes { name } } }',
  ]) {
    expect(more(field, 'offset: 1000'), field).toBe(0);
    expect(more(field, 'offset: 1001'), field).toBe(1_000);
  }
  // Those have numbers: nothing is passed over.
  for (const field of ['{ auditLog(ARGS) { totalCount } }', '{ statement(ARGS) { totalCount } }'])
    expect(more(field, 'offset: 90000'), field).toBe(0);
});

test('a value computed once for a page costs that once, however many nodes the page has', () => {
  const { costOf } = counted();
  const costWith = (fields: string, first: number) =>
    costOf({
      query: `{ ${fields} } fragment Sums on TransactionConnection { sums { source } }`.replaceAll(
        'FIRST',
        `${first}`,
      ),
    }).points;
  const [without, sums] = [
    'transactions(first: FIRST) { totalCount }',
    'transactions(first: FIRST) { totalCount ...Sums }',
  ];
  for (const first of [1, 100]) {
    const more = costWith(sums, first) - costWith(without, first);
    expect(more).toBe(1_000 + first * (1 + 10));
  }
  expect(() => costWith(Array.from({ length: 15 }, (_, at) => `a${at}: ${sums}`).join(' '), 1)).toThrow(
    /a cost of 15\d{3}; at most 15000/,
  );
});

test('introspection costs its reads, each time it is selected, and is refused over the limit', () => {
  const { costOf } = counted();
  const whole = getIntrospectionQuery();
  const [head = '', ...fragments] = whole.split(/(?=fragment )/);
  const field = head.slice(head.indexOf('__schema'), head.lastIndexOf('}'));
  const asked = (fields: string) => costOf({ query: `{ ${fields} } ${fragments.join(' ')}` });
  const several = (count: number, of: string) =>
    Array.from({ length: count }, (_, at) => `a${at}: ${of}`).join(' ');
  const { points, isWithin } = costOf({ query: whole });
  expect([points > 3_000, isWithin]).toEqual([true, true]);
  expect(asked('__schema { queryType { name } } __type(name: "Money") { name }').points).toBeLessThan(10);
  expect(asked(several(2, field)).points).toBeGreaterThan(2 * points - 2);
  expect(() => asked(several(29, field))).toThrow(/a cost of (more than )?\d+; at most 15000 is allowed/);
  expect(() => asked(`__schema { ${several(29, 'types { ...FullType }')} }`)).toThrow(/a cost of/);
  // Few fields of each type, of which many have many.
  const deep = '__schema { types { fields { type { ofType { fields { name } } } } } }';
  expect(() => asked(several(30, deep))).toThrow(/a cost of/);
  const ofType = 'query ($name: String!) { __type(name: $name) { fields { name args { name } } } }';
  const pointsOf = (name: string) => costOf({ query: ofType, variables: { name } }).points;
  expect(pointsOf('Mutation')).toBeGreaterThan(10 * pointsOf('Money'));
  expect(pointsOf('Nothing')).toBeLessThan(3);
  // Spread twice, and executed once.
  const inFragment = `{ ...A ... { ...A } } fragment A on Query { ${field} } ${fragments.join(' ')}`;
  expect(costOf({ query: inFragment }).points).toBeLessThan(points + 5);
});

test('to count the requests of the log costs as much as to count transactions, once for a page of any size', () => {
  const { costOf } = counted();
  const points = (first: number, selected: string) =>
    costOf({ query: `{ requestLog(first: ${first}) { ${selected} } }` }).points;
  for (const first of [1, 100])
    expect(points(first, 'totalCount nodes { status }') - points(first, 'nodes { status }')).toBe(
      1_000 + first,
    );
});

test('a period of the books costs its sums, however few of its lines are selected', () => {
  const { costOf } = counted();
  for (const field of ['trialBalance', 'profitAndLoss'])
    expect(costOf({ query: `{ ${field}(from: "2024-01-01") { to } }` }).points, field).toBe(1_000 + 1);
});
