/** Goal: the client behind trusted proxies is the right-most address that none of them has; nobody can claim another. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { clientAddress, limitedAddress, networksOf } from '../../../src/server/http/client-address.ts';

const isTrusted = networksOf(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
const requestFrom = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  test.each([
    ['203.0.113.5', undefined, '203.0.113.5'],
    ['203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9,192.0.2.7', '198.51.100.1'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
    ['10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1, ', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1:44321', '198.51.100.1'],
    ['fd00::1', '[2001:db8::5]:443', '2001:db8::5'],
    ['fd00::1', '2001:db8::5', '2001:db8::5'],
    ['fd00::1', '::ffff:198.51.100.1', '198.51.100.1'],
    [undefined, '198.51.100.1', ''],
  ])('from %s, forwarded for %s: %s', (remote, forwarded, expected) => {
    expect(clientAddress(requestFrom(remote, forwarded), isTrusted)).toBe(expected);
  });

  test.each([
    ['203.0.113.5', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s is limited as %s', (address, expected) => {
    expect(limitedAddress(address)).toBe(expected);
  });
});

describe('settings', () => {
  test('TRUSTED_PROXIES are networks or addresses', () => {
    expect(readConfig({}).trustedProxies).toEqual([]);
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    for (const wrong of ['balancer', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0.0/'])
      expect(() => readConfig({ TRUSTED_PROXIES: wrong })).toThrow(/TRUSTED_PROXIES/);
  });

  test('AUTH_FAILURE_LIMIT is a rate with a burst, or off', () => {
    expect(readConfig({}).authFailureLimit).toEqual({ perSecond: 2, burst: 60 });
    expect(readConfig({ AUTH_FAILURE_LIMIT: 'off' }).authFailureLimit).toBeNull();
    expect(() => readConfig({ AUTH_FAILURE_LIMIT: 'often' })).toThrow(/AUTH_FAILURE_LIMIT/);
  });
});
