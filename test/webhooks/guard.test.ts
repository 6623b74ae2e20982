/**
 * Goal: C-63: nobody reaches a network through webhooks that the public cannot reach. Method: the table of special ranges
 * with their ends and their neighbours, an oracle written otherwise for any address, every spelling of the URL standard;
 * names through resolvers of the test's own, and through a name server on loopback. Nothing connects anywhere.
 */
import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  assertConnectable,
  checkUrl,
  dnsResolve,
  GuardError,
  guardedLookup,
  isAllowedAddress,
  isPublicAddress,
} from '../../src/webhooks/guard.ts';

const STRICT = { allowsLoopback: false };
const SANDBOX = { allowsLoopback: true };
const SEED = { seed: 20_261_121, numRuns: 2000 };
const NOT_PUBLIC = 'the address is not public';

/** Name, first, last; the addresses just outside that are public. */
const RANGES: [string, string, string, ...string[]][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16, Azure', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['169.254.169.254, metadata', '169.254.169.254', '169.254.169.254'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
  ['::', '::', '::'],
  ['::1', '::1', '0:0:0:0:0:0:0:1'],
  ['IPv4-compatible', '::2', '::ffff:ffff'],
  ['IPv4-mapped', '::ffff:0:0', '::ffff:ffff:ffff'],
  ['IPv4-mapped public', '::ffff:8.8.8.8', '::ffff:1.1.1.1'],
  ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['below 2000::/3', '1fff::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001::/32, Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['above 2000::/3', '4000::', '4000::1', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fd00:ec2::254, metadata', 'fd00:ec2::254', 'fd00:ec2:0::254'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Spellings of loopback, and of 0.0.0.0, that the URL standard reads. */
const LOOPBACK_SPELLINGS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0X7F.0.0.0X1',
  '0177.0.0.1',
  '017700000001',
  '0177.0x0.0.01',
  '127.255.255.254',
  '127。0。0。1',
  '127．0．0．1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '\u00ad127.0.0.1',
  '127.0.\u200b0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::0.0.0.1]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌocalhost',
  'a.localhost',
  '%6cocalhost',
];
/** What reaches loopback on some systems, or embeds it: never allowed, and other addresses that are not public. */
const NEVER_SPELLINGS = [
  '0',
  '0.0.0.0',
  '0x0',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:a9fe:a9fe]',
  '10.1',
  '192.168.257',
  '172.16.1',
  '255.255.255.255',
  '4294967295',
];

function bits(address: string): bigint {
  if (address.includes('.')) return address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return address.split(':').reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

describe('C-63: ranges', () => {
  test.each(RANGES)('%s is not public, but its neighbours are', (_, first, last, ...outside) => {
    expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false]);
    expect(outside.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2A00::1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '',
    'example.com',
    'localhost',
    '8.8.8',
    '08.8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8:443',
    '0x8.8.8.8',
    '134744072',
    '２.2.2.2',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    'fe80::1%eth0',
    '::1%lo',
    '2606:4700::1/64',
  ])('%j is no address, so it is not public', (text) => {
    expect(isPublicAddress(text)).toBe(false);
    expect(isAllowedAddress(text, SANDBOX)).toBe(false);
  });

  test('any address of IPv4: by the table', () => {
    const table = RANGES.filter(([, first]) => first.includes('.') && !first.includes(':')).map(
      ([, first, last]) => ({
        from: bits(first),
        to: bits(last),
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const number = bits(address);
        const isDenied = table.some(({ from, to }) => number >= from && number <= to);
        expect([address, isPublicAddress(address)]).toEqual([address, !isDenied]);
      }),
      SEED,
    );
  });

  test('any IPv6 address: global unicast without the special ranges', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const head = fc.oneof(
      group,
      fc.constantFrom(0, 0x2001, 0x2002, 0x3fff, 0x64, 0x100),
      fc.integer({ min: 0x1fff, max: 0x4000 }),
    );
    const second = fc.oneof(group, fc.constantFrom(0, 0xdb8, 0x1ff, 0x200, 0xfff, 0x1000));
    fc.assert(
      fc.property(head, second, fc.array(group, { minLength: 6, maxLength: 6 }), (a, b, rest) => {
        const address = [a, b, ...rest].map((each) => each.toString(16)).join(':');
        const isGlobal = bits(address) >> 125n === 1n;
        const isApart =
          (a === 0x2001 && (b < 0x200 || b === 0xdb8)) || a === 0x2002 || (a === 0x3fff && b < 0x1000);
        expect([address, isPublicAddress(address)]).toEqual([address, isGlobal && !isApart]);
      }),
      SEED,
    );
  });

  test('every IPv4 address that is embedded in an IPv6 address is refused', () => {
    const written = fc.constantFrom<(v4: string) => string>(
      (v4) => `::ffff:${v4}`,
      (v4) => `::${v4}`,
      (v4) => `::ffff:0:${v4}`,
      (v4) => `64:ff9b::${v4}`,
      (v4) => `64:ff9b:1::${v4}`,
      (v4) =>
        `2002:${bits(v4)
          .toString(16)
          .padStart(8, '0')
          .replace(/^(.{4})/, '$1:')}::1`,
      (v4) => `2001::${v4}`,
    );
    fc.assert(
      fc.property(fc.ipV4(), written, (v4, write) => {
        expect([write(v4), isAllowedAddress(write(v4), SANDBOX)]).toEqual([write(v4), false]);
      }),
      SEED,
    );
  });

  test('the sandbox adds loopback and nothing else', () => {
    const added = RANGES.flatMap(([, first, last]) => [first, last]).filter((each) =>
      isAllowedAddress(each, SANDBOX),
    );
    expect(added).toEqual(['127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1']);
  });
});

