/**
 * Goal: keys are what says who asks, and every refusal of one is the same (C-40, C-41). Method: real keys over HTTP; a raw
 * socket where a client library would tidy up.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey, SCOPES } from '../../src/base/access/api-key.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { startApp, useApp } from '../support/app.ts';
import {
  BODIES,
  OPEN_PATHS,
  query,
  raw,
  reported,
  scopeOfBody,
  TARGETS,
  WRITES,
} from '../support/rest-routes.ts';
import { revokeKey } from '../support/revoke-key.ts';

describe('keys', () => {
  const app = useApp();
  const issued: Record<string, string> = {};
  const issue = async (options: { expiresAt?: Date; allowedCidrs?: string[] }) => {
    const key = { name: 'test', scopes: SCOPES, expiresAt: null, allowedCidrs: [] } as const;
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

  const others = ['/v2/onramp/nobody', '/v2/onramp/%ff', '/graphql'].map((path) => ({ method: 'GET', path }));
  it.each([...TARGETS, ...others])('C-41: $method $path answers 401 without a key', async ({
    method,
    path,
  }) => {
    const answer =
      method === 'GET' ? await app.get(path, { key: null }) : await app.post(path, {}, { key: null });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.json.code).toBe('UNAUTHORIZED');
  });

  it.each(OPEN_PATHS)('C-41: %s needs no key', async (path) => {
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
    expect(reported(answer, ['www-authenticate'])).toEqual(reported(reference, ['www-authenticate']));
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

  it('C-40: each request of a connection has the rights of its own key, whatever key was used before', async () => {
    const header = `Authorization: Bearer ${app.apiKey}`;
    const told = [
      [[header], 200],
      [[`Authorization: Bearer ${issued.expired}`], 401],
      [[header], 200],
      [[], 401],
      [[`Authorization: Bearer ${issued.elsewhere}`], 401],
      [[header], 200],
      [[header, header], 401],
      [[`Authorization: Bearer ${issued.revoked}`], 401],
      [[`${header.slice(0, -1)}?`], 401],
      [[header], 200],
    ] as const;
    const requests = told.map(([headers]) => ['GET /v2/balance HTTP/1.1', ...headers].join('\r\n'));
    const all = await raw(app.baseUrl, [requests.join('\r\nHost: localhost\r\n\r\n')]);
    expect(all.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number)).toEqual(told.map(([, status]) => status));
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

  it.each(
    TARGETS,
  )('C-41: $method $route answers 403 to a key without the scope $scope, and names it', async (target) => {
    const { apiKey } = await app.addKey(
      app.accountId,
      SCOPES.filter((scope) => scope !== target.scope && scope !== target.otherScope),
    );
    const refusal = {
      status: 403,
      code: 'FORBIDDEN',
      detail: expect.stringContaining(`"${target.scope}"`),
    };
    expect((await query(app, target, { key: apiKey })).json).toMatchObject(refusal);
    // Whoever may not ask is not told what is wrong with the question.
    if (target.method === 'POST')
      expect((await app.post(target.path, { end2end: 5 }, { key: apiKey })).json).toMatchObject(refusal);
  });

  it.each(TARGETS)('C-40: $method $route accepts a key with the scope of its body alone', async (target) => {
    const isPlatform = target.scope.startsWith('platform:');
    const holder = isPlatform ? await platformAccount(app.database, 'sandbox') : app.accountId;
    const { apiKey } = await app.addKey(holder, [scopeOfBody(target)]);
    const { status, json } = await query(app, target, { key: apiKey });
    // What stands in the history has ended: acts on it do not fit any more.
    // No record has the id that the others are asked for.
    const isLetIn = [200, 201, 409, 422, ...(target.isRecord ? [404] : [])].includes(status);
    expect([isLetIn, json.code]).toEqual([true, json.code]);
  });

  it('C-52, C-41: a stored answer is returned to keys with the scope only', async () => {
    const headers = { 'idempotency-key': 'kept' };
    const body = BODIES['/v2/onramp'];
    expect((await app.post('/v2/onramp', body, { headers })).status).toBe(201);
    const { apiKey } = await app.addKey(app.accountId, ['read', 'move', 'admin']);
    expect((await app.post('/v2/onramp', body, { headers, key: apiKey })).json.code).toBe('FORBIDDEN');
  });

  const inSandbox = WRITES.filter(({ path, scope }) => path.startsWith('/v2/sandbox/') && scope === 'create');
  it.each(inSandbox)('C-40: $path is refused to live keys', async (target) => {
    const { apiKey } = await app.addAccount({ mode: 'live' });
    const { json } = await query(app, target, { key: apiKey });
    expect(json).toMatchObject({ status: 403, code: 'FORBIDDEN', detail: expect.stringMatching(/test key/) });
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
    await expect.poll(lastUsed).toEqual([used.keyId]);
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
