/**
 * Goal: what is wrong with a request before it has a route is said in a problem; slow clients and too many connections cost
 * little, and hold up nobody else; the client behind a proxy is the one that limits and allow-lists see. Method: the
 * application on real sockets of this machine, hundreds of them.
 */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { EVENTS, subscribe } from '../live/streams.ts';
import { type AppLimits, startApp, useApp } from '../support/app.ts';
import { revokeKey } from '../support/revoke-key.ts';

const app = useApp();
const sockets: Socket[] = [];
const started: Awaited<ReturnType<typeof startApp>>[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const each of started.splice(0)) await each.close();
});

async function startLimited(limits: AppLimits) {
  const limited = await startApp(app.database, 0, limits);
  started.push(limited);
  return limited;
}

/** Opens a connection and writes. @returns all that comes, when it has ended. */
function open(
  url: string,
  text: string,
  localAddress = '127.0.0.1',
): { socket: Socket; all: Promise<string> } {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let got = '';
  socket.setEncoding('utf8').on('data', (chunk) => (got += chunk));
  socket.on('error', () => {});
  socket.write(text);
  return { socket, all: new Promise((resolve) => socket.once('close', () => resolve(got))) };
}

const problemOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
const GET = 'GET /v2/balance HTTP/1.1\r\n';
const lines = (...head: string[]) => `${head.join('\r\n')}\r\nConnection: close\r\n\r\n`;

