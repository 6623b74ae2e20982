/**
 * Goal: pages of other origins read what they may and nothing else (CORS), and a stream token opens the subscriptions of its
 * account for some minutes, and nothing else. Method: preflights and requests as browsers send them; test/clients has a browser.
 */

import { describe, expect, test, vi } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { EVENTS, makeOnramp, subscribe } from '../live/streams.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';
import { revokeKey } from '../support/revoke-key.ts';

const app = useApp();
const SHOP = 'https://shop.example.com';

const SET =
  'mutation ($origins: [String!]!) { updateAllowedOrigins(input: { origins: $origins }) { allowedOrigins errors { code message path } } }';
const REPLACE =
  'mutation ($origins: [String!]!, $replaces: [String!]) { updateAllowedOrigins(input: { origins: $origins, replaces: $replaces }) { allowedOrigins errors { code message path } } }';
const setOrigins = (origins: string[], key?: string) => app.graphql(SET, { origins }, key ? { key } : {});

const preflight = (path: string, origin: string, method = 'POST') =>
  app.get(path, {
    key: null,
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });

const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin');

async function makeToken(key: string, expiresIn = 300): Promise<string> {
  const query =
    'mutation ($s: Int) { createStreamToken(input: { expiresIn: $s }) { streamToken { token expiresAt } errors { code message path } } }';
  const { json } = await app.graphql(query, { s: expiresIn }, { key });
  if (errorsIn(json)) throw new Error(JSON.stringify(errorsIn(json)));
  return json.data.createStreamToken.streamToken.token;
}

