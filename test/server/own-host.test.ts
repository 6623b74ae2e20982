/**
 * Goal: pages on this machine have one host, and the API answers by every name of it. Method: the settings of a start without
 * PUBLIC_URL; requests by each name, for pages and for programs; the same over sockets, to the whole application.
 */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { consoleOrigin, linkUrl } from '../../src/base/pages/console-url.ts';
import { readConfig } from '../../src/config.ts';
import { ownHost, type PageRequest } from '../../src/server/own-host.ts';
import { useApp } from '../support/app.ts';

const app = useApp({ publicUrl: 'http://localhost:4000' });

const asked = (host: string, path: string, { accept = 'text/html', method = 'GET', search = '' } = {}) =>
  ({ request: { method, headers: { host, accept } }, path, search }) as unknown as PageRequest;

test('a start without PUBLIC_URL has one host in all of its addresses', () => {
  const { publicUrl } = readConfig({ PORT: '4001' });
  expect(publicUrl).toBe('http://localhost:4001');
  expect([consoleOrigin(publicUrl), linkUrl(publicUrl, 'x')]).toEqual([
    'http://localhost:4001',
    'http://localhost:4001/console/link/x',
  ]);
  expect(readConfig({ HOST: '0.0.0.0', PORT: '4001' }).publicUrl).toBe('http://0.0.0.0:4001');
  expect(readConfig({ HOST: '::1', PORT: '4001' }).publicUrl).toBe('http://localhost:4001');
});

describe('a page requested by another name of this machine', () => {
  const at = ownHost('http://localhost:4000');

  test.each([
    ['127.0.0.1:4000', '/console', '', 'http://localhost:4000/console'],
    ['[::1]:4000', '/pay/abc', 'lang=pt', 'http://localhost:4000/pay/abc?lang=pt'],
    ['127.0.0.1:4000', '/graphql', '', 'http://localhost:4000/graphql'],
    ['127.0.0.1:4000', '/', '', 'http://localhost:4000/'],
  ])('%s%s %s leads to %s', (host, path, search, location) =>
    expect(at(asked(host, path, { search }))).toBe(location));

  test.each([
    ['localhost:4000', '/console', {}],
    ['127.0.0.1:8080', '/console', {}],
    ['shop.example.com', '/console', {}],
    ['127.0.0.1:4000', '/v2/onramps', {}],
    ['127.0.0.1:4000', '/graphql', { search: 'query={viewer{__typename}}' }],
    ['127.0.0.1:4000', '/console/acts/CreateCheckout', { method: 'POST' }],
    ['127.0.0.1:4000', '/readyz', { accept: '*/*' }],
    ['not a host', '/console', {}],
  ])('%s%s %j is answered there', (host, path, more) => expect(at(asked(host, path, more))).toBeUndefined());

  test.each([
    'http://127.0.0.1:4000',
    'https://pay.example.com',
  ])('nothing is led away from %s', (publicUrl) =>
    expect(ownHost(publicUrl)(asked('127.0.0.1:4000', '/console'))).toBeUndefined());
});

describe('over a socket', () => {
  /** Sends a request as it is written. @returns status and `location` of the answer. */
  const send = (start: string, host: string, body?: string) =>
    new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
      const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk));
      socket.on('error', reject);
      socket.on('close', () =>
        resolve({
          status: Number(answer.split(' ')[1]),
          location: /^location: (.*)$/im.exec(answer)?.[1]?.trim(),
        }),
      );
      const type = body?.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
      const content = body === undefined ? [] : [`content-type: ${type}`, `content-length: ${body.length}`];
      const head = [
        `${start} HTTP/1.1`,
        `host: ${host}`,
        'accept: text/html',
        ...content,
        'connection: close',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
    });

  test.each([
    [
      'GET /console/sign-in?lang=pt&next=%2Fconsole',
      'http://localhost:4000/console/sign-in?lang=pt&next=%2Fconsole',
    ],
    ['HEAD /pay/abc', 'http://localhost:4000/pay/abc'],
    ['GET //shop.invalid/console', 'http://localhost:4000//shop.invalid/console'],
    ['GET /\\shop.invalid', 'http://localhost:4000/\\shop.invalid'],
    ['GET /@shop.invalid', 'http://localhost:4000/@shop.invalid'],
  ])('the page %s by another name of this machine leads to %s', async (start, location) => {
    for (const host of ['127.0.0.1:4000', '[::1]:4000'])
      expect(await send(start, host)).toEqual({ status: 307, location });
    expect(new URL(location).origin).toBe('http://localhost:4000');
  });

  test.each([
    'http://shop.invalid/console',
    'x://shop.invalid/',
  ])('the target %s leads nowhere', async (target) => {
    const { status, location } = await send(`GET ${target}`, '127.0.0.1:4000');
    expect([status, location]).toEqual([404, undefined]);
  });

  test.each([
    ['/v2/onramp', '{"amount_payment":50}'],
    ['/graphql', '{"query":"{ viewer { __typename } }"}'],
    ['/console/acts/CreateCheckout', 'amount=50'],
    ['/pay/abc/cancel', 'x=1'],
    ['/', 'x=1'],
  ])('a body that is posted to %s is answered there, whatever the host', async (path, body) => {
    for (const host of ['127.0.0.1:4000', '[::1]:4000', 'shop.invalid', 'localhost:4000']) {
      const { status, location } = await send(`POST ${path}`, host, body);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(location).toBeUndefined();
    }
  });

  test.each([
    'shop.invalid',
    'shop.invalid:4000',
    'localhost.invalid:4000',
    '127.0.0.1.invalid:4000',
    '127.0.0.1:4000@shop.invalid',
    '127.0.0.1:8080',
  ])('no page leads from or to the unknown host %s', async (host) => {
    const { status, location } = await send('GET /', host);
    expect(status).not.toBe(307);
    expect(location === undefined || location.startsWith('/')).toBe(true);
  });
});
