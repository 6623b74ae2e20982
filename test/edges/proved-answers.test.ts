/**
 * Goal: an answer that was written before is written again only while it would be the same, to whoever may have it, and with
 * the limits of the key as ever (decision 0044). Method: requests to the real application, and what it asks of PostgreSQL.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { startApp, useApp } from '../support/app.ts';
import { beginCount, counted } from '../support/count-statements.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const [CHECKOUT, ONRAMP] = HISTORY.split('\n').map((line) => JSON.parse(line || '{}').end2end as string);
const PATHS = [
  `/v2/crossramp_checkout/${CHECKOUT}`,
  '/v2/onramps?limit=5&nothing=1',
  '/v2/statement?limit=3&currency=USDT_TRX',
];
const QUERY = `query Page($n: Int!) { statement(first: $n) { totalCount nodes { number balance transaction { end2end status { pt } } } } }`;
const SEARCH = `/graphql?${new URLSearchParams({ query: QUERY, variables: '{"n":3}' })}`;
const TIMES = 4;

/** Something that every statement and list of the account shows. */
const change = async () =>
  expect((await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1' })).status).toBe(200);

/** Asks so often that the answer is kept. */
async function often(path: string, times = TIMES) {
  let last = await app.get(path);
  for (let n = 1; n < times; n += 1) last = await app.get(path);
  return last;
}

/** What an answer without a body has, too, but for the date. */
const isOfNoBody = ([name]: [string, string]) =>
  !['date', 'content-type', 'content-length', 'x-content-type-options'].includes(name);

/** Statements by which answers are read and proved; the worker sends others, whenever it likes. */
const READS = /^(?:account_versions|transaction|list_|statement|balances)/;

/** @returns the statements that some work read by. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  beginCount();
  await work();
  return [...counted().byName.keys()].filter((name) => READS.test(name));
}

test('the example has these', () => {
  expect([CHECKOUT, ONRAMP].every((id) => id?.startsWith('CRX'))).toBe(true);
});

describe.each([...PATHS, SEARCH])('GET %s', (path) => {
  test('is answered with the same bytes, and one statement proves them', async () => {
    const first = await app.get(path);
    const kept = await often(path);
    expect(kept.status).toBe(200);
    const statements = await statementsOf(async () => {
      const again = await app.get(path);
      expect(again.text).toBe(first.text);
      const beside = ([name]: [string, string]) => !['date', 'x-request-id'].includes(name);
      expect([...again.headers].filter(beside)).toEqual([...kept.headers].filter(beside));
    });
    expect(statements).toEqual(['account_versions']);
  });

  test('has a strong ETag and is revalidated by browsers', async () => {
    const { headers } = await often(path);
    expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['a list', (tag: string) => `"other", ${tag}`],
    ['a weak tag', (tag: string) => `W/${tag}`],
    ['any', () => '*'],
  ])('answers If-None-Match with %s by 304', async (_name, given) => {
    await often(path);
    const own = { 'x-request-id': 'mine' };
    const { headers } = await app.get(path, { headers: own });
    const etag = headers.get('etag') ?? '';
    const same = await app.get(path, { headers: { ...own, 'if-none-match': given(etag) } });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
    expect([...same.headers].filter(isOfNoBody)).toEqual([...headers].filter(isOfNoBody));
    expect(same.headers.get('cache-control')).toBe('private, no-cache');
    expect(same.headers.get('content-type')).toBeNull();
    const other = await app.get(path, { headers: { 'if-none-match': `"x", W/"${etag.slice(2)}` } });
    expect(other.status).toBe(200);
  });
});

test.each([PATHS[2], SEARCH] as string[])('GET %s shows a change immediately', async (path) => {
  const before = await often(path);
  await change();
  const etag = before.headers.get('etag') ?? '';
  const after = await app.get(path, { headers: { 'if-none-match': etag } });
  expect(after.status).toBe(200);
  expect(after.text).not.toBe(before.text);
  expect(after.headers.get('etag')).not.toBe(etag);
});

const ONE = `/graphql?${new URLSearchParams({ query: `{ transaction(end2end: "${CHECKOUT}") { end2end } }` })}`;

test.each([
  PATHS[0],
  ONE,
] as string[])('the same bytes of %s have the same ETag, after a change and in another process', async (path) => {
  const etag = (await often(path)).headers.get('etag') ?? '';
  await change();
  const read = await app.get(path, { headers: { 'if-none-match': etag } });
  expect([read.status, read.headers.get('content-type')]).toEqual([304, null]);
  await often(path);
  const proved = await app.get(path, { headers: { 'if-none-match': etag } });
  expect([...read.headers].filter(isOfNoBody).map(([name]) => name)).toEqual(
    [...proved.headers].filter(isOfNoBody).map(([name]) => name),
  );
});

test('HEAD has the headers of GET', async () => {
  const path = PATHS[0] as string;
  const { headers } = await often(path);
  const head = await app.get(path, { method: 'HEAD' });
  expect([head.text, head.headers.get('etag')]).toEqual(['', headers.get('etag')]);
  expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
});

test('the same bytes as another media type have another ETag (RFC 9110, 8.8.3)', async () => {
  const asked = ['application/json', 'application/graphql-response+json'];
  const tags: (string | null)[] = [];
  for (const accept of asked)
    for (let n = 0; n < TIMES; n += 1) {
      const { headers } = await app.get(SEARCH, { headers: { accept } });
      tags.push(headers.get('etag'));
      expect(headers.get('vary')?.split(', ')).toContain('accept');
    }
  const [json, response] = [tags[TIMES - 1], tags.at(-1)];
  expect([typeof json, typeof response]).toEqual(['string', 'string']);
  expect(json).not.toBe(response);
});

describe('POST /graphql', () => {
  test('is answered again with the same bytes, without ETag or 304', async () => {
    const first = await app.graphql(QUERY, { n: 2 });
    for (let n = 1; n < TIMES; n += 1) await app.graphql(QUERY, { n: 2 });
    let again = first;
    const statements = await statementsOf(async () => {
      again = await app.graphql(QUERY, { n: 2 });
    });
    expect(statements).toEqual(['account_versions']);
    expect(again.text).toBe(first.text);
    expect([again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect((await app.graphql(QUERY, { n: 1 })).json.data.statement.nodes).toHaveLength(1);
    await change();
    expect((await app.graphql(QUERY, { n: 2 })).text).not.toBe(first.text);
  });

  test.each([
    ['balances', '{ balances { available calculatedBrl } }'],
    ['what a caller may decide', '{ transactions(filter: { awaitingMe: true }) { totalCount } }'],
    ['a clock', '{ viewer { account { now } } }'],
    [
      'errors beside data',
      `{ transaction(end2end: "${CHECKOUT}") { end2end } auditLog(first: 101) { totalCount } }`,
    ],
    ['a refused page', '{ statement(first: 101) { totalCount } }'],
  ])('renders %s each time', async (_name, query) => {
    for (let n = 0; n < TIMES; n += 1) await app.graphql(query);
    const statements = await statementsOf(() => app.graphql(query));
    expect(statements).not.toContain('account_versions');
  });
});

describe('responses that are not of one account', () => {
  test.each(['/v2/balance', '/v2/events'])('GET %s has no ETag', async (path) => {
    const { headers } = await often(path);
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store']);
  });

  test('problems have none', async () => {
    const { status, headers } = await often(`/v2/onramp/CRX${'0'.repeat(26)}`);
    expect([status, headers.get('etag')]).toEqual([404, null]);
  });
});

describe('the caller', () => {
  test('without the scope read gets no cached answer (C-40)', async () => {
    const { apiKey } = await app.addKey(app.accountId, ['create']);
    for (const path of PATHS) {
      await often(path);
      expect((await app.get(path, { key: apiKey })).status).toBe(403);
    }
    await often(SEARCH);
    expect((await app.get(SEARCH, { key: apiKey })).json.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('with a revoked key gets nothing, even if it is cached (C-40)', async () => {
    const { apiKey, keyId } = await app.addKey(app.accountId, ['read']);
    const path = PATHS[1] as string;
    for (let n = 0; n < TIMES; n += 1) expect((await app.get(path, { key: apiKey })).status).toBe(200);
    await app.owner.query('update api_key set revoked_at = now() where id = $1', [keyId]);
    await expect
      .poll(async () => (await app.get(path, { key: apiKey })).status, { timeout: 15_000 })
      .toBe(401);
  });

  test('with a key that is revoked while the proof is awaited gets nothing (C-40)', async () => {
    const { apiKey, keyId } = await app.addKey(app.accountId, ['read']);
    const path = PATHS[1] as string;
    for (let n = 0; n < TIMES; n += 1) expect((await app.get(path, { key: apiKey })).status).toBe(200);
    const owner = await app.owner.connect();
    await owner.query('begin');
    await owner.query('lock table account_head in access exclusive mode');
    const waiting = app.get(path, { key: apiKey });
    const since = performance.now();
    await app.owner.query('update api_key set revoked_at = now() where id = $1', [keyId]);
    // Until nobody believes the key any more, and the request has waited longer than one is believed.
    const isOver = async () =>
      (await app.get('/v2/balance', { key: apiKey })).status === 401 && performance.now() - since > 600;
    await expect
      .poll(isOver, { timeout: 15_000 })
      .toBe(true)
      .finally(() => owner.query('rollback').finally(() => owner.release()));
    expect((await waiting).status).toBe(401);
  });

  test('for another account gets its own (C-15)', async () => {
    const { apiKey } = await app.addAccount();
    await often(PATHS[0] as string);
    expect((await app.get(PATHS[0] as string, { key: apiKey })).status).toBe(404);
    await often(PATHS[2] as string);
    for (let n = 0; n < TIMES; n += 1)
      expect((await app.get(PATHS[2] as string, { key: apiKey })).json.total).toBe(0);
  });
});

describe('another gateway on the same database', () => {
  let beside: Awaited<ReturnType<typeof startApp>>;
  const own: { close?: () => Promise<void> } = {};

  beforeAll(async () => {
    const database = openDatabase(app.url, { connections: 2 });
    beside = await startApp(database);
    own.close = async () => {
      await beside.close();
      await database.close();
    };
  });
  afterAll(() => own.close?.());

  test('sees the write of the first one immediately', async () => {
    const path = PATHS[2] as string;
    for (let n = 0; n < TIMES; n += 1) await beside.get(path, app.apiKey);
    await change();
    const [there, here] = [await beside.get(path, app.apiKey), await app.get(path)];
    expect(there.text).toBe(here.text);
    expect(there.headers.get('etag')).toBe(here.headers.get('etag'));
  });
});

describe('the memory for answers', () => {
  test('pages of other origins may read the ETag and send If-None-Match', async () => {
    const origin = 'https://shop.example';
    const { apiKey, accountId } = await app.addAccount();
    await app.owner.query('update account set allowed_origins = $2 where id = $1', [
      String(accountId),
      [origin],
    ]);
    const { headers } = await app.get(PATHS[2] as string, { key: apiKey, headers: { origin } });
    expect(headers.get('access-control-expose-headers')).toContain('etag');
    const preflight = await app.get(PATHS[2] as string, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match');
  });
});
