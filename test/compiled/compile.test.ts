/**
 * Goal: a compiled query is answered as graphql-js answers it: the same bytes, nulls, errors and paths. Method: a small schema whose
 * resolvers do everything that resolvers can do wrong, now and later; each query is executed by both.
 */
import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';
import {
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
} from 'graphql';
import { createSchema } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { textOfUtf8 } from '../../src/base/text/utf8-text.ts';
import { compile } from '../../src/compiled/compile.ts';

const later = async <Value>(value: Value) => value;
const fail = (message: string) => () => {
  throw new Error(message);
};
const failLater = (message: string) => async () => {
  throw new Error(message);
};
interface Context {
  readonly told: string;
  readonly loader?: DataLoader<string, string>;
}
const LEAF = {
  text: () => 'a "b" \\ \n \u0000 \ud800 é 😀 \u2028',
  long: () => '"'.repeat(60),
  empty: () => '',
  none: () => null,
  missing: () => undefined,
  number: () => -0,
  fraction: () => 1.5,
  whole: () => 2 ** 31 - 1,
  tooLarge: () => 2 ** 31,
  asText: () => 12,
  yes: () => true,
  one: () => 1,
  id: () => 42,
  color: () => 7,
  wrongColor: () => 8,
  exact: () => '12.500',
  nothing: () => 'nothing',
  object: () => ({}),
  error: () => new Error('given back'),
  errorLater: () => later(new Error('given back later')),
  thrown: fail('thrown'),
  thrownLater: failLater('thrown later'),
  thrownText: () => {
    throw 'a text';
  },
  located: () => {
    throw new GraphQLError('of its own', { extensions: { code: 'OWN', http: { status: 418 } } });
  },
  textLater: () => later('later'),
  must: () => null,
  mustLater: () => later(null),
  mustThrow: fail('must'),
  mustThrowLater: failLater('must later'),
  echo: (_source: unknown, args: object) => JSON.stringify(args),
  take: (_source: unknown, args: object) =>
    JSON.stringify([args, Object.getPrototypeOf(args) === Object.prototype]),
  where: (_source: unknown, _args: object, _context: object, info: GraphQLResolveInfo) =>
    JSON.stringify([
      info.fieldName,
      info.fieldNodes.length,
      String(info.returnType),
      String(info.parentType),
      info.path,
      info.schema.getQueryType()?.name,
      Object.keys(info.fragments),
      info.operation.name?.value,
      info.rootValue,
      info.variableValues,
    ]),
  context: (_source: unknown, _args: object, context: Context) => context.told,
};
const LISTS = {
  list: () => ['a', null, 'c'],
  listLater: () => [later('a'), 'b', later(null)],
  listOfMust: () => ['a', null],
  listOfMustLater: () => [later('a'), later(null), 'c'],
  noList: () => 'text',
  set: () => new Set(['x', 'y']),
  emptyList: () => [],
  nested: () => [['a'], null, [], later(['b', null])],
  failing: () => ['a', new Error('in a list'), later(new Error('later in a list'))],
  rejected: () => ['a', Promise.reject(new Error('rejected'))],
  listMust: () => null,
  things: () => [{}, later({}), null],
  mustThings: () => [{}, later({}), {}],
  pets: () => [
    { kind: 'Cat' },
    later({ kind: 'Dog' }),
    { kind: 'Cow' },
    { kind: null },
    { kind: 'Later' },
    { kind: 'Thing' },
  ],
  petsOrNull: () => [{ kind: 'Dog' }, null],
};
const THING = {
  ...LEAF,
  ...LISTS,
  thing: () => ({}),
  thingLater: () => later({}),
  mustThing: () => ({}),
  noThing: () => null,
};

let reads = 0;
const ALIKE = new Proxy(Object.freeze({ a: 'never changes', b: 1 }), {
  get: (target, name: 'a' | 'b') => {
    if (Object.hasOwn(target, name)) reads += 1;
    return target[name];
  },
});
const TOO_LARGE = Object.freeze({ a: 'has an error each time', b: 2 ** 40 });
const AWAITED = Object.freeze({ a: Promise.resolve('later'), b: 2 });
const CHANGING = { a: 'changes', b: 0 };
const FIXED = [
  () => ALIKE,
  () => ALIKE,
  () => TOO_LARGE,
  () => TOO_LARGE,
  () => AWAITED,
  () => AWAITED,
  () => CHANGING,
];
let looks = 0;
/** Two objects that many have in common. */
const [COMMON, OTHER] = [{ name: 'common' }, { name: 'other' }];

