/**
 * Goal: no document and no list of values makes the gateway fail: what is too deep or too long is refused as such.
 * Method: documents and variables of every nesting that the grammar has, far over every bound, over HTTP on all ways in.
 */
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.ts';

const app = useApp();

const DEPTH = 20_000;
const deep = (open: string, close: string) => open.repeat(DEPTH) + close.repeat(DEPTH);

/** Documents that nest in each way that the grammar has; whole ones and such as only begin. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'a list in a list': `{ node(id: ${deep('[', ']')}) { id } }`,
  'a list in a list that never ends': `{ node(id: ${'['.repeat(DEPTH)}`,
  'an object in an object': `{ node(id: ${deep('{a:', '}')}) { id } }`,
  'an object in an object that never ends': `{ node(id: ${'{a:'.repeat(DEPTH)}`,
  'a selection in a selection': deep('{a', '}'),
  'a selection that never ends': '{a'.repeat(DEPTH),
  'a type in a list type': `query($a: ${deep('[', ']')}) { node(id: $a) { id } }`,
  'a default in a default': `query($a: ID = ${deep('[', ']')}) { node(id: $a) { id } }`,
  'a fragment in a fragment': deep('{ ... on Query ', '}'),
  'a directive in a directive': `{ node(id: 1) ${'@a(b:'.repeat(DEPTH)}`,
  'one long name': `{ ${'a'.repeat(500_000)} }`,
  'one long text': `{ node(id: "${'a'.repeat(500_000)}") { id } }`,
  'one long comment': `# ${'a'.repeat(500_000)}\n{ __typename }`,
  'many fields': `{ ${'__typename '.repeat(50_000)} }`,
  'many operations': 'query { __typename } '.repeat(20_000),
  'many definitions of types': 'type A { a: Int } '.repeat(20_000),
  'a byte that is none': '{ node(id: "\\u0000") { id } }',
  nothing: '',
};
const RECORDS = `query($states: [WebhookDeliveryState!]) {
  viewer { account { webhookDeliveries(states: $states, first: 1) { edges { node { id } } } } } }`;

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(app.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe('C-50: documents', () => {
  it.each(Object.entries(DOCUMENTS))('%s', async (_what, query) => {
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream'])
      for (let time = 1; time <= 2; time++) {
        const { status, text } = await post('/graphql', { query }, { accept });
        expect([200, 400], `${accept} ${text.slice(0, 300)}`).toContain(status);
        expect(text).not.toContain('INTERNAL');
        expect(text).not.toContain('call stack');
      }
  });
});

/** Subscriptions whose field may be left out; the specification allows no condition there. */
const CONDITIONAL = [
  'subscription { events @include(if: false) { cursor } }',
  'subscription { events @skip(if: true) { cursor } }',
  'subscription ($yes: Boolean!) { events @include(if: $yes) { cursor } }',
  'subscription ($yes: Boolean!) { ... @include(if: $yes) { events { cursor } } }',
  'subscription { ...E @skip(if: true) } fragment E on Subscription { events { cursor } }',
  'subscription { ...E } fragment E on Subscription { ...E events @include(if: false) { cursor } }',
];

describe('C-50: subscriptions under a condition', () => {
  it.each(CONDITIONAL)('%s', async (query) => {
    const body = { query, variables: { yes: true } };
    const refused = await post('/graphql', body, { accept: 'text/event-stream' });
    expect(refused.text).toMatch(/"message":"the field of a subscription [^"]+@skip[^"]+","locations":/);
    expect(refused.text).toContain('BAD_REQUEST');
    const reserved = await fetch(`${app.baseUrl}/graphql/stream`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.apiKey}` },
    });
    const single = await post(
      '/graphql/stream',
      { ...body, extensions: { operationId: '1' } },
      { 'x-graphql-event-stream-token': await reserved.text() },
    );
    expect([single.status, JSON.parse(single.text).errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('C-50: variables', () => {
  it.each([60_000, 100_000])('a list of %i members', async (length) => {
    const states = Array.from({ length }, () => 'DELIVERED');
    for (let time = 1; time <= 3; time++) {
      const { text } = await post('/graphql', { query: RECORDS, variables: { states } });
      expect(text).not.toContain('INTERNAL');
    }
  });

  it.each(['[', '{"a":'])('%s nested without end', async (open) => {
    const close = open === '[' ? ']' : '}';
    const variables = `{"states":${open.repeat(100_000)}1${close.repeat(100_000)}}`;
    for (const path of ['/graphql', '/graphql/stream']) {
      const { status, text } = await post(
        path,
        `{"query":${JSON.stringify(RECORDS)},"variables":${variables}}`,
      );
      expect([status, JSON.parse(text).code], text.slice(0, 300)).toEqual([400, 'BAD_REQUEST']);
    }
    const inTarget = `{"states":${open.repeat(500)}1${close.repeat(500)}}`.replaceAll('"', '%22');
    const { status } = await app.get(`/graphql?query=${encodeURIComponent(RECORDS)}&variables=${inTarget}`);
    expect(status).toBe(400);
  });
});

describe('C-50: bodies of /v2', () => {
  it.each(['[', '{"a":'])('%s nested without end', async (open) => {
    const close = open === '[' ? ']' : '}';
    for (const body of [open.repeat(100_000), `{"notes":${open.repeat(100_000)}1${close.repeat(100_000)}}`]) {
      const { status, text } = await post('/v2/withdrawal', body);
      expect(status, text.slice(0, 300)).toBe(400);
    }
  });
});