describe('C-63: spellings in URLs', () => {
  test.each(LOOPBACK_SPELLINGS)('%s is loopback and allowed only in the sandbox', (host) => {
    expect(checkUrl(`https://${host}/hook`, STRICT)).toBe(NOT_PUBLIC);
    expect(checkUrl(`http://${host}:8080/hook`, STRICT)).toBe(NOT_PUBLIC);
    expect(checkUrl(`https://${host}/hook`, SANDBOX)).toBeUndefined();
    expect(checkUrl(`http://${host}:8080/hook`, SANDBOX)).toBeUndefined();
    expect(() => assertConnectable(host, STRICT)).toThrow(GuardError);
    expect(() => assertConnectable(host, SANDBOX)).not.toThrow();
  });

  test.each(NEVER_SPELLINGS)('%s is never allowed', (host) => {
    for (const options of [STRICT, SANDBOX]) {
      expect(checkUrl(`https://${host}/hook`, options)).toBe(NOT_PUBLIC);
      expect(checkUrl(`http://${host}:80/hook`, options)).toBe(NOT_PUBLIC);
      expect(() => assertConnectable(host, options)).toThrow(GuardError);
    }
  });

  test('an address is recognised in any number base', () => {
    const inBase = fc.constantFrom<(n: number) => string>(
      String,
      (n) => `0x${n.toString(16)}`,
      (n) => `0${n.toString(8)}`,
    );
    const byte = fc.nat(255);
    fc.assert(
      fc.property(
        fc.tuple(byte, byte, byte, byte),
        inBase,
        fc.integer({ min: 1, max: 4 }),
        (bytes, write, parts) => {
          const tail = bytes.slice(parts - 1).reduce((sum, each) => sum * 256 + each, 0);
          const spelled = [...bytes.slice(0, parts - 1), tail].map(write).join('.');
          const isTaken = checkUrl(`https://${spelled}/`, STRICT) === undefined;
          expect([spelled, isTaken]).toEqual([spelled, isPublicAddress(bytes.join('.'))]);
        },
      ),
      SEED,
    );
  });

  test('any IPv6 address is checked in the form that the connection uses', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const isTaken = checkUrl(`https://[${address}]/`, STRICT) === undefined;
        expect([address, isTaken]).toEqual([address, isPublicAddress(address)]);
      }),
      SEED,
    );
  });

  test.each([
    'https://example.com',
    'https://example.com/hooks/1?a=b#c',
    'https://example.com:8443/@you',
    'https://example.com:1/',
    'HTTPS://EXAMPLE.COM/',
    'https://example.com./',
    'https://a_b.example.com/',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'https://пример.испытание/',
    'https://localhost.example.com/',
    'https://notlocalhost/',
    'https://127.0.0.1.example.com/',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700:4700::1111]:443/',
  ])('%s is taken', (url) => {
    expect(checkUrl(url, STRICT)).toBeUndefined();
    expect(checkUrl(url, SANDBOX)).toBeUndefined();
  });

  test.each([
    ['http://example.com/', 'https is required'],
    ['http://8.8.8.8/', 'https is required'],
    ['http://localhost.example.com/', 'https is required'],
    ['http://127.0.0.1.example.com/', 'https is required'],
    ['https://user@example.com/', 'the URL contains credentials'],
    ['https://user:pass@example.com/', 'the URL contains credentials'],
    ['https://:pass@example.com/', 'the URL contains credentials'],
    ['https://example.com@127.0.0.1/', 'the URL contains credentials'],
    ['https://example.com%00@127.0.0.1/', 'the URL contains credentials'],
    ['https://./', 'the URL names no host'],
    ['https://../', 'the URL names no host'],
    ['https://.example.com/', 'the URL names no host'],
    ['https://example..com/', 'the URL names no host'],
    ['https://127.0.0.1../', 'the URL names no host'],
    [`https://example.com/${'a'.repeat(2048)}`, 'the URL is longer than 2048 characters'],
    [' https://example.com/', 'the URL contains a blank, a backslash or a control character'],
    ['https://example.com/\r\nx: y', 'the URL contains a blank, a backslash or a control character'],
    ['https://exam\tple.com/', 'the URL contains a blank, a backslash or a control character'],
    ['https://example.com\\@127.0.0.1/', 'the URL contains a blank, a backslash or a control character'],
    ['https://example.com/\u0000', 'the URL contains a blank, a backslash or a control character'],
    ['https://example.com/\u00a0', 'the URL contains a blank, a backslash or a control character'],
  ])('%j is not: %s', (url, reason) => {
    expect(checkUrl(url, STRICT)).toBe(reason);
    expect(checkUrl(url, SANDBOX)).toBe(reason);
  });

  test.each([
    '',
    'example.com',
    '//example.com/',
    '/hook',
    'https:',
    'https://',
    'https:///',
    'https:///127.0.0.1/',
    'https:127.0.0.1',
    'https:/127.0.0.1/',
    'https://:443/',
    'https://@/',
    'https://?a',
    'https://example.com:65536/',
    'https://example.com:a/',
    'https://example.com:-1/',
    'https://256.1.1.1/',
    'https://1.2.3.4.5/',
    'https://4294967296/',
    'https://127.0.0.08/',
    'https://example.0x7f/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://[::1%lo]/',
    'https://[1.2.3.4]/',
    'https://a%00b/',
    'https://a%2fb/',
    'https://a<b/',
    'https://\ud800/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://127.0.0.1:6379/',
    'ws://example.com/',
    'unix:/run/x.sock',
    'blob:https://example.com/x',
  ])('%j is no URL for webhooks', (url) => {
    for (const options of [STRICT, SANDBOX]) {
      expect(checkUrl(url, options)).toBe('an absolute URL that begins with https:// is expected');
    }
  });

  test('any accepted text is https to a name or a public address', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.webUrl(),
      fc.ipV4Extended(),
      fc.constantFrom('@', ':', '/'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = `https://${pieces.join('')}`;
        if (checkUrl(text, STRICT) !== undefined) return;
        const url = new URL(text);
        expect([url.protocol, url.username, url.password]).toEqual(['https:', '', '']);
        expect(() => assertConnectable(url.hostname, STRICT)).not.toThrow();
      }),
      SEED,
    );
  });
});

