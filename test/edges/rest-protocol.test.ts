/**
 * The protocol around `/v2`: keys, errors, limits, outages, OpenAPI and logs (C-40, C-41, C-50, C-51, C-53).
 *
 * Everything goes over HTTP to the real application; a raw socket is used where a client library would tidy up.
 * Outages are real ones: a proxy in front of the database that goes away, and a database that takes no connections.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newApiKey, SCOPES } from '../../src/base/api-key.ts';
import { ERRORS } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config.ts';
import { createKey } from '../../src/resolvers/manage-keys.ts';
import { restRoutes } from '../../src/rest-compat/routes.ts';
import { close, createApp, listen } from '../../src/server/app.ts';
import { revokeKey } from '../../src/store/api-keys.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, useApp } from '../support/app.ts';
import { withAdmin } from '../support/global-setup.ts';
import { CNPJ, CPF, EVM, takeIn, transaction } from '../support/records.ts';

const ROUTES = restRoutes(REGISTRY, { limitOverflow: 'clamp', strictQuery: false, exactIntegers: false });
const IDS: Record<string, string> = {
  crossramp_checkout: 'CRX01KQSDR2G0FDQV7RN9RMBV947R',
  onramp: 'CRX01KQJ1A72GFRM9067ZF35B7ZCN',
  offramp: 'CRX01KQMY4460FK28WFK4WPN1GZWV',
  withdrawal: 'CRX01KQQ272R0F3NSHQTWHZFSBTYP',
};
/** Every route with a path that has an answer. */
const TARGETS = ROUTES.map(({ path }) => ({
  route: path,
  path: path.replace('{id}', IDS[path.split('/')[2] as string] ?? ''),
}));
const OPEN_PATHS = ['/', '/healthz', '/readyz', '/v2/openapi.json', '/errors/NOT_FOUND'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Sends bytes as they are and gives all that comes back. */
function raw(baseUrl: string, head: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(text));
    socket.write([...head, 'Host: localhost', 'Connection: close', '', ''].join('\r\n'), 'latin1');
  });
}

/** What of an answer must be the same for every reason: all but the date and what says which request it was. */
function told({ status, headers, json }: Answer, except: readonly string[] = []) {
  const kept = Object.fromEntries(headers);
  for (const name of ['date', 'x-request-id', ...except]) delete kept[name];
  return { status, headers: kept, body: { ...json, request_id: typeof json.request_id } };
}

