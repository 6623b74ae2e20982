/** URLs of a database on several hosts: each host has a URL of its own, and a message never has the login. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { addressOf, urlsOfHosts } from '../../../src/store/connection/several-hosts.ts';

it.each([
  ['postgres://a:b@one/shop', ['postgres://a:b@one/shop']],
  ['postgres://a:b@one:1,two:2/shop', ['postgres://a:b@one:1/shop', 'postgres://a:b@two:2/shop']],
  [
    'postgresql://one,[::1]:5,two/shop?sslmode=require&target_session_attrs=read-write',
    [
      'postgresql://one/shop?sslmode=require',
      'postgresql://[::1]:5/shop?sslmode=require',
      'postgresql://two/shop?sslmode=require',
    ],
  ],
  ['postgres://a%40:%2C@one,two/shop', ['postgres://a%40:%2C@one/shop', 'postgres://a%40:%2C@two/shop']],
  ['postgres://one/shop?target_session_attrs=primary', ['postgres://one/shop']],
  ['postgres:///shop?host=/run/postgresql', ['postgres:///shop?host=/run/postgresql']],
])('%s is %j', (text, urls) => {
  expect(urlsOfHosts(text)).toEqual(urls);
  expect(readConfig({ DATABASE_URL: text }).databaseUrl).toBe(text);
});

it.each([
  'postgres://one,/shop',
  'postgres://,two/shop',
  'postgres://one:x,two/shop',
  'postgres://one,two/shop?target_session_attrs=standby',
  'postgres://one/shop?target_session_attrs=any',
  'mysql://one,two/shop',
])('%s is refused, and the message has no password', (text) => {
  const withLogin = text.replace('://', '://a:hunter2@');
  expect(() => readConfig({ DATABASE_URL: withLogin })).toThrow(
    /^DATABASE_URL: expected postgres:\/\/(?!.*hunter2)/,
  );
});

it('an address has no login', () => {
  expect(addressOf('postgres://a:b@one:1/shop?x=y')).toBe('one:1');
});