const SCHEMA = createSchema({
  typeDefs: /* GraphQL */ `
    scalar Exact
    scalar Any
    enum Color { RED GREEN }
    interface Node { id: ID }
    interface Named implements Node { id: ID name: String }
    type Cat implements Named & Node { id: ID name: String lives: Int! }
    type Dog implements Named & Node { id: ID name: String tricks: [String!]! }
    union Pet = Cat | Dog
    input Filter { word: String = "default" numbers: [Int!] color: Color }
    input Place { a: String n: Int color: Color any: Any inner: Inner list: [Int] inner2: Place }
    input Inner { must: Int! may: Int }
    input Either @oneOf { a: String b: Int }
    type Thing implements Node {
      text: String long: String empty: String none: String missing: String number: Int fraction: Float whole: Int
      tooLarge: Int asText: String yes: Boolean one: Boolean id: ID color: Color wrongColor: Color exact: Exact nothing: Exact
      object: String error: String errorLater: String thrown: String thrownLater: String thrownText: String located: String
      textLater: String must: String! mustLater: String! mustThrow: String! mustThrowLater: String!
      echo(first: Int = 3, filter: Filter, color: Color = RED, need: Boolean! = true): String
      take(place: Place, n: Int, must: String!, color: Color, list: [Int], either: Either, any: Any): String where: String context: String any: Any
      list: [String] listLater: [String] listOfMust: [String!] listOfMustLater: [String!] noList: [String] set: [String]
      emptyList: [String!]! nested: [[String]] failing: [String] rejected: [String] listMust: [String]! things: [Thing]
      mustThings: [Thing!]! pets: [Named] petsOrNull: [Pet!]
      thing: Thing thingLater: Thing mustThing: Thing! noThing: Thing plain: String constructor: String
    }
    type Query { thing: Thing thingLater: Thing mustThing: Thing! mustThingLater: Thing! things: [Thing!]! text: String pet: Pet
      sameError: String sameErrorAgain: String fixed: [Fixed] loaded: [Loaded!]!
        owners: [Owner] placed: [Placed] told: [Told] ownersLast: [Owner] strict: Strict }
    type Fixed { a: String b: Int }
    type Owner { common: Common }
    type Strict { owner: Owner must: String! }
    type Placed { place: String }
    type Told { said(word: String): String }
    type Common { name: String looks: Int broken: String inner: Fixed }
    type Loaded { id: ID loaded: String next: Loaded }
    type Mutation { change: Int }
  `,
  resolvers: {
    Exact: {
      serialize: (value: unknown) => (value === 'nothing' ? null : String(value)),
    },
    Any: { serialize: (value: unknown) => value },
    Color: { RED: 7, GREEN: { object: true } },
    Thing: { ...THING, any: () => ({ a: [1, { b: null }], c: 'd' }) },
    Named: {
      __resolveType: ({ kind }: { kind: string | null }) => (kind === 'Later' ? later('Dog') : kind),
    },
    Pet: { __resolveType: ({ kind }: { kind: string }) => kind },
    Cat: { id: () => 'c', name: () => later('Tom'), lives: () => 9 },
    Dog: { id: () => 'd', name: () => 'Rex', tricks: () => ['sit', later('roll')] },
    Loaded: {
      loaded: ({ id }: { id: string }, _args: object, { loader }: Context) => loader?.load(id),
      next: async ({ id }: { id: string }, _args: object, { loader }: Context) => ({
        id: await loader?.load(`next of ${id}`),
      }),
    },
    Placed: {
      place: (_source: unknown, _args: object, _context: object, { path }: GraphQLResolveInfo) =>
        `${path.prev?.key}`,
    },
    Told: {
      said: (_source: unknown, { word }: { word?: string }) => word,
    },
    Strict: {
      must: failLater('it has to be there'),
      owner: async () => {
        await setImmediate();
        return { common: COMMON };
      },
    },
    Common: {
      name: ({ name }: { name: string }) => `${name}!`,
      looks: () => {
        looks += 1;
        return 1;
      },
      broken: fail('broken'),
      inner: () => CHANGING,
    },
    Query: {
      loaded: async () => [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      fixed: () => FIXED.map((each) => each()),
      owners: () => [COMMON, COMMON, OTHER, COMMON, COMMON].map((common) => ({ common })),
      placed: () => [COMMON, COMMON, COMMON],
      told: () => [COMMON, COMMON],
      ownersLast: async () => {
        await setImmediate();
        await setImmediate();
        return [{ common: COMMON }];
      },
      strict: () => ({}),
      thing: () => ({ plain: () => 'called' }),
      thingLater: () => later({ plain: 'property' }),
      mustThing: () => ({}),
      mustThingLater: () => later({}),
      things: () => [{}, later({})],
      text: () => 'root',
      pet: () => ({ kind: 'Cat' }),
      sameError: failLater('first'),
      sameErrorAgain: failLater('second'),
    },
  },
}) as unknown as GraphQLSchema;

type Query = readonly [query: string, variables?: Record<string, unknown>];

const each = (fields: readonly string[], around: (field: string) => string) =>
  fields.map((field): Query => [around(field)]);
/** Values for a variable of this type, usual and not. */
const GIVEN: Readonly<Record<string, readonly unknown[]>> = {
  Place: [
    ...[null, {}, 'text', 1, [], [{}], { a: 'x' }, { a: null }, { a: 1 }, { a: undefined }, { unknown: 1 }],
    ...[{ n: 5, a: 'x' }, { n: 1.5 }, { n: 2 ** 40 }, { color: 'RED' }, { color: 'red' }, { color: 7 }],
    ...[{ any: { x: [1] } }, { inner: { must: 1 } }, { inner: { must: 1, may: null } }, { inner: {} }],
    ...[
      { inner: { must: null } },
      { inner: { must: 'x' } },
      { inner: null },
      { list: 1 },
      { list: [1, null] },
    ],
    ...[
      { inner2: { inner2: { a: 'deep' } } },
      { inner2: { inner2: { b: 'deep' } } },
      { a: 'x', unknown: null },
    ],
    ...[JSON.parse('{"__proto__":{"a":"x"}}'), JSON.parse('{"a":"x","constructor":1}')],
  ],
  'Place!': [null, { a: 'x' }],
  Int: [1, null, '1', 1.5, -0, true],
  'String!': ['x', null, 1],
  Color: ['GREEN', null, 'BLUE', 7],
  '[Int]': [1, [1], null, [null], ['x'], [], [[1]], [1, undefined]],
  Either: [
    ...[
      { a: 'x' },
      { b: 1 },
      { a: null },
      {},
      { a: 'x', b: 1 },
      { a: 'x', b: null },
      { a: 1 },
      { unknown: 1 },
    ],
    ...[null, 'x', [{ a: 'x' }], { a: undefined, b: 1 }],
  ],
};
const ARGUMENTS: Readonly<Record<string, string>> = {
  Int: 'n',
  Color: 'color',
  '[Int]': 'list',
  Either: 'either',
};
const VARIABLES: readonly Query[] = Object.entries(GIVEN).flatMap(([type, values]) => {
  const name = type === 'String!' ? 'must' : (ARGUMENTS[type] ?? 'place');
  const must = name === 'must' ? '' : 'must: "m"';
  const query = `query($v: ${type}) { thing { take(${must} ${name}: $v) } text }`;
  return [[query], [query, { v: undefined }], ...values.map((v): Query => [query, { v, other: 1 }])];
});
const LITERALS = [
  ...[
    'must: "m"',
    'n: 1',
    'must: "m" n: 1 color: RED list: [1 2]',
    'must: "m" list: 1 n: null',
    'must: null',
  ],
  ...[
    'must: "m" place: { a: "x" inner: { must: $n } }',
    'must: "m" list: [$n 2]',
    'must: $s',
    'must: $s n: $n',
  ],
  ...[
    'must: "m" place: { inner: { must: 3 } any: { x: [1 $n] } }',
    'must: "m" either: { a: $s }',
    'n: $n must: "é"',
  ],
];

const FIELDS = Object.keys({ ...LEAF, any: 0, plain: 0, constructor: 0 });
const LIST_FIELDS = Object.keys(LISTS).filter((name) => !/things|pets/i.test(name));

const QUERIES: readonly Query[] = [
  ...each([...FIELDS, ...LIST_FIELDS], (field) => `{ thing { ${field} } text }`),
  ...each(
    [...FIELDS, ...LIST_FIELDS],
    (field) => `{ thingLater { x: text thing { ${field} yes } textLater } text }`,
  ),
  ...each(
    ['must', 'mustLater', 'mustThrow', 'mustThrowLater', 'listMust'],
    (field) => `{ mustThing { ${field} } text }`,
  ),
  ...each(
    ['must', 'mustLater', 'mustThrow', 'mustThrowLater'],
    (field) => `{ thing { mustThing { textLater ${field} } text } text }`,
  ),
  ...each(
    ['must', 'mustLater', 'thrown', 'thrownLater', 'text'],
    (field) => `{ thing { things { ${field} } } }`,
  ),
  ...each(['must', 'mustThrowLater', 'textLater'], (field) => `{ thing { mustThings { ${field} } } text }`),
  ...each(['must', 'mustThrowLater', 'textLater'], (field) => `{ things { ${field} } text }`),
  ['{ thing { thrownLater must } text }'],
  ['{ thing { things { thrownLater } must } }'],
  ['{ thing { thrown thrownLater error errorLater text } }'],
  ['{ sameError sameErrorAgain }'],
  [
    '{ thing { pets { __typename id name ... on Cat { lives } ... on Dog { tricks } ... on Node { again: id } } } }',
  ],
  ['{ thing { petsOrNull { __typename ... on Named { name } } } pet { ... on Dog { tricks } } }'],
  [
    'query Where($a: Int) { thing { where echo(first: $a) } thingLater { where things { where } } } fragment F on Thing { id }',
    { a: 1 },
  ],
  [
    'query Where { ...R } fragment R on Query { thing { ...F ...F text } } fragment F on Thing { where text thing { text } thing { id } }',
  ],
  ['{ thing { a: text b: text __proto__: text __typename t: __typename } }'],
  [
    '{ thing { ... { text } ... on Node { id } ... on Thing { yes } ... @skip(if: true) { empty } noThing { text } } }',
  ],
  ['{ thing { text @skip(if: true) } }'],
  ['{ text @include(if: false) }'],
  [
    'query($a: Boolean!, $b: Boolean = true) { thing { text @include(if: $a) yes @skip(if: $b) ...F @include(if: $a) } } fragment F on Thing { id }',
    { a: true },
  ],
  [
    'query($a: Boolean!, $b: Boolean = true) { thing { text @include(if: $a) yes @skip(if: $b) ...F @include(if: $a) } } fragment F on Thing { id }',
    { a: false, b: false },
  ],
  ...VARIABLES,
  ['query($__proto__: Int) { thing { take(must: "m" n: $__proto__) } }', JSON.parse('{"__proto__":1}')],
  [
    'query($n: Int, $a: Int, $s: String!) { thing { take(must: $s n: $n) echo(first: $a) } }',
    { s: 'x', n: 1 },
  ],
  ['query($n: Int, $a: Int, $s: String!) { thing { take(must: $s n: $n) } }', { n: 1 }],
  ['query($toString: Int, $n: Int) { thing { take(must: "m" n: $toString) echo(first: $n) } }', {}],
  ...LITERALS.flatMap((given): Query[] =>
    [{}, { n: 4, s: 'y' }, { n: null, s: null }].map((variables) => [
      `query($n: Int, $s: String = "default") { thing { take(${given}) } text }`,
      variables,
    ]),
  ),
  ['query($b: Boolean = true) { text thing { id things { yes @skip(if: $b) } } }', { b: null }],
  ['query($b: Boolean = true) { text @skip(if: $b) }', { b: null }],
  [
    'query($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!, $e: Boolean!) { thing { text @skip(if: $a) yes @skip(if: $b) id @skip(if: $c) empty @skip(if: $d) none @skip(if: $e) } }',
    { a: true, b: false, c: true, d: false, e: false },
  ],
  ['query($f: Filter, $first: Int) { thing { echo(filter: $f, first: $first) } }', {}],
  [
    'query($f: Filter, $first: Int) { thing { echo(filter: $f, first: $first) } }',
    { f: { numbers: 3, color: 'GREEN' }, first: null },
  ],
  ['query($n: Boolean) { thing { echo(need: $n) id } }', { n: null }],
  ['query($n: Int!) { thing { echo(first: $n) } }', { n: 'many' }],
  ['query($n: Int!) { thing { echo(first: $n) } }', {}],
  ['query($n: [Int!]) { thing { text } }', { n: Array.from({ length: 60 }, () => 'x') }],
  [
    '{ __typename __schema { queryType { name } types { name kind } } __type(name: "Thing") { fields { name type { name ofType { name } } } } }',
  ],
  ['{ thing { things { things { pets { name } set } } } }'],
  // Objects that many have in common.
  ['{ owners { common { name __typename inner { a b } } } }'],
  ['{ placed { place } again: placed { place } }'],
  ['query($w: String = "w") { told { said(word: $w) other: said } }'],
  ['{ owners { common { name broken inner { a __typename } } } }'],
  ['query($d: Boolean = true) { owners { common { name inner @skip(if: $d) { a } } } }'],
  // An error below what is null already is none, and one at another place is.
  [
    '{ strict { must owner { ...shared } } ownersLast { ...shared } } fragment shared on Owner { common { name broken } }',
  ],
];

async function byBoth(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation?.operation !== OperationTypeNode.QUERY) throw new Error('no query');
  const contextValue = { told: 'context' };
  const { data, errors } = await execute({
    schema: SCHEMA,
    document,
    contextValue,
    variableValues: variables,
  });
  const expected = { errors: errors?.map(reported), data: JSON.stringify(data) };
  const compiled = compile(SCHEMA, document, operation, () => {});
  const given = async () => {
    const answer = await compiled.execute(contextValue, variables);
    return { errors: answer.errors?.map(reported), data: answer.data && textOfUtf8(answer.data) };
  };
  return { expected, first: await given(), second: await given() };
}

