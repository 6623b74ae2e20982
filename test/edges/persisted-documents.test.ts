/**
 * Persisted documents (GraphQL over HTTP, appendix A): by id over POST, GET and streams; unknown ids are refused; with the allow-list
 * nothing else is executed, on any way; and what cannot be registered ends the start.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { readDocuments } from '../../src/server/graphql/persisted-documents.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';

const NAME = '{ viewer { account { name } } }';
const LIST = 'query ($first: Int) { transactions(first: $first) { nodes { end2end } } }';
const STREAM = 'subscription { events { __typename cursor } }';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const folder = (files: Readonly<Record<string, string>>) => {
  const path = mkdtempSync(join(tmpdir(), 'crossramp-test-'));
  mkdirSync(join(path, 'more'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
};

const graphqlDocuments = folder({
  'name.graphql': NAME,
  'more/list.graphql': LIST,
  'live.graphql': STREAM,
  'notes.md': '#',
});

describe.each([
  ['besides others', false],
  ['alone', true],
])('documents that are registered, %s', (_how, graphqlOnlyDocuments) => {
  const app = useApp({ graphqlDocuments, graphqlOnlyDocuments });
  const post = (body: object, path = '/graphql') => app.post(path, body);

  it.each([
    ['the name of its file', 'name'],
    ['the hash of its text', `sha256:${hashOf(NAME)}`],
  ])('are executed by %s', async (_what, documentId) => {
    for (const answer of [await post({ documentId }), await app.get(`/graphql?documentId=${documentId}`)]) {
      expect(answer.json.errors).toBeUndefined();
      expect(typeof answer.json.data.viewer.account.name).toBe('string');
    }
  });

  it('are executed by the hash that clients with automatic persisted queries send; for an unknown hash the client is asked for the text', async () => {
    const extensions = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(text) } });
    const search = (text: string) =>
      new URLSearchParams({ extensions: JSON.stringify(extensions(text)) }).toString();
    for (const answer of [
      await post({ extensions: extensions(NAME) }),
      await app.get(`/graphql?${search(NAME)}`),
    ])
      expect(typeof answer.json.data.viewer.account.name).toBe('string');
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const headers = { accept };
      const other = '{ __typename }';
      const answers = [
        await app.post('/graphql', { extensions: extensions(other), variables: {} }, { headers }),
        await app.get(`/graphql?${search(other)}`, { headers }),
      ];
      for (const { status, json, headers: given } of answers) {
        expect(status).toBe(accept === 'application/json' ? 200 : 400);
        expect(given.get('content-type')).toContain(accept);
        expect(json).toEqual({
          errors: [
            {
              message: 'PersistedQueryNotSupported',
              extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId: expect.any(String) },
            },
          ],
        });
      }
    }
  });

  it('take variables, again and again', async () => {
    for (const first of [1, 2, 1]) {
      const { json } = await post({ documentId: 'list', variables: { first } });
      expect(json.data.transactions.nodes).toHaveLength(first);
    }
    const { json } = await app.get(`/graphql?documentId=list&variables=${encodeURIComponent('{"first":2}')}`);
    expect(json.data.transactions.nodes).toHaveLength(2);
  });

  it('open subscriptions', async () => {
    const ending = new AbortController();
    const response = await fetch(`${app.baseUrl}/graphql?documentId=live`, {
      headers: { authorization: `Bearer ${app.apiKey}`, accept: 'text/event-stream' },
      signal: ending.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    ending.abort();
  });

  it('an id that is not registered, or one together with a query, is refused', async () => {
    for (const body of [{ documentId: 'none' }, { documentId: 7 }, { documentId: 'name', query: NAME }]) {
      const { status, json } = await post(body);
      expect([status, json.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await app.get('/graphql?documentId=none')).status).toBe(400);
  });

  it('other documents', async () => {
    const query = '{ __schema { queryType { name } } }';
    const ways = [
      await post({ query }),
      await app.get(`/graphql?query=${encodeURIComponent(query)}`),
      await app.get(`/graphql?query=${encodeURIComponent(query)}&variables=x`),
      await post([{ query }] as object),
    ];
    const executed = ways.map(({ json }) => json?.data?.__schema !== undefined);
    expect(executed).toEqual(
      graphqlOnlyDocuments ? [false, false, false, false] : [true, true, false, false],
    );
    if (graphqlOnlyDocuments) expect(ways.every(({ status }) => status === 400)).toBe(true);
  });

  it('other documents on a single connection: by POST as ever, and by GET none', async () => {
    const path = '/graphql/stream';
    const { text: token } = await app.get(path, { method: 'PUT' });
    const operation = { query: NAME, extensions: { operationId: '1' } };
    const headers = { 'x-graphql-event-stream-token': token };
    const search = new URLSearchParams({ query: NAME, extensions: '{"operationId":"2"}' });
    const posted = await app.post(path, operation, { headers });
    expect(posted.status).toBe(graphqlOnlyDocuments ? 400 : 202);
    expect((await app.get(`${path}?${search}`, { headers })).status).toBe(405);
  });
});

describe('registered documents', () => {
  const schema = buildSchema(REGISTRY);
  const json = (content: string) => join(folder({ 'documents.json': content }), 'documents.json');

  it('by a JSON file has its ids, a bare hash also in the form of the appendix', () => {
    const hash = hashOf('as the tool hashed it');
    const found = readDocuments(json(JSON.stringify({ [hash]: NAME, mine: LIST })), schema);
    expect([...found.keys()]).toEqual([hash, `sha256:${hash}`, 'mine', `sha256:${hashOf(LIST)}`]);
  });

  it.each([
    [
      'a document that does not fit the schema',
      () => folder({ 'a.graphql': '{ nothing }' }),
      /^GRAPHQL_DOCUMENTS: a: Cannot query field/,
    ],
    ['a document that is none', () => folder({ 'a.graphql': '{' }), /^GRAPHQL_DOCUMENTS: a: Syntax Error/],
    [
      'a subscription under a condition',
      () => folder({ 'a.graphql': 'subscription { events @include(if: true) { cursor } }' }),
      /^GRAPHQL_DOCUMENTS: a: the field of a subscription/,
    ],
    [
      'two of one name',
      () => folder({ 'a.graphql': NAME, 'more/a.graphql': LIST }),
      /two documents have the id a/,
    ],
    ['a folder that is not there', () => '/nowhere/at/all', /^GRAPHQL_DOCUMENTS: ENOENT/],
    ['a JSON file of something else', () => json('[1]'), /expected a folder, or a JSON object/],
  ])('%s ends the start', (_what, path, message) => {
    expect(() => readDocuments(path(), schema)).toThrow(message);
  });
});
