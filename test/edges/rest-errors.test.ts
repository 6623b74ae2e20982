/**
 * Goal: every error and limit of the protocol is answered as said (C-50, C-51, C-53). Method: over HTTP to the real
 * application; a raw socket where a client library would tidy up.
 */
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/base/errors/errors.ts';
import { useApp } from '../support/app.ts';
import {
  allowOf,
  BODIES,
  IDS,
  OPEN_PATHS,
  READS,
  raw,
  rowCounts,
  TARGETS,
  UUID,
  WRITES,
} from '../support/rest-routes.ts';

describe('errors', () => {
  const app = useApp();
  const authorization = () => `Authorization: Bearer ${app.apiKey}`;

  it.each(Object.keys(ERRORS))('C-50: the type URL of %s is served, without a key', async (code) => {
    const page = await app.get(`/errors/${code}`, { key: null });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(page.text.length).toBeGreaterThan(`# ${code}\n`.length + 20);
    expect(page.text).toMatch(new RegExp(`^# ${code}\\n`));
  });

  it.each([
    '/errors/',
    '/errors/NOPE',
    '/errors/not_found',
    '/errors/NOT_FOUND/',
    '/errors/__proto__',
  ])('C-50: there is no page %s', async (path) => {
    expect((await app.get(path)).json.code).toBe('NOT_FOUND');
  });

  it.each([
    ...['/v2', '/v2/', '/v2/onramps/', '/v2/Onramps', '/V2/onramps', '//v2/onramps', '/v3/onramps'],
    ...[
      '/v2/onramp/',
      '/v2/onramp/a/b',
      '/v2/statement/1',
      '/v2/withdrawals/x',
      '/favicon.ico',
      '/%76/onramps',
    ],
  ])('C-51: the path %s is not known', async (path) => {
    const answer = await app.get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(answer.json).toMatchObject({ code: 'NOT_FOUND', type: `${app.baseUrl}/errors/NOT_FOUND` });
  });

  it.each([
    ...TARGETS.map((target) => [target.path, allowOf(target)] as const),
    ...OPEN_PATHS.map((path) => [path, 'GET, HEAD'] as const),
    ['/graphql', 'GET, POST'],
  ] as const)('C-51: %s takes %s and answers 405 to the rest', async (path, allow) => {
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const method of methods.filter((each) => !allow.split(', ').includes(each))) {
      const answer = await app.get(path, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
      if (method !== 'HEAD') expect(answer.json.code).toBe('METHOD_NOT_ALLOWED');
    }
    const traced = await raw(app.baseUrl, [`TRACE ${path} HTTP/1.1`, authorization()]);
    expect(traced).toMatch(/^HTTP\/1\.1 405 /);
    expect(traced).not.toContain(app.apiKey);
  });

  it.each([
    ...['/v2', '/v2/onramp/', `/v2/onramp/${IDS.onramp}/`, `/v2/onramp/${IDS.onramp}/resolve`],
    ...[`/v2/onramp/${IDS.onramp}/cancel/`, `/v2/onramp/${IDS.onramp}/cancel/now`, '/v2/onramp//cancel'],
    ...[`/v2/onramps/${IDS.onramp}/cancel`, '/v2/sandbox', '/v2/sandbox/nothing', '/v2/sandbox/fund/'],
  ])('C-51: nothing is posted to %s', async (path) => {
    const answer = await app.post(path, BODIES['/v2/onramp']);
    expect([answer.status, answer.json.code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(
    WRITES,
  )('C-51: $route answers JSON or nothing: Accept: text/html gets 406, and nothing is done', async ({
    path,
    body,
  }) => {
    const before = await rowCounts(app);
    const answer = await app.post(path, body, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.json.code]).toEqual([406, 'NOT_ACCEPTABLE']);
    expect(await rowCounts(app)).toEqual(before);
  });

  it.each([
    ['application/json', 200],
    ['application/*', 200],
    ['*/*;q=0.1', 200],
    ['text/html, application/json;q=0.5', 200],
    ['APPLICATION/JSON; charset=utf-8', 200],
    ['text/html', 406],
    ['application/xml, text/*', 406],
    ['application/json;q=0', 406],
    ['application/json;q=0, */*', 406],
    ['application/problem+json', 406],
  ])('C-51: Accept: %s gets %i', async (accept, status) => {
    const answer = await app.get('/v2/balance', { headers: { accept } });
    expect(answer.status).toBe(status);
    expect(answer.json.code).toBe(status === 406 ? 'NOT_ACCEPTABLE' : undefined);
  });

  it('C-51: a target of 8,192 characters is read, one more is 414', async () => {
    const target = (length: number) => '/v2/onramp/'.padEnd(length, 'x');
    expect((await app.get(target(8_192))).json.code).toBe('NOT_FOUND');
    const answer = await app.get(target(8_193));
    expect([answer.status, answer.json.code]).toEqual([414, 'URI_TOO_LONG']);
  });

  it.each([
    ['a header of 20 kB', 'GET /v2/balance HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`, '431'],
    ['a byte that no target has', 'GET /v2/onramps?pix_e2e=\xe9 HTTP/1.1', 'X-Short: x', '400'],
    ['two lengths', 'GET /v2/balance HTTP/1.1', 'Content-Length: 1\r\nContent-Length: 2', '400'],
    [
      'a length and chunks',
      'GET /v2/balance HTTP/1.1',
      'Content-Length: 1\r\nTransfer-Encoding: chunked',
      '400',
    ],
    ['a space before a colon', 'GET /v2/balance HTTP/1.1', 'X-Space : x', '400'],
  ])('C-51: %s is refused before it is read', async (_what, line, header, status) => {
    const answer = await raw(app.baseUrl, [line, authorization(), header]);
    expect(answer.split(' ')[1]).toBe(status);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    const problem = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    expect([problem.status, problem.code]).toEqual([
      Number(status),
      status === '431' ? 'HEADERS_TOO_LARGE' : 'BAD_REQUEST',
    ]);
    expect((await app.get(new URL(problem.type).pathname, { key: null })).status).toBe(200);
  });

  it('C-51: a body of 1 MiB is read, one byte more is 413, with or without a length', async () => {
    const post = async (body: BodyInit, headers = {}) => {
      const init = { method: 'POST', body, headers, duplex: 'half' } as const;
      return fetch(`${app.baseUrl}/graphql`, {
        ...init,
        headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json', ...headers },
      });
    };
    const body = (length: number) => JSON.stringify({ query: '{ __typename }' }).padEnd(length, ' ');
    expect((await post(body(1_048_576))).status).toBe(200);
    const chunked = await post(new Blob([body(1_048_577)]).stream());
    expect([chunked.status, ((await chunked.json()) as { code: string }).code]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    const type = 'Content-Type: application/json';
    const declared = await raw(app.baseUrl, [
      'POST /graphql HTTP/1.1',
      authorization(),
      type,
      'Content-Length: 1048577',
    ]);
    expect(declared).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('C-51: a body of %s is 415', async (type) => {
    const body = '{"query":"{ __typename }"}';
    const headers = { authorization: `Bearer ${app.apiKey}`, 'content-type': type };
    const response = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', body, headers });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it.each([
    ...READS.map(({ path }) => path),
    ...OPEN_PATHS,
    '/v2/onramp/nobody',
    '/v2/onramps?limit=0',
  ])('C-51: HEAD %s answers as GET does, without the body', async (path) => {
    const get = await app.get(path);
    const head = await raw(app.baseUrl, [`HEAD ${path} HTTP/1.1`, authorization(), 'X-Request-Id: same']);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${get.status} `));
    expect(head).toMatch(/\r\n\r\n$/);
    expect(head.split('\r\n\r\n')).toHaveLength(2);
    // The request id stands in the body of a problem, so its length does too.
    const same = await app.get(path, { headers: { 'x-request-id': 'same' } });
    expect(head).toContain(`\r\ncontent-length: ${Buffer.byteLength(same.text)}\r\n`);
  });

  it.each([
    'a',
    'req-1.2_3',
    UUID.source.slice(0, 8).replace(/\W/g, ''),
    'x'.repeat(128),
  ])('C-50: the request id %s is kept', async (id) => {
    const answer = await app.get('/v2/onramp/nobody', { headers: { 'x-request-id': id } });
    expect([answer.headers.get('x-request-id'), answer.json.request_id]).toEqual([id, id]);
  });

  it.each([
    '',
    'x'.repeat(129),
    'a b',
    'a,b',
    '<script>',
    'caf\xe9',
    '../a',
  ])('C-50: the request id "%s" is replaced', async (id) => {
    const answer = await app.get('/v2/onramp/nobody', { headers: { 'x-request-id': id } });
    expect(answer.json.request_id).toMatch(UUID);
    expect(answer.headers.get('x-request-id')).toBe(answer.json.request_id);
  });
});

describe('rate limit', () => {
  const app = useApp({
    rateLimit: { reads: { perSecond: 0.001, burst: 3 }, writes: { perSecond: 0.001, burst: 3 } },
  });

  it('C-53: the bucket of a key empties for that key alone, on both interfaces', async () => {
    const first = await app.get('/v2/balance');
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=[\d.]+;w=\d+$/);
    expect(first.headers.get('ratelimit')).toMatch(/^"\w+";r=2;t=\d+$/);
    let refused = first;
    for (let sent = 1; refused.status === 200 && sent < 50; sent += 1) refused = await app.get('/v2/balance');
    expect(refused.json).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.headers.get('ratelimit-policy')).toBe(first.headers.get('ratelimit-policy'));
    const [, left, reset] = /^"\w+";r=(\d+);t=(\d+)$/.exec(refused.headers.get('ratelimit') ?? '') ?? [];
    expect(left).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(Number(reset));
    // As many as come at once: of these the bucket can have filled up for a few only.
    const crowd = await Promise.all(Array.from({ length: 60 }, () => app.graphql('{ __typename }')));
    expect(crowd.filter(({ status }) => status === 429).length).toBeGreaterThan(30);
    const other = await app.addKey(app.accountId, ['read']);
    expect((await app.get('/v2/balance', { key: other.apiKey })).status).toBe(200);
    expect((await app.get('/v2/balance', { key: null })).status).toBe(401);
    expect((await app.get('/healthz', { key: null })).status).toBe(200);
  });
});

describe('rate limit of writes', () => {
  const app = useApp({
    rateLimit: { reads: { perSecond: 0.001, burst: 99 }, writes: { perSecond: 0.001, burst: 3 } },
  });

  it('C-53: reads and writes of a key are counted separately; a refused request does nothing', async () => {
    const onramps = async () => (await app.get('/v2/onramps?limit=1')).json.total;
    const before = await onramps();
    const write = () => app.post('/v2/onramp', BODIES['/v2/onramp']);
    const first = await write();
    expect([first.status, first.headers.get('ratelimit')]).toEqual([
      201,
      expect.stringMatching(/^"\w+";r=2;t=\d+$/),
    ]);
    const answers = await Promise.all(Array.from({ length: 20 }, write));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]?.json.code).toBe('RATE_LIMITED');
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await onramps()).toBe(before + 1 + answers.length - refused.length);
  });
});

describe('without a rate limit', () => {
  const app = useApp();

  it('C-53: nothing is limited and no limits are sent', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => app.get('/v2/onramps?limit=1')));
    for (const { status, headers } of answers) {
      expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([200, null, null]);
    }
  });
});
