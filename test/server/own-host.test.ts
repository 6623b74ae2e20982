/**
 * Goal: pages on this machine have one host, and the API answers by every name of it. Method: the settings of a start without
 * PUBLIC_URL; requests by each name, for pages and for programs.
 */
import { describe, expect, test } from 'vitest';
import { consoleOrigin, linkUrl } from '../../src/base/pages/console-url.ts';
import { readConfig } from '../../src/config.ts';
import { ownHost, type PageRequest } from '../../src/server/own-host.ts';

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
    ['[::1]:4000', '/pay/abc', '?lang=pt', 'http://localhost:4000/pay/abc?lang=pt'],
    ['127.0.0.1:4000', '/graphql', '', 'http://localhost:4000/graphql'],
    ['127.0.0.1:4000', '/', '', 'http://localhost:4000/'],
  ])('%s%s%s leads to %s', (host, path, search, location) =>
    expect(at(asked(host, path, { search }))).toBe(location));

  test.each([
    ['localhost:4000', '/console', {}],
    ['127.0.0.1:8080', '/console', {}],
    ['shop.example.com', '/console', {}],
    ['127.0.0.1:4000', '/v2/onramps', {}],
    ['127.0.0.1:4000', '/graphql', { search: '?query={viewer{__typename}}' }],
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
