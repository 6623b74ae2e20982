/**
 * Goal: no document that is short makes validation compare for long. Method: counted comparisons; documents over HTTP, on the real server.
 */
import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { countComparisons } from '../../../src/server/graphql/document-comparisons.ts';
import { useApp } from '../../support/app.ts';

const app = useApp();
const MAX = 20_000;
const countOf = (document: string) => countComparisons(parse(document), MAX);
const times = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join(' ');

describe('comparisons', () => {
  test.each([
    ['fields of other names', `{ ${times(300, (at) => `a${at}`)} }`, 1],
    ['a field three times', '{ a a a }', 1 + 3],
    ['its members, too', '{ a { b } a { b } a { b } }', 1 + 3 + 1 + 3],
    ['under an alias, with another field', '{ a b: a b }', 1 + 1],
    ['in fragments without a name', '{ a ... { a } ... on Query { a } }', 1 + 3],
    ['in a fragment that is spread twice', '{ a ...F ...F } fragment F on Query { a }', 1 + 1 + 1],
    [
      'two fragments with each other',
      '{ ...F ...G } fragment F on Query { a } fragment G on Query { a }',
      1 + 4 + 1 + 1 + 1,
    ],
    ['fragments that spread each other', '{ ...F } fragment F on Query { a ...F }', 1 + 1 + 1],
  ])('%s', (_what, document, count) => {
    expect(countOf(document)).toBe(count);
  });

  test('counting ends at the maximum, however far fragments unfold', () => {
    const unfolding = `{ ...F0 } ${times(100, (at) => `fragment F${at} on Query { a { ...F${at + 1} } b { ...F${at + 1} } }`)}`;
    expect(countOf(unfolding)).toBeGreaterThan(MAX);
    expect(countOf('{ ...F } fragment F on Query { a { ...F } }')).toBeGreaterThan(MAX);
  });
});

test.each([
  ['a field 490 times', `{ ${'balances { available } '.repeat(490)}}`],
  ['deeper', `{ ${'viewer { account { name } } '.repeat(240)}}`],
  [
    'in 120 fragments',
    `{ ${times(120, (at) => `...F${at}`)} } ${times(120, (at) => `fragment F${at} on Query { balances { available } }`)}`,
  ],
])('%s is refused, as other documents that are too large', async (_what, query) => {
  const { status, json } = await app.graphql(query);
  expect([status, json.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  expect(json.errors[0].message).toMatch(/selected too often in one place/);
});

test('a document of a large frontend is accepted', async () => {
  const query = `{ ${times(40, (at) => `...F${at}`)} } ${times(40, (at) => `fragment F${at} on Query { balances { available currency { code } } }`)}`;
  const { status, json } = await app.graphql(query);
  expect([status, json.errors]).toEqual([200, undefined]);
});

const FILTER = 'query ($f: TransactionFilter) { transactions(filter: $f) { totalCount } }';
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]));

test.each([
  ['an object of 201 members', members(201), /an object must have at most 200 members/],
  [
    'a list of 1,001 entries',
    { statusCodes: Array(1_001).fill('PENDING') },
    /a list must have at most 1,000 entries/,
  ],
  ['10,000 values', { a: Array(60).fill(members(190)) }, /together must have at most 10,000 values/],
])('%s is refused before it is looked at', async (_what, f, message) => {
  const { status, json } = await app.graphql(FILTER, { f });
  expect([status, json.code]).toEqual([400, 'BAD_REQUEST']);
  expect(json.detail).toMatch(message);
});

test('the maximum number of wrong members of an object gets a short answer', async () => {
  const { json, text } = await app.graphql(FILTER, { f: members(200) });
  expect(json.errors[0].extensions.code).toBe('BAD_REQUEST');
  expect(text.length).toBeLessThan(400_000);
});

test('some of hundreds of errors of a document are reported', async () => {
  const { json } = await app.graphql(`{ ${times(300, (at) => `unknown${at}`)} }`);
  expect(json.errors.length).toBeLessThanOrEqual(11);
});

describe('by GET', () => {
  const get = (search: Record<string, string>) => app.get(`/graphql?${new URLSearchParams(search)}`);

  test('an empty name of the operation counts as none: it is measured', async () => {
    const [head = '', ...fragments] = getIntrospectionQuery().split(/(?=fragment )/);
    const field = head.slice(head.indexOf('__schema'), head.lastIndexOf('}'));
    const query = `{ ${times(8, (at) => `a${at}: ${field}`)} } ${fragments.join(' ')}`.replace(/\s+/g, ' ');
    const { status, json } = await get({ query, operationName: '' });
    expect([status, json.code]).toEqual([400, 'BAD_REQUEST']);
    expect(json.detail).toMatch(/a cost of/);
  });

  test('variables that are no JSON are refused by their name', async () => {
    const { status, json } = await get({ query: '{ __typename }', variables: '{bad' });
    expect([status, json.code, json.detail]).toEqual([400, 'BAD_REQUEST', 'variables: must be JSON']);
  });
});