describe('C-63: hosts when the connection is made', () => {
  test.each([
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:7f00:1',
    'fe80::1%eth0',
    '127.0.0.1:80',
  ])('%s is refused bare', (host) => {
    expect(() => assertConnectable(host, STRICT)).toThrow(GuardError);
  });

  test.each([
    '',
    '.',
    'a..b',
    'a b',
    'a@127.0.0.1',
    '127.0.0.1/',
    '127.0.0.1#',
    'a?b',
    '256.1.1.1',
    '[::1',
  ])('%j is no host', (host) => {
    expect(() => assertConnectable(host, SANDBOX)).toThrow('the URL names no host');
  });

  test.each([
    'example.com',
    'example.com.',
    '8.8.8.8',
    '2606:4700:4700::1111',
    '[2606:4700:4700::1111]',
  ])('%s passes', (host) => {
    expect(() => assertConnectable(host, STRICT)).not.toThrow();
  });
});

describe('C-63: names', () => {
  /** Answers one after another, and counts how often it was asked. */
  function resolver(...answers: string[][]) {
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return answers[Math.min(asked.length, answers.length) - 1] as string[];
    };
    return { asked, resolve };
  }
  const lookup = (options: Parameters<typeof guardedLookup>[0], name = 'hooks.example', all = true) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      guardedLookup(options)(name, { all }, (error, found) => (error ? reject(error) : resolve(found)));
    });

  test('public IPv4 and IPv6 addresses are returned', async () => {
    const { resolve } = resolver(['8.8.8.8', '2606:4700::1']);
    expect(await lookup({ ...STRICT, resolve })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    expect(await lookup({ ...STRICT, resolve }, 'hooks.example', false)).toBe('8.8.8.8');
  });

  test('DNS rebinding: the checked addresses are returned; a later answer is checked again', async () => {
    const { resolve, asked } = resolver(['8.8.8.8'], ['127.0.0.1']);
    expect(await lookup({ ...STRICT, resolve })).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(asked).toEqual(['hooks.example']);
    await expect(lookup({ ...STRICT, resolve })).rejects.toThrow(NOT_PUBLIC);
  });

  test('a returned answer that is modified later does not affect the check', async () => {
    const answer = ['8.8.8.8'];
    const found = lookup({ ...STRICT, resolve: async () => answer }).catch(() => []);
    await Promise.resolve();
    answer[0] = '127.0.0.1';
    expect(await found).not.toContainEqual({ address: '127.0.0.1', family: 4 });
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['8.8.8.8', '::1']],
    [['8.8.8.8', '::ffff:8.8.8.8']],
    [['2606:4700::1', '10.0.0.1']],
    [[...Array.from({ length: 999 }, (_, index) => `8.8.${index % 256}.8`), '169.254.169.254']],
    [['8.8.8.8', 'example.com']],
    [['8.8.8.8', '']],
    [['2130706433']],
    [['fe80::1%eth0']],
  ])('one answer that is not public spoils all: %#', async (answers) => {
    for (const options of [
      STRICT,
      ...(answers.includes('127.0.0.1') || answers.includes('::1') ? [] : [SANDBOX]),
    ]) {
      const { resolve } = resolver(answers);
      await expect(lookup({ ...options, resolve })).rejects.toMatchObject({
        name: 'GuardError',
        code: 'ADDRESS_REFUSED',
        message: NOT_PUBLIC,
      });
    }
  });

  test('of any mix of answers, all are returned if all are public, otherwise none', async () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('8.8.8.8', '2606:4700::1', '127.0.0.1'));
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 1, maxLength: 4 }), async (answers) => {
        const found = await lookup({ ...STRICT, resolve: async () => answers }).catch(() => undefined);
        const given = (found as LookupAddress[] | undefined)?.map((each) => each.address);
        expect(given).toEqual(answers.every(isPublicAddress) ? answers : undefined);
      }),
      SEED,
    );
  });

  test('loopback answers are accepted only in the sandbox', async () => {
    const { resolve } = resolver(['127.0.0.1']);
    expect(await lookup({ ...SANDBOX, resolve })).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(lookup({ ...STRICT, resolve })).rejects.toThrow(NOT_PUBLIC);
  });

  test.each([
    'localhost',
    'LocalHost.',
    'a.localhost',
  ])('%s means loopback, whatever a resolver says', async (name) => {
    const { resolve, asked } = resolver(['8.8.8.8']);
    expect(await lookup({ ...SANDBOX, resolve }, name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    await expect(lookup({ ...STRICT, resolve }, name)).rejects.toThrow(NOT_PUBLIC);
    expect(asked).toEqual([]);
  });

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '::1'])('%s is not asked for as a name', async (name) => {
    const { resolve, asked } = resolver(['8.8.8.8']);
    await expect(lookup({ ...STRICT, resolve }, name)).rejects.toThrow(NOT_PUBLIC);
    expect(asked).toEqual([]);
  });

  test('no answer, and a failing resolver, are failures', async () => {
    await expect(lookup({ ...STRICT, resolve: async () => [] })).rejects.toMatchObject({
      code: 'NO_ADDRESS',
    });
    const failure = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    const resolve = () => Promise.reject(failure);
    await expect(lookup({ ...STRICT, resolve })).rejects.toBe(failure);
  });

  test('a name with a thousand addresses is attempted at the first four', async () => {
    const answers = Array.from({ length: 1000 }, (_, index) => `8.8.${index >> 8}.${index & 255}`);
    const found = await lookup({ ...STRICT, resolve: async () => answers });
    expect((found as LookupAddress[]).map((each) => each.address)).toEqual(answers.slice(0, 4));
  });
});