/** Another application on a database, to be closed by the test that starts it. */
async function startApp(database: Database) {
  let handle: ReturnType<typeof createApp>['handle'] = () => {};
  const { server, port } = await listen((request, response) => handle(request, response), {
    host: '127.0.0.1',
    port: 0,
  });
  const publicUrl = `http://127.0.0.1:${port}`;
  const config = { ...readConfig({ RATE_LIMIT: 'off' }), publicUrl };
  const app = createApp({ config, database, registry: REGISTRY, log: pino({ level: 'silent' }) });
  handle = app.handle;
  const get = async (path: string, key: string) => {
    const response = await fetch(publicUrl + path, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  return { get, drain: app.drain, close: () => close(server, 1_000) };
}

describe('keys', () => {
  const app = useApp();
  const issued: Record<string, string> = {};
  const issue = async (options: { expiresAt?: Date; allowedCidrs?: string[] }) => {
    const key = { name: 'test', mode: 'live', scopes: SCOPES, expiresAt: null, allowedCidrs: [] } as const;
    return createKey(app.database, app.accountId, { ...key, ...options });
  };

  beforeAll(async () => {
    issued.valid = app.apiKey;
    issued.expired = (await issue({ expiresAt: new Date(Date.now() - 1_000) })).apiKey;
    issued.elsewhere = (await issue({ allowedCidrs: ['10.0.0.0/8'] })).apiKey;
    const revoked = await issue({});
    issued.revoked = revoked.apiKey;
    await revokeKey(app.database, revoked.keyId);
  });

  it.each([
    ...TARGETS.map(({ path }) => path),
    '/v2/onramp/nobody',
    '/v2/onramp/%ff',
    '/graphql',
  ])('C-41: %s answers 401 without a key', async (path) => {
    const answer = await app.get(path, { key: null });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it.each(OPEN_PATHS)('C-41: %s asks for no key', async (path) => {
    expect((await app.get(path, { key: null })).status).toBe(200);
  });

  const INVALID = 'Bearer error="invalid_token"';
  it.each([
    ['Basic credentials', () => 'Basic dXNlcjpwYXNz', 'Bearer'],
    ['another scheme', () => `Token ${app.apiKey}`, 'Bearer'],
    ['no key after the scheme', () => 'Bearer', 'Bearer'],
    ['no form of a key', () => 'Bearer x', INVALID],
    ['a key in quotes', () => `Bearer "${app.apiKey}"`, INVALID],
    ['a key in lower case', () => `Bearer ${app.apiKey.toLowerCase()}`, INVALID],
    ['a key and more', () => `Bearer ${app.apiKey} x`, INVALID],
    ['two keys in one header', () => `Bearer ${app.apiKey}, Bearer ${app.apiKey}`, INVALID],
    [
      'a wrong checksum',
      () => `Bearer ${app.apiKey.slice(0, -1)}${app.apiKey.endsWith('0') ? '1' : '0'}`,
      INVALID,
    ],
    ['a key of 10,000 characters', () => `Bearer crx_test_${'0'.repeat(10_000)}`, INVALID],
    ['a key that was never issued', () => `Bearer ${newApiKey('test')}`, INVALID],
    ['an expired key', () => `Bearer ${issued.expired}`, INVALID],
    ['a revoked key', () => `Bearer ${issued.revoked}`, INVALID],
    ['a key from elsewhere', () => `Bearer ${issued.elsewhere}`, INVALID],
  ])('C-41: %s is refused as every other', async (_what, authorization, challenge) => {
    const reference = await app.get('/v2/balance', { key: null });
    expect(reference.json).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    const answer = await app.get('/v2/balance', { key: null, headers: { authorization: authorization() } });
    expect(told(answer, ['www-authenticate'])).toEqual(told(reference, ['www-authenticate']));
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('C-40: the scheme %s is taken', async (scheme) => {
    const headers = { authorization: `${scheme} ${app.apiKey}` };
    expect((await app.get('/v2/balance', { key: null, headers })).status).toBe(200);
  });

  it('C-41: two Authorization headers are refused, even with the same valid key', async () => {
    const header = `Authorization: Bearer ${app.apiKey}`;
    expect(await raw(app.baseUrl, ['GET /v2/balance HTTP/1.1', header])).toMatch(/^HTTP\/1\.1 200 /);
    const twice = await raw(app.baseUrl, ['GET /v2/balance HTTP/1.1', header, header]);
    expect(twice).toMatch(/^HTTP\/1\.1 401 /);
    expect(twice).toMatch(/\r\nwww-authenticate: Bearer error="invalid_token"\r\n/);
  });

  it('C-40: a key in the query or in a cookie is no key', async () => {
    for (const name of ['api_key', 'access_token', 'authorization', 'key']) {
      const headers = { cookie: `${name}=${app.apiKey}` };
      const answer = await app.get(`/v2/balance?${name}=${app.apiKey}`, { key: null, headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  it('C-40: a revoked key is refused within a second, by every process', async () => {
    const others = [await startApp(app.database), await startApp(app.database)];
    try {
      const { keyId, apiKey } = await issue({ expiresAt: new Date(Date.now() + 3_600_000) });
      for (const other of others) expect((await other.get('/v2/balance', apiKey)).status).toBe(200);
      await revokeKey(app.database, keyId);
      const end = Date.now() + 1_000;
      for (const other of others) {
        // A request that is sent after the second must be refused; most are sooner.
        let status: number;
        let isLast: boolean;
        do {
          isLast = Date.now() >= end;
          status = (await other.get('/v2/balance', apiKey)).status;
        } while (status === 200 && !isLast);
        expect(status).toBe(401);
      }
    } finally {
      for (const other of others) await other.close();
    }
  });

  it.each([
    [['127.0.0.1'], 200],
    [['127.0.0.0/8'], 200],
    [['10.0.0.0/8', '127.0.0.1/32'], 200],
    [['0.0.0.0/0'], 200],
    [['127.0.0.2/32'], 401],
    [['10.0.0.0/8'], 401],
    [['::1/128', '2001:db8::/32'], 401],
  ])('C-40: a key for %j used from 127.0.0.1 gets %i', async (allowedCidrs, status) => {
    const { apiKey } = await issue({ allowedCidrs });
    expect((await app.get('/v2/balance', { key: apiKey })).status).toBe(status);
  });

  it.each(TARGETS)('C-41: $route gives 403 to a key without the scope read, and names it', async ({
    path,
  }) => {
    const { apiKey } = await app.addKey(app.accountId, ['create', 'move', 'admin']);
    const answer = await app.get(path, { key: apiKey });
    expect(answer.json).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      detail: expect.stringContaining('"read"'),
    });
    const reader = await app.addKey(app.accountId, ['read']);
    expect((await app.get(path, { key: reader.apiKey })).status).toBe(200);
  });

  it('C-40: the time of last use is noted, for the key that was used', async () => {
    const used = await issue({});
    const unused = await issue({});
    await app.get('/v2/balance', { key: used.apiKey });
    const lastUsed = async () =>
      (
        await app.owner.query('select id, last_used_at from api_key where id = any ($1)', [
          [used.keyId, unused.keyId],
        ])
      ).rows
        .filter((row) => row.last_used_at !== null)
        .map((row) => row.id);
    await expect.poll(lastUsed, { timeout: 5_000 }).toEqual([used.keyId]);
  });

  it('C-40: of a key only its hash is stored', async () => {
    const { rows } = await app.owner.query<{ row: string; hash: string }>(
      `select to_jsonb(k)::text as row, encode(hash, 'hex') as hash from api_key k`,
    );
    const stored = rows.map(({ row }) => row).join('\n');
    for (const key of Object.values(issued)) {
      const secret = key.slice(9);
      for (const form of [
        key,
        secret,
        Buffer.from(key).toString('hex'),
        Buffer.from(key).toString('base64'),
      ]) {
        expect(stored).not.toContain(form);
      }
    }
    expect(rows.length).toBeGreaterThanOrEqual(Object.keys(issued).length);
    for (const { hash } of rows) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

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
    ...TARGETS.map(({ path }) => [path, 'GET, HEAD'] as const),
    ...OPEN_PATHS.map((path) => [path, 'GET, HEAD'] as const),
    ['/graphql', 'GET, POST'],
  ] as const)('C-51: %s takes %s and answers 405 to the rest', async (path, allow) => {
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allow.includes(method));
    for (const method of methods) {
      const answer = await app.get(path, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
      expect(answer.json.code).toBe('METHOD_NOT_ALLOWED');
    }
    const traced = await raw(app.baseUrl, [`TRACE ${path} HTTP/1.1`, authorization()]);
    expect(traced).toMatch(/^HTTP\/1\.1 405 /);
    expect(traced).not.toContain(app.apiKey);
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

  it('C-51: a body of 1 MiB is read, one byte more is 413, told or not', async () => {
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
    ...TARGETS.map(({ path }) => path),
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
  const app = useApp({ rateLimit: { perSecond: 1, burst: 3 } });

  it('C-53: the bucket of a key empties for that key alone, on both edges', async () => {
    const first = await app.get('/v2/balance');
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=\d+;w=\d+$/);
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

describe('without a rate limit', () => {
  const app = useApp();

  it('C-53: nothing is limited and nothing is said of limits', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => app.get('/v2/onramps?limit=1')));
    for (const { status, headers } of answers) {
      expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([200, null, null]);
    }
  });
});

describe('while the database is away', () => {
  const app = useApp();
  /** The database as it is reached over a network that can go away. */
  let proxy: Server;
  let isReachable = true;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    const { hostname, port } = new URL(app.url);
    proxy = createServer((near) => {
      if (!isReachable) return near.resetAndDestroy();
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket)).on('error', () => {});
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => proxy?.close());

  const network = {
    url: () => {
      const url = new URL(app.url);
      url.hostname = '127.0.0.1';
      url.port = String((proxy.address() as AddressInfo).port);
      return url.toString();
    },
    takeAway: async () => {
      isReachable = false;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    giveBack: async () => {
      isReachable = true;
    },
  };
  const name = () => new URL(app.url).pathname.slice(1);
  const connections = {
    url: () => app.url,
    takeAway: () =>
      withAdmin(inject('adminUrl'), async (client) => {
        await client.query(`alter database ${name()} allow_connections false`);
        const its = `datname = $1 and application_name = 'crossramp'`;
        await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${its}`, [name()]);
      }),
    giveBack: () =>
      withAdmin(inject('adminUrl'), async (client) => {
        await client.query(`alter database ${name()} allow_connections true`);
      }),
  };

  it.each([
    ['its network is down', network],
    ['it takes no connections', connections],
  ])('C-51: %s: 503 with Retry-After, and recovery without a restart', async (_what, outage) => {
    const database = openDatabase(outage.url());
    const other = await startApp(database);
    const statusOf = async (path: string) => (await other.get(path, app.apiKey)).status;
    try {
      expect(await statusOf('/v2/balance')).toBe(200);
      await outage.takeAway();
      for (const path of ['/v2/balance', '/v2/onramps', '/v2/statement', '/v2/onramp/nobody']) {
        // A key that was believed a moment ago, and one that has to be looked up.
        for (const key of [app.apiKey, newApiKey('test')]) {
          const { status, headers, json } = await other.get(path, key);
          expect([path, status, json.code]).toEqual([path, 503, 'UNAVAILABLE']);
          expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
          expect(headers.get('content-type')).toBe('application/problem+json');
        }
      }
      const ready = await other.get('/readyz', app.apiKey);
      expect([ready.status, ready.headers.get('retry-after')]).toEqual([
        503,
        expect.stringMatching(/^[1-9]\d*$/),
      ]);
      expect(await statusOf('/healthz')).toBe(200);
      await outage.giveBack();
      await expect.poll(() => statusOf('/v2/balance'), { timeout: 10_000 }).toBe(200);
      expect(await statusOf('/readyz')).toBe(200);
    } finally {
      await outage.giveBack();
      await other.close();
      await database.close();
    }
  });

  it('C-51: an instance that drains says so in /readyz, and still answers', async () => {
    const other = await startApp(app.database);
    try {
      expect((await other.get('/readyz', app.apiKey)).status).toBe(200);
      other.drain();
      const ready = await other.get('/readyz', app.apiKey);
      expect([ready.status, ready.json.reason]).toEqual([503, 'draining']);
      const { status, headers } = await other.get('/v2/balance', app.apiKey);
      expect([status, headers.get('connection')]).toEqual([200, 'close']);
      expect((await other.get('/healthz', app.apiKey)).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('OpenAPI', () => {
  const apps = { rounded: useApp(), exact: useApp({ exactIntegers: true }) };
  const end2end = 'CRX01KQMY4460FK28WFK4WPN1GEXACT';
  const checks = new Map<unknown, Check>();

  beforeAll(async () => {
    const quote = { quote: 5.4525, ref_quote: 5.3987, fees: 7.75 };
    for (const app of Object.values(apps)) {
      await takeIn(app.database, app.accountId, [transaction('offramp', quote, { end2end })]);
      checks.set(app, await checker(app));
    }
  });

  type Check = (pointer: readonly string[], body: unknown) => string | null;
  /** Says what is wrong with a body by a schema of the document that the instance serves; null when nothing is. */
  async function checker(app: (typeof apps)['exact']): Promise<Check> {
    const { json } = await app.get('/v2/openapi.json', { key: null });
    const ajv = new Ajv2020({ strict: false }).addSchema(json, 'openapi');
    formats.default(ajv);
    return (pointer, body) => {
      const path = pointer.map((part) =>
        encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
      );
      const $ref = `openapi#/${path.join('/')}`;
      const check = ajv.getSchema($ref) ?? ajv.compile({ $ref });
      return check(body) ? null : ajv.errorsText(check.errors?.slice(0, 1));
    };
  }
  const schemaOf = (route: string) =>
    ['paths', route, 'get', 'responses', '200', 'content', 'application/json', 'schema'] as const;

  it('C-51: the document is valid, and has every route with its parameters', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    expect(await validate(structuredClone(json))).toMatchObject({ valid: true });
    const described = Object.entries<{ get: { parameters: { name: string }[] } }>(json.paths);
    expect(
      described.map(([path, { get }]) => [path, ...get.parameters.map((parameter) => parameter.name)]),
    ).toEqual(
      ROUTES.map(({ path, parameters }) => [path, ...(path.includes('{id}') ? ['id'] : []), ...parameters]),
    );
  });

  it.each([
    ...TARGETS,
    { route: '/v2/offramp/{id}', path: `/v2/offramp/${end2end}` },
  ])('C-1: $path answers as the document says, and not a member more', async ({ route, path }) => {
    for (const app of Object.values(apps)) {
      const wrong = checks.get(app) as Check;
      const { status, json } = await app.get(path);
      expect([status, wrong(schemaOf(route), json)]).toEqual([200, null]);
      expect(wrong(schemaOf(route), { ...json, more: 1 })).not.toBeNull();
    }
  });

  it.each([
    ['/v2/onramp/nobody', '404', {}],
    ['/v2/onramps?limit=0&date_from=x', '400', {}],
    ['/v2/statement?currency=USDT', '400', {}],
    ['/v2/balance', '401', { key: null }],
    ['/v2/balance', '406', { headers: { accept: 'text/html' } }],
    ['/v2/balance', '405', { method: 'POST' }],
  ] as const)('C-50: the problem of %s, %s, is as the document says', async (path, status, options) => {
    const app = apps.rounded;
    const wrong = checks.get(app) as Check;
    const answer = await app.get(path, options);
    expect([String(answer.status), wrong(['components', 'schemas', 'Problem'], answer.json)]).toEqual([
      status,
      null,
    ]);
    expect(wrong(['components', 'schemas', 'Problem'], { ...answer.json, status: 'x' })).not.toBeNull();
  });
});

describe('logs', () => {
  const lines: string[] = [];
  const app = useApp({ log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }) });
  const SECRETS = [
    CPF,
    CNPJ,
    'ana@example.com',
    EVM,
    'E00038166202605011200ck7ueu153th',
    IDS.onramp as string,
  ];

  it('C-50: name the route, the status and the request, and neither ids nor queries nor keys', async () => {
    const unknown = newApiKey('live');
    const requests: [path: string, route: string, status: number, key?: string][] = [
      [`/v2/onramp/${IDS.onramp}`, '/v2/onramp/{id}', 200],
      [`/v2/offramp/${IDS.onramp}?client_tax_id=${CPF}`, '/v2/offramp/{id}', 404],
      [`/v2/onramps?client_tax_id=${CPF}&wallet=${EVM}`, '/v2/onramps', 200],
      [`/v2/onramps?client_tax_id=${CNPJ}&limit=${CPF}&offset=x`, '/v2/onramps', 400],
      [`/v2/withdrawals?address=ana@example.com&${CPF}=1`, '/v2/withdrawals', 200],
      [`/v2/statement?currency=${app.apiKey}`, '/v2/statement', 400],
      [`/v2/balance?key=${app.apiKey}`, '/v2/balance', 401, unknown],
      [`/v2/onramp/%ff${app.apiKey}`, '/v2/onramp/{id}', 404],
      [`/${app.apiKey}/${CPF}`, 'unknown', 404],
    ];
    for (const [index, [path, , status, key]] of requests.entries()) {
      const headers = { 'x-request-id': `request-${index}` };
      expect((await app.get(path, { headers, ...(key && { key }) })).status).toBe(status);
    }
    await app.graphql(`{ viewer { account { id } } secret${CPF} }`);
    await app.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: CPF });
    await expect.poll(() => lines.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(requests.length + 2);
    const logged = lines.map((line) => JSON.parse(line));
    for (const [index, [, route, status]] of requests.entries()) {
      const line = logged.find(({ requestId }) => requestId === `request-${index}`);
      expect(line).toMatchObject({ method: 'GET', route, status, ms: expect.any(Number) });
    }
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey, app.apiKey.slice(9), unknown])
      expect(text).not.toContain(secret);
  });

  it('C-50: what is unforeseen is masked as INTERNAL and logged under its request id, without the values', async () => {
    await app.owner.query('alter table transaction rename to moved');
    try {
      for (const path of [`/v2/onramps?client_tax_id=${CPF}`, `/v2/onramp/${IDS.onramp}`]) {
        const answer = await app.get(path);
        expect(answer.json).toMatchObject({ status: 500, code: 'INTERNAL' });
        expect(answer.text).not.toMatch(/relation|select|transaction"|node_modules|\.ts/);
        const line = lines.find(
          (logged) => logged.includes(answer.json.request_id) && logged.includes('42P01'),
        );
        expect(line).toBeDefined();
      }
    } finally {
      await app.owner.query('alter table moved rename to transaction');
    }
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey]) expect(text).not.toContain(secret);
    expect((await app.get(`/v2/onramp/${IDS.onramp}`)).status).toBe(200);
  });
});