describe('C-50: a request that no route gets to see is refused with a problem', () => {
  test.each([
    ['no Host', lines('GET /healthz HTTP/1.1'), 400, 'BAD_REQUEST'],
    ['two Hosts', lines('GET /healthz HTTP/1.1', 'Host: a', 'Host: a'), 400, 'BAD_REQUEST'],
    ['a Host that is none', lines('GET /healthz HTTP/1.1', 'Host: a/b c'), 400, 'BAD_REQUEST'],
    [
      'a WebSocket',
      lines('GET /graphql HTTP/1.1', 'Host: a', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
      426,
      'UPGRADE_UNSUPPORTED',
    ],
    ['an expectation', lines('GET /healthz HTTP/1.1', 'Host: a', 'Expect: tea'), 417, 'EXPECTATION_FAILED'],
  ])('%s', async (_name, text, status, code) => {
    const answer = await open(app.baseUrl, text).all;
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    expect(problemOf(answer)).toMatchObject({ status, code, request_id: expect.any(String) });
  });

  test.each([
    ['HTTP/1.0 without Host', lines('GET /healthz HTTP/1.0')],
    ['an IPv6 Host', lines('GET /healthz HTTP/1.1', 'Host: [::1]:4000')],
    ['an empty Host', lines('GET /healthz HTTP/1.1', 'Host:')],
    ['100-continue', lines('GET /healthz HTTP/1.1', 'Host: a', 'Expect: 100-Continue')],
  ])('%s is fine', async (_name, text) => {
    expect(await open(app.baseUrl, text).all).toContain(' 200 OK');
  });

  test.each(['/v2/onramp', '/graphql'])('a compressed body of %s', async (path) => {
    for (const encoding of ['gzip', 'GZIP', 'br', 'identity, gzip']) {
      const answer = await app.post(path, '{}', { headers: { 'content-encoding': encoding } });
      expect(answer.json).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
    const plain = await app.post(path, '{}', { headers: { 'content-encoding': 'identity' } });
    expect(plain.json.code).not.toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

test('an idle connection stays open for longer than those of proxies, and clients see how long', async () => {
  const { headers } = await app.get('/healthz', { key: null });
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

describe('slow clients', () => {
  const connections = { total: 2_000, perAddress: 1_000, headersMs: 1_000, requestMs: 1_500 };

  test('300 connections that send half a head, half a body, or nothing are closed; others are answered meanwhile', async () => {
    const { publicUrl, get } = await startLimited({ connections });
    const halves = [
      '',
      `${GET}Host: a\r\nX-Slow: `,
      `POST /v2/onramp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"amount`,
    ];
    const slow = Array.from({ length: 300 }, (_, index) => open(publicUrl, halves[index % 3] as string));
    // Whoever trickles is not quicker: the time is that of the whole.
    const trickling = setInterval(() => {
      for (const [index, { socket }] of slow.entries()) if (index % 3 > 0) socket.write('x');
    }, 200);
    expect((await get('/v2/balance', app.apiKey)).status).toBe(200);
    const answers = await Promise.all(slow.map(({ all }) => all));
    clearInterval(trickling);
    for (const answer of answers)
      expect(problemOf(answer)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  });

  test('a stream is no slow request: it outlives all of these limits', async () => {
    const { publicUrl } = await startLimited({ connections });
    const { apiKey: key } = await app.addAccount();
    const stream = await subscribe({ baseUrl: publicUrl, apiKey: key }, EVENTS);
    // A request that begins after the stream and is ended for its slowness is the clock.
    for (let i = 0; i < 2; i++) expect(await open(publicUrl, GET).all).toContain(' 408 ');
    await app.post('/v2/onramp', ONRAMP, { key });
    await stream.until(1);
    expect(stream.events.length).toBeGreaterThan(0);
    stream.close();
  });
});

const ONRAMP = {
  amount_payment: 100,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana',
  client_tax_id: '52998224725',
};

describe('many connections', () => {
  const limits = { total: 500, perAddress: 200, headersMs: 30_000, requestMs: 30_000 };
  const isOpen = ({ socket }: { socket: Socket }) => !socket.destroyed;

  test('of one address are closed beyond its share; another address is served', async () => {
    const { publicUrl } = await startLimited({ connections: limits });
    const many = Array.from({ length: 300 }, () => open(publicUrl, GET));
    await expect.poll(() => many.filter(isOpen).length).toBe(200);
    const other = await open(publicUrl, lines('GET /healthz HTTP/1.1', 'Host: a'), '127.0.0.2').all;
    expect(other).toContain(' 200 OK');
    // A place that is given back can be taken again.
    for (const { socket } of many.slice(0, 250)) socket.destroy();
    const again = () => open(publicUrl, lines('GET /healthz HTTP/1.1', 'Host: a')).all;
    await expect.poll(again).toContain(' 200 OK');
  });

  test('of all addresses are closed beyond the total', async () => {
    const { publicUrl } = await startLimited({ connections: { ...limits, total: 150 } });
    const many = Array.from({ length: 300 }, (_, index) =>
      open(publicUrl, GET, `127.0.0.${3 + (index % 4)}`),
    );
    await expect.poll(() => many.filter(isOpen).length).toBe(150);
  });

  test('of a trusted proxy have no share', async () => {
    const { publicUrl } = await startLimited({
      connections: { ...limits, perAddress: 10 },
      trustedProxies: ['127.0.0.7'],
    });
    const many = Array.from({ length: 50 }, () => open(publicUrl, GET, '127.0.0.7'));
    const last = await open(publicUrl, lines('GET /healthz HTTP/1.1', 'Host: a'), '127.0.0.7').all;
    expect(last).toContain(' 200 OK');
    expect(many.filter(isOpen)).toHaveLength(50);
  });
});

describe('C-40: behind a proxy', () => {
  const ask = (url: string, key: string, forwarded: string, from = '127.0.0.7') =>
    open(
      url,
      lines(
        'GET /v2/balance HTTP/1.1',
        'Host: a',
        `Authorization: Bearer ${key}`,
        `X-Forwarded-For: ${forwarded}`,
      ),
      from,
    ).all;

  test('an allow-list sees the client, and trusts no other X-Forwarded-For', async () => {
    const { publicUrl } = await startLimited({ trustedProxies: ['127.0.0.7'] });
    const { apiKey } = await createKey(app.database, app.accountId, {
      ...{ name: 'office', mode: 'test', scopes: ['read'], expiresAt: null },
      allowedCidrs: ['203.0.113.0/24'],
    });
    expect(await ask(publicUrl, apiKey, '203.0.113.9')).toContain(' 200 OK');
    expect(await ask(publicUrl, apiKey, '203.0.113.9, 198.51.100.1')).toContain(' 401 ');
    expect(await ask(publicUrl, apiKey, '203.0.113.9', '127.0.0.8')).toContain(' 401 ');
  });

  test('failed authentications of an address are limited; a valid key passes, and so does another address', async () => {
    const { publicUrl } = await startLimited({
      trustedProxies: ['127.0.0.7'],
      authFailureLimit: { perSecond: 0.01, burst: 5 },
    });
    const wrong = newApiKey('test');
    const statusOf = async (key: string, forwarded: string) =>
      Number((await ask(publicUrl, key, forwarded)).split(' ')[1]);
    for (let i = 0; i < 5; i++) expect(await statusOf(wrong, '198.51.100.1')).toBe(401);
    const refused = await ask(publicUrl, wrong, '198.51.100.1');
    expect(problemOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(/retry-after: (\d+)/i.exec(refused)?.[1])).toBeGreaterThan(50);
    expect(await statusOf(app.apiKey, '198.51.100.1')).toBe(200);
    expect(await statusOf(wrong, '198.51.100.2')).toBe(401);
    // The addresses of one IPv6 network are one client.
    for (let i = 0; i < 5; i++) expect(await statusOf(wrong, `2001:db8::${i}`)).toBe(401);
    expect(await statusOf(wrong, '2001:db8::ffff')).toBe(429);
    expect(await statusOf(wrong, '2001:db8:0:1::1')).toBe(401);
  });
});

/** A request that takes longer has its key checked again. Unit: ms. */
const SLOW_MS = 1_000;

describe('C-40: a revoked key', () => {
  // That it does so within a second is held on a clock of its own: resolvers/services/event-hub.
  test('ends its streams, in every process', async () => {
    const other = await startLimited({});
    const { apiKey: key, keyId } = await app.addAccount();
    const streams = [
      await subscribe({ ...app, apiKey: key }, EVENTS),
      await subscribe({ baseUrl: other.publicUrl, apiKey: key }, EVENTS),
    ];
    await revokeKey(app.database, keyId);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const { events } of streams) expect(events[0]?.data.errors[0].extensions.code).toBe('UNAUTHORIZED');
  });

  const CREATE =
    'mutation($input: CreateOnrampInput!) { createOnramp(input: $input) { __typename errors { code message path } } }';
  test.each([
    ['/v2/onramp', JSON.stringify(ONRAMP)],
    ['/graphql', JSON.stringify({ query: CREATE, variables: { input: {} } })],
    ['/graphql', '{"query":"{ __typename }"}'],
  ])('does nothing by a body that came slowly: %s %s', async (path, body) => {
    const { apiKey: key, keyId } = await app.addAccount();
    const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${length}\r\n\r\n`;
    const begun = performance.now();
    const { socket, all } = open(app.baseUrl, `${head}${body.slice(0, 1)}`);
    expect((await app.get('/v2/balance', { key })).status).toBe(200);
    await revokeKey(app.database, keyId);
    const isRefused = async () => (await app.get('/v2/balance', { key })).status === 401;
    await expect
      .poll(async () => (await isRefused()) && performance.now() - begun > SLOW_MS, { timeout: 15_000 })
      .toBe(true);
    socket.write(body.slice(1));
    expect(problemOf(await all).code).toBe('UNAUTHORIZED');
  });

  test('does not learn the reason of a wait', async () => {
    const { apiKey: key, keyId } = await app.addAccount();
    await app.post('/v2/onramp', ONRAMP, { key });
    const { next } = (await app.get('/v2/events?limit=100', { key })).json;
    const waiting = app.get(`/v2/events?after=${next}&wait=5`, { key });
    await revokeKey(app.database, keyId);
    expect((await waiting).status).toBe(401);
  });
});
