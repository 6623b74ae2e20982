/**
 * Goal: of what feeds say, a rate is made only where enough of them are young and agree; exact. Method: cases with their figures,
 * and properties over many sets of prices.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMore } from '../../../src/base/money/money.ts';
import { evaluateFeeds } from '../../../src/rails/rates/evaluate-feeds.ts';
import { readRateSettings } from '../../../src/rails/rates/settings.ts';

const NOW = 1_000_000;

/** Feeds named a, b, c … that tell USDT, and what they said: a price, so many seconds ago. */
function judged(said: readonly (readonly [price: string | null, secondsAgo?: number])[], more: object = {}) {
  const names = said.map((_, index) => String.fromCharCode(97 + index));
  const settings = readRateSettings(
    {
      feeds: names.map((name) => ({
        name,
        url: `https://${name}.example.com`,
        prices: [{ asset: 'USDT', path: '$.last' }],
      })),
      ...more,
    },
    'rates',
  );
  const rows = said.map(([price, secondsAgo = 1], index) => ({
    feed: names[index] as string,
    asset: 'USDT',
    price,
    observedAtMs: price === null ? null : NOW - secondsAgo * 1_000,
    failure: price === null ? 'HTTP 503' : null,
  }));
  const report = evaluateFeeds(settings, rows, NOW).get('USDT');
  return { ...report, states: report?.feeds.map(({ state }) => state).join(' ') };
}

describe('the median of fresh prices', () => {
  test('is the rate of three feeds that agree', () => {
    expect(judged([['5.40'], ['5.41', 7], ['5.42']])).toMatchObject({
      state: 'AGREED',
      mid: '5.41',
      observedAtMs: NOW - 7_000,
      states: 'IN IN IN',
    });
  });

  test('excludes a price from the future, whose clock or unit is wrong (C-36)', () => {
    const { mid, states, feeds } = judged([['5.00'], ['5.01'], ['5.02', -6]], { quorum: 2 });
    expect([mid, states]).toEqual(['5.005', 'IN IN STALE']);
    expect(feeds?.[2]?.why).toBe('of the future');
    expect(judged([['5.00', -4]]).mid).toBe('5');
  });

  test('excludes a price that is 2 % off, with the reason', () => {
    const { mid, states, feeds } = judged([['5.00'], ['5.01'], ['5.1102']]);
    expect([mid, states]).toEqual(['5.005', 'IN IN OFF']);
    expect(feeds?.[2]?.why).toBe('2 % off 5.01');
  });

  test('is not affected by a price that is far off', () => {
    expect(judged([['5.00'], ['5.01'], ['50000']]).mid).toBe('5.005');
    expect(judged([['5.00'], ['5.01'], ['0.000001']]).mid).toBe('5.005');
  });

  test('trusts neither of two prices that are 2 % apart', () => {
    expect(judged([['5.00'], ['5.10']])).toMatchObject({ state: 'CONTESTED', mid: null, states: 'OFF OFF' });
    expect(judged([['5.00'], ['5.04']])).toMatchObject({ state: 'AGREED', mid: '5.02' });
  });

  test('is contested if fewer than the quorum are left', () => {
    const prices = [['5.00'], ['5.01'], ['5.20'], ['5.40']] as const;
    expect(judged(prices)).toMatchObject({ state: 'CONTESTED', mid: null });
    expect(judged([['5.00'], ['5.01'], ['5.20']], { quorum: 3 }).state).toBe('CONTESTED');
  });

  test('ignores old prices and unreachable feeds', () => {
    expect(judged([['5.00'], ['5.01'], ['5.02', 31]])).toMatchObject({ mid: '5.005', states: 'IN IN STALE' });
    expect(judged([['5.00'], [null], ['5.02', 31]])).toMatchObject({
      state: 'STALE',
      mid: null,
      states: 'IN NONE STALE',
    });
    expect(judged([['5.00', 30]]).mid).toBe('5');
    expect(judged([[null]]).feeds?.[0]?.why).toBe('HTTP 503');
  });

  test('has twelve significant digits', () => {
    expect(judged([['5.12345678901234567']]).mid).toBe('5.12345678901');
    expect(judged([['0.000012345678901234567']]).mid).toBe('0.0000123456789012');
    expect(judged([['345678.9']]).mid).toBe('345678.9');
  });
});