/** An error with what the gateway makes of it. */
function reported(error: GraphQLError) {
  return { ...error.toJSON(), cause: error.originalError?.message, nodes: error.nodes?.length };
}

test.each([...QUERIES])('%s', async (...given) => {
  const [query, variables] = given as unknown as Query;
  const { expected, first, second } = await byBoth(query, variables);
  expect(first).toEqual(expected);
  expect(second).toEqual(expected);
});

test('an input object that is too deep for functions is an error, as with graphql-js', async () => {
  const deep = JSON.parse(`${'{"inner2":'.repeat(20_000)}{}${'}'.repeat(20_000)}`);
  const document = parse('query($v: Place) { thing { take(must: "m", place: $v) } }');
  const { execute: run } = compile(SCHEMA, document, getOperationAST(document) as never, () => {});
  const answers = [
    await execute({ schema: SCHEMA, document, variableValues: { v: deep } }),
    await run({}, { v: deep }),
  ];
  for (const { data, errors } of answers) expect([data, errors?.length]).toEqual([undefined, 1]);
});

test('loaders have as many batches as with graphql-js', async () => {
  const document = parse('{ loaded { loaded next { loaded next { id } } } again: loaded { loaded } }');
  const batches = async (run: (context: Context) => unknown) => {
    const asked: (readonly string[])[] = [];
    const loader = new DataLoader<string, string>(async (ids) => {
      asked.push(ids);
      return ids.map((id) => `${id}!`);
    });
    await run({ told: '', loader });
    return asked;
  };
  const expected = await batches((contextValue) => execute({ schema: SCHEMA, document, contextValue }));
  const operation = getOperationAST(document) as OperationDefinitionNode;
  const compiled = compile(SCHEMA, document, operation, () => {});
  expect(await batches((context) => compiled.execute(context, {}))).toEqual(expected);
  expect(expected).toHaveLength(2);
});