describe('DNS', () => {
  const TYPE_A = 1;
  const TYPE_AAAA = 28;
  const SERVFAIL = 2;
  const NXDOMAIN = 3;
  /** What is answered to a question: the data of records, or a code of failure. */
  type Records = Partial<Record<number, Buffer[] | number>>;

  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A name server that answers every name alike (RFC 1035, 4); to a type that is not in the table it says nothing. */
  async function nameServer(records: Records): Promise<string> {
    const server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      const end = query.indexOf(0, 12) + 5;
      const type = query.readUInt16BE(end - 4);
      const found = records[type];
      if (found === undefined) return;
      const header = Buffer.from(query.subarray(0, 12));
      header.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
      header.writeUInt16BE(typeof found === 'number' ? 0 : found.length, 6);
      header.writeUInt32BE(0, 8);
      const answers = (typeof found === 'number' ? [] : found).map((data) => {
        // The name as a pointer to the question, class IN, no time to live.
        const record = Buffer.from('c00c00000001000000000000', 'hex');
        record.writeUInt16BE(type, 2);
        record.writeUInt16BE(data.length, 10);
        return Buffer.concat([record, data]);
      });
      server.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address);
    });
    closers.push(() => server.close());
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const v4 = (...bytes: number[]) => Buffer.from(bytes);
  const v6 = Buffer.from('26064700470000000000000000001111', 'hex');

  test.each<[string, Records, string[]]>([
    ['both families', { [TYPE_A]: [v4(8, 8, 8, 8)], [TYPE_AAAA]: [v6] }, ['8.8.8.8', '2606:4700:4700::1111']],
    ['many', { [TYPE_A]: [v4(8, 8, 8, 8), v4(127, 0, 0, 1)], [TYPE_AAAA]: [] }, ['8.8.8.8', '127.0.0.1']],
    ['one family', { [TYPE_A]: [], [TYPE_AAAA]: [v6] }, ['2606:4700:4700::1111']],
    ['one family, the other fails', { [TYPE_A]: [v4(8, 8, 8, 8)], [TYPE_AAAA]: SERVFAIL }, ['8.8.8.8']],
  ])('%s', async (_, records, expected) => {
    const found = await dnsResolve([await nameServer(records)])('hooks.example');
    expect([...found].sort()).toEqual([...expected].sort());
  });

  test.each<[string, Records, string]>([
    ['no such name', { [TYPE_A]: NXDOMAIN, [TYPE_AAAA]: NXDOMAIN }, 'ENOTFOUND'],
    ['no address', { [TYPE_A]: [], [TYPE_AAAA]: [] }, 'ENODATA'],
    ['a failing server', { [TYPE_A]: SERVFAIL, [TYPE_AAAA]: SERVFAIL }, 'ESERVFAIL'],
    ['a silent server', {}, 'ETIMEOUT'],
  ])('%s fails in time', async (_, records, code) => {
    const resolve = dnsResolve([await nameServer(records)]);
    await expect(resolve('hooks.example')).rejects.toMatchObject({ code });
  });

  test('a private address after a public one is refused', async () => {
    const server = await nameServer({
      [TYPE_A]: [v4(8, 8, 8, 8)],
      [TYPE_AAAA]: [Buffer.from('fe80'.padEnd(32, '0'), 'hex')],
    });
    const look = guardedLookup({ ...STRICT, resolve: dnsResolve([server]) });
    const refused = new Promise((resolve) => look('hooks.example', { all: true }, resolve));
    expect(await refused).toMatchObject({ code: 'ADDRESS_REFUSED' });
  });
});
