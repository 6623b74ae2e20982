/** Goal: the small words of the service are read strictly. Method: tables, the nearest refused case beside the accepted. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiKeyHash, isApiKey, newApiKey } from '../../src/base/access/api-key.ts';
import {
  CURRENCIES,
  currenciesMeant,
  currencyOfHistory,
  explorerUrl,
} from '../../src/base/money/currency.ts';
import { NumberToken, parseExactJson } from '../../src/base/text/exact-json.ts';
import { quoted, quotedUtf8 } from '../../src/base/text/quoted.ts';
import { textOfUtf8, utf8Text } from '../../src/base/text/utf8-text.ts';
import { isoMillis, isoSeconds, parseDay, parseInstant } from '../../src/base/time/instant.ts';

test('texts as JSON, and as bytes of UTF-8, equal the platform’s encoding', () => {
  const texts = fc.string({
    unit: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\u007f', '→', '\ud800')),
  });
  fc.assert(
    fc.property(texts, (text) => {
      expect(quoted(text)).toBe(JSON.stringify(text));
      expect(utf8Text(text)).toBe(Buffer.from(text).toString('latin1'));
      expect(textOfUtf8(quotedUtf8(text))).toBe(JSON.stringify(text));
      expect(textOfUtf8(utf8Text(text))).toBe(text.toWellFormed());
    }),
  );
});

describe('C-13: days', () => {
  test.each([
    '2026-02-28',
    '2024-02-29',
    '2000-01-01',
    '1999-12-31',
    '0001-01-01',
    '9999-12-31',
  ])('%s is a day', (text) => expect(parseDay(text)).toBe(text));
  test.each([
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-2-3',
    '1999-02-29',
    '0000-01-01',
    '-0001-01-01',
    '10000-01-01',
    '2026-02-03T00:00',
    ' 2026-02-03',
    '２０２６-02-03',
    '',
  ])('%j is none', (text) => expect(parseDay(text)).toBeUndefined());
});

describe('C-2: instants', () => {
  test.each([
    ['2026-05-04 12:00:00+00', '2026-05-04T12:00:00Z', '2026-05-04T12:00:00.000Z'],
    ['2026-05-04 12:00:00.1+00', '2026-05-04T12:00:00Z', '2026-05-04T12:00:00.100Z'],
    ['2026-05-04 12:00:00.123+00', '2026-05-04T12:00:00Z', '2026-05-04T12:00:00.123Z'],
    ['2026-05-04T12:00:00.999Z', '2026-05-04T12:00:00Z', '2026-05-04T12:00:00.999Z'],
  ])('%s is %s on the wire and %s in GraphQL', (stored, seconds, millis) => {
    expect(isoSeconds(stored)).toBe(seconds);
    expect(isoMillis(stored)).toBe(millis);
  });
  test.each([
    ['2026-05-01T12:00:00Z', 1777636800000],
    ['2026-05-01T09:00:00-03:00', 1777636800000],
    ['2026-05-01T12:00:00.5Z', 1777636800500],
  ])('%s is a moment', (text, time) => expect(parseInstant(text)?.getTime()).toBe(time));
  test.each([
    '2026-02-30T12:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T12:60:00Z',
    '2026-05-01T12:00:00',
    '2026-05-01',
    'now',
  ])('%s is none', (text) => expect(parseInstant(text)).toBeUndefined());
});

describe('C-6: currencies', () => {
  test.each([
    ['USDT_TRX', ['USDT_TRX']],
    ['USDT (TRX)', ['USDT_TRX']],
    ['BRL', ['BRL']],
    ['BTC', ['BTC_BTC']],
    ['TRX', ['TRX_TRX']],
    ['USDT', ['USDT_TRX', 'USDT_ETH', 'USDT_POLYGON', 'USDT_BSC', 'USDT_SOL']],
    ['usdt_trx', []],
    ['DOGE', []],
  ])('%s may mean %j', (text, codes) => expect(currenciesMeant(text).map(({ code }) => code)).toEqual(codes));

  test('codes, display names and segments of the catalogue are unique', () => {
    for (const key of ['code', 'displayName', 'segments'] as const) {
      expect(new Set(CURRENCIES.map((currency) => String(currency[key]))).size).toBe(CURRENCIES.length);
    }
    expect(CURRENCIES.find(({ code }) => code === 'USDT_BSC')?.decimals).toBe(18);
  });

  test('C-70: history may name currencies that the catalogue does not have', () => {
    expect(currencyOfHistory('USDC_ARB')).toMatchObject({ displayName: 'USDC (ARB)', decimals: 18 });
    expect(currencyOfHistory('usdc arb')).toBeUndefined();
  });

  test('explorer pages are those of the network', () => {
    expect(explorerUrl('USDT_TRX', 'abc')).toBe('https://tronscan.org/#/transaction/abc');
    expect(explorerUrl('BRL', 'abc')).toBeUndefined();
  });
});

describe('C-40: API keys', () => {
  test('are recognised offline; any changed character is noticed', () => {
    fc.assert(
      fc.property(fc.constantFrom('test' as const, 'live' as const), fc.nat(35), (mode, at) => {
        const key = newApiKey(mode);
        expect(isApiKey(key)).toBe(true);
        const place = `crx_${mode}_`.length + at;
        const changed = key.slice(0, place) + (key[place] === 'x' ? 'y' : 'x') + key.slice(place + 1);
        expect(isApiKey(changed)).toBe(false);
      }),
    );
  });
  test.each([
    '',
    'crx_test_',
    'crx_prod_000000000000000000000000000000000000',
    `${'crx_test_'}${'0'.repeat(36)}`,
  ])('%j is none', (text) => expect(isApiKey(text)).toBe(false));
  test('are stored as SHA-256', () => expect(apiKeyHash('abc').toString('hex')).toMatch(/^ba7816bf/));
});

test('JSON numbers keep their original text', () => {
  expect(parseExactJson('{"a":[0.1000,1e-7,12345678901234567890.1]}')).toEqual({
    a: [new NumberToken('0.1000'), new NumberToken('1e-7'), new NumberToken('12345678901234567890.1')],
  });
  expect(() => parseExactJson('{')).toThrow(SyntaxError);
});