test('constants are remembered, but not their errors, and nothing that changes', async () => {
  const query = '{ fixed { a b } again: fixed { b } }';
  for (const b of [1, 2]) {
    CHANGING.b = b;
    const { expected, first, second } = await byBoth(query);
    expect(first).toEqual(expected);
    expect(second).toEqual(expected);
    expect(expected.errors).toHaveLength(4);
  }
});

/** Executes a query twice. @param between - is done before the second time. */
async function runAgain(query: string, between: () => void): Promise<void> {
  const document = parse(query);
  const { execute: run } = compile(SCHEMA, document, getOperationAST(document) as never, () => {});
  await run({}, {});
  between();
  await run({}, {});
}

test('constants are read once per query, however often they are written', async () => {
  await runAgain('{ fixed { a b } }', () => {
    reads = 0;
  });
  expect(reads).toBe(0);
});

test('a shared object is serialized once for consecutive rows, and again for each execution', async () => {
  await runAgain('{ owners { common { name looks } } }', () => {
    looks = 0;
  });
  expect(looks).toBe(3);
});

test('a rejection that is awaited no more needs no catch', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const { data } = await byBoth('{ thing { mustThings { mustThrowLater must } } text }').then(
      ({ first }) => first,
    );
    expect(data).toBe('{"thing":null,"text":"root"}');
    await setImmediate();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