describe('origins of an account', () => {
  test('replace the list that was seen, and no other', async () => {
    const { apiKey: key } = await app.addAccount();
    const replace = async (origins: readonly string[], replaces: readonly string[]) =>
      (await app.graphql(REPLACE, { origins, replaces }, { key })).json;
    const [till, desk] = ['https://till.example.com', 'https://desk.example.com'];
    expect(errorsIn(await replace([SHOP], []))).toBeUndefined();
    expect(errorsIn(await replace([SHOP, till], [SHOP]))).toBeUndefined();
    // The answer was lost, and the request is sent again.
    expect(errorsIn(await replace([SHOP, till], [SHOP]))).toBeUndefined();
    // Somebody else saw the list before.
    const errors = errorsIn(await replace([SHOP, desk], [SHOP]));
    expect(errors[0].extensions).toMatchObject({
      code: 'LIST_CHANGED',
      violations: [{ parameter: 'input.replaces' }],
    });
    expect(
      (await replace([SHOP, till, desk], [till, SHOP])).data.updateAllowedOrigins.allowedOrigins,
    ).toHaveLength(3);
  });

  test('are set and read; another account’s are not changed', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    const origins = [SHOP, 'http://localhost:5173', 'http://127.0.0.1:8080'];
    const { json } = await setOrigins([...origins, SHOP], mine.apiKey);
    expect(json.data.updateAllowedOrigins.allowedOrigins).toEqual(origins);
    const read = async (key: string) =>
      (await app.graphql('{ viewer { account { allowedOrigins } } }', {}, { key })).json.data.viewer.account;
    expect(await read(mine.apiKey)).toEqual({ allowedOrigins: origins });
    expect(await read(theirs.apiKey)).toEqual({ allowedOrigins: [] });
  });

  test.each([
    '*',
    'null',
    '',
    'shop.example.com',
    'http://shop.example.com',
    'https://shop.example.com/',
    'https://shop.example.com/path',
    'https://SHOP.example.com',
    'https://shop.example.com:443',
    'https://user@shop.example.com',
    'https://*.example.com',
    'ftp://shop.example.com',
  ])('%s is refused', async (origin) => {
    const { json } = await setOrigins([SHOP, origin]);
    expect(errorsIn(json)[0].extensions).toMatchObject({
      code: 'INVALID_PARAMETER',
      violations: [{ parameter: 'input.origins' }],
    });
  });

  test('more than 20 are refused, and keys without the scope admin', async () => {
    const many = Array.from({ length: 21 }, (_, index) => `https://shop${index}.example.com`);
    expect(errorsIn((await setOrigins(many)).json)[0].extensions.code).toBe('INVALID_PARAMETER');
    const { apiKey } = await app.addKey(
      app.accountId,
      SCOPES.filter((scope) => scope !== 'admin'),
    );
    expect(errorsIn((await setOrigins([SHOP], apiKey)).json)[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('preflights', () => {
  test('of /v2 pass for an origin that some account lists, and for no other', async () => {
    const { apiKey } = await app.addAccount();
    await setOrigins(['https://listed.example.com'], apiKey);
    // A list is believed for a second.
    let passed = await preflight('/v2/onramp', 'https://listed.example.com');
    await expect
      .poll(async () => {
        passed = await preflight('/v2/onramp', 'https://listed.example.com');
        return allowed(passed);
      })
      .not.toBeNull();
    expect(passed.status).toBe(204);
    expect(Object.fromEntries(passed.headers)).toMatchObject({
      'access-control-allow-origin': 'https://listed.example.com',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringMatching(/authorization.*idempotency-key/),
      'access-control-max-age': '600',
      vary: expect.stringContaining('origin'),
    });
    for (const origin of [
      'https://other.example.com',
      'null',
      '*',
      `https://${'x'.repeat(5_000)}.example.com`,
    ])
      expect(allowed(await preflight('/v2/onramp', origin))).toBeNull();
  });

  test.each([
    '/export/transactions',
    '/export/statement',
  ])('of %s pass for a listed origin, whose pages read the answer', async (path) => {
    const { apiKey: key } = await app.addAccount();
    const origin = `https://books${path.length}.example.com`;
    await setOrigins([origin], key);
    let passed = await preflight(path, origin, 'GET');
    await expect
      .poll(async () => {
        passed = await preflight(path, origin, 'GET');
        return allowed(passed);
      })
      .toBe(origin);
    expect([passed.status, passed.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, POST',
    ]);
    expect(allowed(await app.get(path, { key, headers: { origin } }))).toBe(origin);
    expect(allowed(await preflight(path, 'https://other.example.com', 'GET'))).toBeNull();
    expect((await app.get(path, { key: null, method: 'OPTIONS' })).status).toBe(405);
  });

  test('of GraphQL pass for any: tokens of payers and streams may be used anywhere', async () => {
    for (const path of ['/graphql', '/graphql/stream'])
      expect(allowed(await preflight(path, 'https://anywhere.example.com'))).toBe('*');
  });

  test('of a path that does not exist are 404, and OPTIONS without an origin is 405', async () => {
    expect((await preflight('/v2/nothing', SHOP)).status).toBe(404);
    expect((await app.get('/v2/balance', { key: null, method: 'OPTIONS' })).status).toBe(405);
  });
});

describe('answers', () => {
  test('to a key may be read by the origins of its own account, on every path', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    await setOrigins([SHOP], mine.apiKey);
    const stale = await app.addKey(mine.accountId, SCOPES);
    const headers = { origin: SHOP };
    for (const path of [
      '/v2/balance',
      '/v2/onramp/CRXMISSING',
      '/graphql?query={balances{blocked}}',
      '/graphql?query={',
    ]) {
      const answer = await app.get(path, { key: stale.apiKey, headers });
      expect([path, allowed(answer)]).toEqual([path, SHOP]);
      expect(answer.headers.get('vary')).toContain('origin');
      expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after');
      expect(allowed(await app.get(path, { key: theirs.apiKey, headers }))).toBeNull();
      const other = await app.get(path, {
        key: stale.apiKey,
        headers: { origin: 'https://other.example.com' },
      });
      expect(allowed(other)).toBeNull();
    }
    // Why nobody was let in may be read where a preflight passes.
    await expect.poll(async () => allowed(await app.get('/v2/balance', { key: null, headers }))).toBe(SHOP);
    expect(allowed(await app.get('/graphql', { key: null, headers }))).toBe('*');
  });

  test('to tokens of payers and of streams may be read by any page', async () => {
    const { apiKey } = await app.addAccount();
    const headers = { origin: 'https://anywhere.example.com' };
    const checkout = { amount_payment: 150, currency_exit_received_code: 'USDT_TRX' };
    const payer = (await app.post('/v2/crossramp_checkout', checkout)).json.payment_link.split('/').at(-1);
    const asked = await app.get('/graphql?query={paymentSession{ask}}', { key: payer, headers });
    expect([asked.status, allowed(asked)]).toEqual([200, '*']);
    const stream = await subscribe({ ...app, apiKey: await makeToken(apiKey) }, EVENTS);
    expect(stream.headers.get('access-control-allow-origin')).toBe('*');
    stream.close();
  });
});

describe('a stream token', () => {
  test('opens subscriptions, as bearer and in the query, also on a single connection, and only for its account', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    const token = await makeToken(mine.apiKey);
    const stream = await subscribe({ ...app, apiKey: token }, EVENTS);
    const url = `${app.baseUrl}/graphql?${new URLSearchParams({ query: 'subscription { balanceChanged { cursor } }', access_token: token })}`;
    const control = new AbortController();
    const plain = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: control.signal });
    expect(plain.status).toBe(200);
    control.abort();
    await makeOnramp(app, theirs.apiKey);
    const end2end = await makeOnramp(app, mine.apiKey);
    await stream.until(1);
    expect(stream.events[0]?.data.data.events.transaction.end2end).toBe(end2end);
    stream.close();
    const single = await fetch(`${app.baseUrl}/graphql/stream`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(single.status).toBe(201);
    const operate = (query: string) =>
      fetch(`${app.baseUrl}/graphql/stream`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-graphql-event-stream-token': reserved,
        },
        body: JSON.stringify({ query, extensions: { operationId: query } }),
      });
    const reserved = await single.text();
    expect((await operate('subscription { balanceChanged { cursor } }')).status).toBe(202);
    expect((await operate('{ balances { available } }')).status).toBe(403);
  });

  test('is not issued by a key that was just revoked', async () => {
    const { apiKey, keyId } = await app.addAccount();
    await app.graphql('{ balances { blocked } }', {}, { key: apiKey });
    await revokeKey(app.database, keyId);
    const { json } = await app.graphql(
      'mutation { createStreamToken(input: {}) { streamToken { token } errors { code message path } } }',
      {},
      { key: apiKey },
    );
    expect((errorsIn(json)?.[0].extensions ?? json).code).toBe('UNAUTHORIZED');
  });

  test('opens nothing else: no query, no mutation, no REST, no further token', async () => {
    const { apiKey } = await app.addAccount();
    const token = await makeToken(apiKey);
    for (const query of [
      '{ balances { available } }',
      '{ paymentSession { ask } }',
      'mutation { createStreamToken(input: {}) { streamToken { token } errors { code message path } } }',
      'subscription { events { cursor } }',
      '{ nothing }',
    ]) {
      const { status, json } = await app.graphql(query, {}, { key: token });
      expect([query, status, json.code]).toEqual([query, 403, 'FORBIDDEN']);
    }
    expect((await app.get('/v2/balance', { key: token })).status).toBe(401);
    expect((await app.get(`/v2/events?access_token=${token}`, { key: null })).status).toBe(401);
  });

  test('needs a key with the scope read, and seconds within bounds', async () => {
    const create =
      'mutation { createStreamToken(input: {}) { streamToken { token } errors { code message path } } }';
    const { apiKey: key } = await app.addAccount({ scopes: ['create', 'move', 'admin'] });
    expect(errorsIn((await app.graphql(create, {}, { key })).json)[0].extensions.code).toBe('FORBIDDEN');
    for (const seconds of [9, 901, -1])
      await expect(makeToken(app.apiKey, seconds)).rejects.toThrow(/INVALID_PARAMETER.*expiresIn/);
  });

  test('cannot be made up or changed', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    const token = await makeToken(mine.apiKey);
    const [account = '', key = '', end = '', signature = ''] = token.split('.');
    const later = String(Number(end) + 60);
    const [, theirKey] = (await makeToken(theirs.apiKey)).split('.');
    for (const wrong of [
      [account, key, later, signature],
      [account, theirKey, end, signature],
      [`crst_${theirs.accountId}`, theirKey, end, signature],
      [account, key, end, signature.replace(/^./, signature[0] === 'A' ? 'B' : 'A')],
      [account, key, end],
      [account, key, end, ''],
    ]) {
      const stream = await subscribe({ ...app, apiKey: wrong.join('.') }, EVENTS);
      expect(stream.status).toBe(401);
    }
    expect((await subscribe({ ...app, apiKey: token }, EVENTS)).status).toBe(200);
  });

  test('opens nothing after its end; open streams continue', async () => {
    const { apiKey } = await app.addAccount();
    const token = await makeToken(apiKey, 10);
    const stream = await subscribe({ ...app, apiKey: token }, EVENTS);
    const now = vi.spyOn(app.database, 'nowMs').mockReturnValue(app.database.nowMs() + 12_000);
    try {
      expect((await subscribe({ ...app, apiKey: token }, EVENTS)).status).toBe(401);
    } finally {
      now.mockRestore();
    }
    await makeOnramp(app, apiKey);
    await stream.until(1);
    expect(stream.events.length).toBeGreaterThan(0);
    stream.close();
  });

  test('C-40: ends with its key, and is bound to its networks', async () => {
    const { apiKey, keyId } = await app.addAccount();
    const token = await makeToken(apiKey);
    const stream = await subscribe({ ...app, apiKey: token }, EVENTS);
    await revokeKey(app.database, keyId);
    await stream.ended;
    expect(stream.events[0]?.data.errors[0].extensions.code).toBe('UNAUTHORIZED');
    expect((await subscribe({ ...app, apiKey: token }, EVENTS)).status).toBe(401);
    const bound = await createKey(app.database, app.accountId, {
      ...{ name: 'bound', mode: 'test', scopes: ['read'], expiresAt: null, allowedCidrs: ['127.0.0.1'] },
    });
    const inside = await makeToken(bound.apiKey);
    await app.owner.query(`update api_key set allowed_cidrs = '{203.0.113.0/24}' where id = $1`, [
      bound.keyId,
    ]);
    expect((await subscribe({ ...app, apiKey: inside }, EVENTS)).status).toBe(401);
  });
});