test('a price in another asset becomes BRL by the rate of that asset, and is no newer than it', () => {
  const price = (asset: string, more: object = {}) => ({ asset, path: '$.x', ...more });
  const settings = readRateSettings(
    {
      feeds: ['a', 'b'].map((name) => ({
        name,
        url: 'http://localhost:1',
        prices: [price('USDT'), price('BTC', { in: 'USDT' })],
      })),
    },
    'rates',
  );
  const row = (feed: string, asset: string, value: string, secondsAgo = 1) => ({
    ...{ feed, asset, price: value, observedAtMs: NOW - secondsAgo * 1_000, failure: null },
  });
  const rows = [
    row('a', 'USDT', '5.00', 9),
    row('b', 'USDT', '5.02'),
    row('a', 'BTC', '100000'),
    row('b', 'BTC', '100100'),
  ];
  expect(evaluateFeeds(settings, rows, NOW).get('BTC')).toMatchObject({
    mid: '501250.5',
    observedAtMs: NOW - 9_000,
  });
  const contested = evaluateFeeds(
    settings,
    [row('a', 'USDT', '5'), row('b', 'USDT', '6'), ...rows.slice(2)],
    NOW,
  );
  expect(contested.get('BTC')).toMatchObject({ state: 'STALE', mid: null });
  expect(contested.get('BTC')?.feeds[0]?.why).toBe('there is no rate of USDT to convert it');
});

test('for any reports in any order: a rate is within the prices that count, and they are near each other', () => {
  const price = fc.integer({ min: 1, max: 3_000 }).map((cents) => (4 + cents / 1_000).toFixed(3));
  fc.assert(
    fc.property(fc.array(price, { minLength: 1, maxLength: 7 }), (prices) => {
      const { mid, state, feeds = [] } = judged(prices.map((each) => [each]));
      expect(judged(prices.toReversed().map((each) => [each])).mid).toBe(mid);
      expect(state === 'AGREED').toBe(typeof mid === 'string');
      if (!mid) return;
      const used = feeds.filter((each) => each.state === 'IN').map((each) => each.price as string);
      expect(used.length).toBeGreaterThan(prices.length / 2);
      expect(used.some((each) => !isMore(each, mid))).toBe(true);
      expect(used.some((each) => !isMore(mid, each))).toBe(true);
      expect(Math.max(...used.map(Number)) / Math.min(...used.map(Number))).toBeLessThan(1.0203);
    }),
  );
});

describe('settings', () => {
  const feed = (more: object = {}) => ({
    name: 'a',
    url: 'https://a.example.com/v1?x=/',
    prices: [{ asset: 'USDT', path: '$.x' }],
    ...more,
  });
  test.each([
    [{ feeds: [] }, 'rates.feeds: expected a list of at least one object, got []'],
    [{ feeds: [feed({ url: 'http://a.example.com' })] }, 'rates.feeds[0].url: expected an https URL'],
    [
      { feeds: [feed({ prices: [{ asset: 'USDT', path: 'x' }] })] },
      'rates.feeds[0].prices[0].path: expected a path such as "$.result.c[0]"',
    ],
    [{ feeds: [feed(), feed()] }, 'rates.feeds: expected feeds of different names (a appears twice)'],
    [
      { feeds: [feed({ prices: [{ asset: 'BTC', path: '$.x', in: 'USD' }] })] },
      'rates.feeds: expected prices of USD in BRL, because prices of BTC are in USD',
    ],
    [{ feeds: [feed()], quorum: 2 }, 'rates.quorum: expected at most the number of feeds of USDT (1), got 2'],
    [{ feeds: [feed()], staleSeconds: 90 }, 'rates.staleSeconds: expected an integer from 5 to 60, got 90'],
    [
      { feeds: [feed()], deviation: 0.01 },
      'rates.deviation: expected a decimal number as a text, such as "0.01", got 0.01',
    ],
    [{ feeds: [feed({ pricez: 1 })] }, 'rates.feeds[0].pricez: there is no such setting'],
  ])('%j are refused', (json, message) => {
    expect(() => readRateSettings(json, 'rates')).toThrow(message);
  });
});
