/** Goal: queries that come again are compiled, once, and nothing else is. Method: a small schema and counted preparations. */
import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import {
  knownOperations,
  type OperationParams,
  operationKey,
} from '../../../src/server/graphql/known-operations.ts';

const schema = buildSchema('type Query { twice(of: Int = 1): Int } type Mutation { change: Int }');
const QUERY = 'query Twice($of: Int) { twice(of: $of) }';

function counted(bounds?: { readonly fieldsMax: number }) {
  let prepared = 0;
  const prepare = (query: string) => {
    prepared += 1;
    return query.includes('unfit') ? {} : { document: parse(query) };
  };
  const find = knownOperations<{ readonly caller: { readonly accountId: bigint } }>(schema, prepare, bounds);
  const contextOf = (accountId: bigint) => ({ caller: { accountId } });
  return {
    find: (params: OperationParams, accountId = 1n) => find(params, contextOf(accountId)),
    prepared: () => prepared,
  };
}

test('the first time is not compiled, the second is, the third is the same', async () => {
  const { find, prepared } = counted();
  expect(find({ query: QUERY })).toBeUndefined();
  expect(prepared()).toBe(0);
  const operation = find({ query: QUERY });
  expect(find({ query: QUERY })).toBe(operation);
  expect(prepared()).toBe(1);
  expect(await operation?.execute({}, { of: 2 })).toEqual({ data: '{"twice":null}' });
});

test('an operation is known by its document and its name', () => {
  const { find } = counted();
  const query = `${QUERY} query Other { twice }`;
  for (const operationName of ['Twice', 'Other']) expect(find({ query, operationName })).toBeUndefined();
  expect(find({ query, operationName: 'Twice' })).not.toBe(find({ query, operationName: 'Other' }));
});

test.each([
  ['a mutation', 'mutation { change }'],
  ['a document that is not fit', '{ unfit }'],
  ['a document of over 20,000 characters', `{ twice } # ${'x'.repeat(20_000)}`],
])('%s is never compiled', (_what, query) => {
  const { find } = counted();
  for (let time = 0; time < 3; time++) expect(find({ query })).toBeUndefined();
});

test('an operation whose name is too long for a document is not cached', () => {
  const { find, prepared } = counted();
  for (let time = 0; time < 3; time++)
    expect(find({ query: QUERY, operationName: 'x'.repeat(20_000) })).toBeUndefined();
  expect(prepared()).toBe(0);
});

test('the oldest are removed above the maximum number of fields, even if they grow later', async () => {
  const { find, prepared } = counted({ fieldsMax: 36 });
  const queries = ['a', 'b', 'c', 'd', 'e'].map(
    (name) => `query ${name} { one: twice two: twice three: twice }`,
  );
  const known = (query: string | undefined) => {
    const before = prepared();
    const operation = find({ query: query as string });
    return operation !== undefined && prepared() === before;
  };
  for (const query of queries) {
    expect(find({ query })).toBeUndefined();
    await find({ query })?.execute({}, {});
  }
  // Each has three fields, and five for its text.
  expect(known(queries[4])).toBe(true);
  expect(known(queries[1])).toBe(true);
  expect(known(queries[0])).toBe(false);
});

test("one account's new documents never push out those of another", () => {
  const { find, prepared } = counted({ fieldsMax: 100 });
  find({ query: QUERY });
  const compiled = find({ query: QUERY });
  for (let n = 0; n < 2_000; n += 1)
    for (let time = 0; time < 2; time += 1) find({ query: `query N${n} { twice }` }, 2n);
  const before = prepared();
  expect(find({ query: QUERY })).toBe(compiled);
  expect(prepared()).toBe(before);
});

test("one account's new documents never make another's be seen for the first time again", () => {
  const { find } = counted();
  find({ query: QUERY });
  for (let n = 0; n < 2_000; n += 1) find({ query: `query N${n} { twice }` }, 2n);
  expect(find({ query: QUERY })).toBeDefined();
});

test('keys of two requests are equal only where document and name are', () => {
  const documents = ['{ a }', '5 { a }', '5 { a }"X', '{ a }"X', '8 5 { a }'];
  const names = [null, 'X', 'Y', ''];
  const keys = documents.flatMap((query) =>
    names.map((operationName) => operationKey({ query, operationName })),
  );
  expect(new Set(keys).size).toBe(keys.length);
  expect(operationKey({ query: '{ a }' })).toBe(operationKey({ query: '{ a }', operationName: null }));
});
