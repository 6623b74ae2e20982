/**
 * Goal: GraphQL over HTTP as the specification says, bounded, and the same from both engines: Yoga, and the direct
 * execution of documents that were seen before. Method: the audits of graphql-http, documents that attack, and a corpus
 * that is asked by GET (Yoga) and by POST (direct).
 */

import { auditServer } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const { end2end } = JSON.parse(HISTORY.split('\n')[0] as string);

test('all audits of graphql-http pass', async () => {
  const results = await auditServer({
    url: `${app.baseUrl}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${app.apiKey}` },
      }),
  });
  expect(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`)).toEqual([]);
  expect(results).toHaveLength(61);
});

describe('both engines return the same bytes', () => {
  const CORPUS: readonly [name: string, query: string, variables?: Record<string, unknown>][] = [
    [
      'a single read',
      `{ transaction(end2end: "${end2end}") { id status { en pt } ... on CrossrampCheckout { quote fees fixedLink } } }`,
    ],
    ['a missing record', '{ transaction(end2end: "CRX") { id } }'],
    [
      'a list',
      '{ transactions(families: OFFRAMPS, first: 2) { totalCount edges { cursor node { end2end source { amount currency { code } } } } } }',
    ],
    [
      'a statement',
      '{ statement(first: 3) { totalCount edges { node { number balance transaction { end2end } } } } }',
    ],
    [
      'a page from the end',
      '{ transactions(families: ONRAMPS, last: 2) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { end2end fees externalCode clientName expiration } } statement(last: 1) { nodes { number } } }',
    ],
    [
      'an empty page with its total',
      '{ statement(first: 0) { totalCount edges { cursor } pageInfo { hasNextPage } } }',
    ],
    ['the last events', '{ events(last: 3) { totalCount nodes { name } pageInfo { hasPreviousPage } } }'],
    ['no deliveries', '{ viewer { account { webhookDeliveries(last: 3) { totalCount nodes { state } } } } }'],
    ['both ends at once', '{ statement(first: 1, last: 1) { totalCount } }'],
    ['relations', `{ transaction(end2end: "${end2end}") { ledgerLines { number } events { name } } }`],
    ['balances', '{ balances { available } }'],
    ['viewer', '{ viewer { account { name } key { name scopes } } }'],
    ['introspection', '{ __schema { queryType { name } } __type(name: "Label") { fields { name } } }'],
    [
      'directives',
      'query($yes: Boolean!) { balances @include(if: $yes) { available @skip(if: $yes) blocked } }',
      { yes: true },
    ],
    [
      'aliases and fragments',
      '{ a: balances { ...B } b: balances { ...B } } fragment B on Balance { blocked }',
    ],
    [
      'more than a page may cost',
      '{ transactions(families: ONRAMPS, first: 100) { edges { node { ledgerLines { transaction { ledgerLines { transaction { end2end } } } } } } } }',
    ],
    ['a refused argument', '{ statement(first: 101) { totalCount } balances { blocked } }'],
    [
      'an optional variable',
      'query($first: Int) { statement(first: $first) { edges { cursor } } }',
      { first: 2 },
    ],
    ['a missing variable', 'query($id: String!) { transaction(end2end: $id) { id } }', {}],
    ['a variable of another type', 'query($n: Int!) { statement(first: $n) { totalCount } }', { n: 'many' }],
    ['a document that does not fit', '{ nothing }'],
    ['a document that does not parse', '{ balances'],
    ['an operation of several', 'query A { balances { blocked } } query B { balances { available } }'],
  ];
  test.each(CORPUS)('%s', async (_name, query, variables) => {
    const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
    const byYoga = await app.get(`/graphql?${search}`, {
      headers: { accept: 'application/json', 'x-request-id': 'same' },
    });
    for (const _time of ['first, by Yoga', 'second, compiled now', 'third, compiled before']) {
      const direct = await fetch(`${app.baseUrl}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${app.apiKey}`,
          'content-type': 'application/json',
          'x-request-id': 'same',
          accept: 'application/json',
        },
        body: JSON.stringify({ query, variables }),
      });
      expect(direct.status).toBe(byYoga.status);
      expect(await direct.text()).toBe(byYoga.text);
      expect(direct.headers.get('content-type')).toBe(byYoga.headers.get('content-type'));
    }
  });

  test('an operation is chosen by its name', async () => {
    const body = JSON.stringify({
      query: 'query A { balances { blocked } } query B { balances { available } }',
      operationName: 'B',
    });
    const headers = { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body });
    expect(Object.keys((await answer.json()).data.balances[0])).toEqual(['available']);
  });
});

/** A chain of fragments in which each spreads the next so many times. */
function fragmentChain(levels: number, times: number): string {
  const chain = Array.from(
    { length: levels },
    (_, level) => `fragment F${level} on Account { ${`...F${level + 1} `.repeat(times)} }`,
  );
  return `{ viewer { account { ...F0 } } } ${chain.join(' ')} fragment F${levels} on Account { name }`;
}

/** Lines and their transactions, nested. */
function nested(levels: number): string {
  return `{ transaction(end2end: "x") ${'{ ledgerLines { transaction '.repeat(levels)} { end2end } ${'} }'.repeat(levels)} }`;
}

describe('documents that attack are refused', () => {
  test.each([
    ['fragments that double 22 times', fragmentChain(22, 2), /breadth of \d+; at most 500/],
    ['fragments that multiply to 27,000,000 fields', fragmentChain(3, 300), /breadth of \d+; at most 500/],
    ['nesting of 40 levels', nested(20), /^the operation has a depth of 42; at most 10 is allowed$/],
    [
      '10,000 aliases',
      `{ ${Array.from({ length: 10_000 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
      /^Token limit of 2000 exceeded/,
    ],
    [
      '31 aliases',
      `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: balances { blocked }`).join(' ')} }`,
      /^Aliases limit of 30 exceeded/,
    ],
    ['50,000 repeated fields', `{ ${'__typename '.repeat(50_000)} }`, /Token limit/],
    [
      '21 directives',
      `{ balances ${'@skip(if: false) '.repeat(21)} { blocked } }`,
      /^Directives limit of 20 exceeded/,
    ],
    ['fragments in a circle', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /itself/],
    [
      'pages of 100 with the lines and transactions of each, three deep',
      `{ transactions(families: ONRAMPS, first: 100) { edges { node { ledgerLines { transaction { ledgerLines { transaction { ledgerLines { number } } } } } } } } }`,
      /cost of \d+; at most 15000/,
    ],
    ['what is no field', '{ balances { secrets } }', /Cannot query field/],
  ])('%s', async (_name, query, reason) => {
    const { json, status } = await app.graphql(query);
    expect(json.data ?? null).toBeNull();
    expect(errorsIn(json)[0].message).toMatch(reason);
    expect(errorsIn(json)[0].extensions.code).toBe('BAD_REQUEST');
    expect(status).toBeLessThan(500);
  });

  test('a subscription over the limit of depth is refused before its stream begins', async () => {
    const lines = '{ ledgerLines { transaction '.repeat(4);
    const query = `subscription { events { ... on TransactionEvent { transaction ${lines} { end2end } ${'} }'.repeat(4)} } } }`;
    const response = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.apiKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query }),
    });
    expect(response.status).toBe(400);
    expect((await response.json()).detail).toBe('the operation has a depth of 11; at most 10 is allowed');
  });

  test('a page of 100 with everything in it is within the limits', async () => {
    const { json } = await app.graphql(
      `{ transactions(families: ONRAMPS, first: 100) { totalCount edges { node { end2end status { en pt } substatus { en pt } message { en pt }
          ... on Onramp { quote refQuote fees amountPayment amountReceived pixE2e clientName expiration } ledgerLines { number debit credit } } } } }`,
    );
    expect(errorsIn(json)).toBeUndefined();
    expect(json.data.transactions.edges).not.toHaveLength(0);
  });
});

describe('bodies', () => {
  const post = (body: string, contentType = 'application/json') =>
    fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': contentType },
      body,
    });

  test.each([
    ['not JSON', '{', 'application/json', 400, 'BAD_REQUEST'],
    [
      'a form',
      'query={balances{blocked}}',
      'application/x-www-form-urlencoded',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['plain text', '{"query":"{ balances { blocked } }"}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'over 1 MiB',
      JSON.stringify({ query: `# ${'x'.repeat(1_048_576)}\n{ balances { blocked } }` }),
      'application/json',
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('C-51: %s is refused with a problem', async (_name, body, contentType, status, code) => {
    const answer = await post(body, contentType);
    expect(answer.status).toBe(status);
    const refusal = await answer.json();
    expect(refusal.code).toBe(code);
    expect(refusal.errors).toEqual([
      { message: refusal.detail, extensions: { code, requestId: refusal.request_id } },
    ]);
  });

  test('C-41: without a key GraphQL clients find the refusal in errors', async () => {
    const { status, json } = await app.graphql('{ balances { blocked } }', {}, { key: null });
    expect(status).toBe(401);
    expect(errorsIn(json)[0].extensions.code).toBe('UNAUTHORIZED');
  });

  test('a batch is refused', async () => {
    const answer = await post('[{"query":"{ balances { blocked } }"}]');
    expect(answer.status).toBe(400);
  });

  test.each([
    ['extensions', '"extensions":{"persistedQuery":{"version":1}}'],
    ['members that clients add', '"operationType":"query","doc_id":"1","id":null'],
    ['null for what is not there', '"operationName":null,"variables":null,"extensions":null'],
  ])('%s are ignored, by both engines and by streams', async (_name, members) => {
    const body = `{"query":"{ balances { blocked } }",${members}}`;
    for (let i = 0; i < 3; i++) {
      const answer = await post(body);
      expect([answer.status, (await answer.json()).errors]).toEqual([200, undefined]);
    }
    const control = new AbortController();
    const stream = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.apiKey}`,
        'content-type': 'Application/JSON; Charset=UTF-8',
        accept: 'Text/Event-Stream',
      },
      body: `{"query":"subscription { balanceChanged { cursor } }",${members}}`,
      signal: control.signal,
    });
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    control.abort();
  });

  test('GET ignores unknown parameters', async () => {
    const answer = await app.get('/graphql?query={balances{blocked}}&operationType=query&extensions={}');
    expect([answer.status, errorsIn(answer.json)]).toEqual([200, undefined]);
  });

  test.each([
    'APPLICATION/JSON',
    'Application/GraphQL-Response+JSON',
  ])('media types are compared without case: %s', async (accept) => {
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`${app.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'APPLICATION/json', accept },
        body: '{"query":"{ balances { blocked } }"}',
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        `${accept.toLowerCase()}; charset=utf-8`,
      ]);
    }
  });

  test.each([
    ['extensions that are a list', '"extensions":[]'],
    ['extensions that are a text', '"extensions":"x"'],
    ['variables that are a list', '"variables":[]'],
  ])('%s are refused', async (_name, member) => {
    expect((await post(`{"query":"{ balances { blocked } }",${member}}`)).status).toBe(400);
  });

  test('prototype pollution is ignored', async () => {
    const answer = await post('{"query":"{ balances { blocked } }","__proto__":{"polluted":true}}');
    expect(answer.status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('C-50: an unforeseen error is masked, with its request id', async () => {
  await app.owner.query('alter table transaction rename column notes to notes_away');
  try {
    const { json } = await app.graphql(`{ transaction(end2end: "${end2end}") { id } }`);
    const [error] = errorsIn(json);
    expect(error.extensions.code).toBe('INTERNAL');
    expect(error.message).not.toMatch(/notes/);
    expect(error.extensions.requestId).toMatch(/^[\w-]{36}$/);
  } finally {
    await app.owner.query('alter table transaction rename column notes_away to notes');
  }
});

test('GraphiQL is served from this gateway alone', async () => {
  const page = await app.get('/graphql', { key: null, headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/graphiql/i);
  expect(page.text.match(/<(?:script|link)[^>]+(?:src|href)="https?:[^"]+"/g)).toBeNull();
});

test.each([
  ['{ balances(at: "yesterday") { available } }', 'DateTime', '"yesterday"', 'must be a time with a zone'],
  ['{ balances(at: 5) { available } }', 'DateTime', '5', 'must be a time with a zone'],
  [
    'mutation { createOnramp(input: { currency: "TRX", amount: { brl: "1e2" } }) { replayed errors { code message path } } }',
    'Decimal',
    '"1e2"',
    'must be a decimal number in a string',
  ],
])('C-50: %s says what is wrong, and where', async (query, type, found, form) => {
  const [error] = errorsIn((await app.graphql(query)).json);
  expect(error.message).toContain(`Expected value of type "${type}", found ${found}; ${form}`);
  expect(error.locations).toEqual([{ line: 1, column: query.indexOf(found) + 1 }]);
  expect(error.extensions.code).toBe('BAD_REQUEST');
});
