/** Goal: money is exact. Method: tables of cases, and properties against bigint arithmetic. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expandNumber,
  fromMinor,
  isDecimal,
  multiply,
  roundHalfUp,
  sum,
  toMinor,
  trimDecimal,
} from '../../../src/base/money/money.ts';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: 0, max: 18 }))
  .map(([minor, scale]) => fromMinor(minor, scale));

describe('C-3: numbers preserve every digit', () => {
  test.each([
    ['550.00', '550'],
    ['550', '550'],
    ['0.000000', '0'],
    ['-0.0', '0'],
    ['-0', '0'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['100', '100'],
  ])('trimDecimal(%s) is %s', (text, trimmed) => expect(trimDecimal(text)).toBe(trimmed));

  test.each([
    ['1e-7', '0.0000001'],
    ['1.5e3', '1500'],
    ['1.2345E+2', '123.45'],
    ['-2.50e0', '-2.5'],
    ['0e5', '0'],
    [
      '123456789012345678901234567890.123456789012345678',
      '123456789012345678901234567890.123456789012345678',
    ],
  ])('expandNumber(%s) is %s', (token, text) => expect(expandNumber(token)).toBe(text));

  test.each([
    '',
    'NaN',
    '1e',
    '0x10',
    '+5',
    '１０',
    '1e99999',
    '.5',
    '5.',
  ])('expandNumber(%j) is refused', (token) => expect(() => expandNumber(token)).toThrow(RangeError));

  test.each([
    ['0.30', true],
    ['-12', true],
    ['1e2', false],
    ['01', false],
    ['1.', false],
    ['', false],
  ])('isDecimal(%j) is %s', (text, is) => expect(isDecimal(text)).toBe(is));
});

describe('minor units', () => {
  test.each([
    ['100.000137', 6, 100000137n],
    ['-0.01', 2, -1n],
    ['1', 18, 10n ** 18n],
    ['550.00', 0, 550n],
  ])('toMinor(%s, %i) is %s', (text, scale, minor) => expect(toMinor(text, scale)).toBe(minor));

  test.each([
    ['0.001', 2],
    ['1e2', 2],
    ['abc', 2],
  ])('toMinor(%s, %i) is refused, never rounded', (text, scale) =>
    expect(() => toMinor(text, scale)).toThrow(RangeError));

  test('to and from minor units is the identity', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
        fc.integer({ min: 0, max: 18 }),
        (minor, scale) => {
          expect(toMinor(fromMinor(minor, scale), scale)).toBe(minor);
        },
      ),
    );
  });
});

describe('C-4: rounding half up', () => {
  test.each([
    ['5.375', 0, '5'],
    ['5.5', 0, '6'],
    ['-5.5', 0, '-6'],
    ['5.4999999999999999999999', 0, '5'],
    ['0.005', 2, '0.01'],
    ['1.10', 2, '1.1'],
    ['99.995', 2, '100'],
  ])('roundHalfUp(%s, %i) is %s', (text, decimals, rounded) =>
    expect(roundHalfUp(text, decimals)).toBe(rounded));

  test('is never further off than half a unit', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 18 }), (text, decimals) => {
        const off = toMinor(roundHalfUp(text, decimals), 18) - toMinor(text, 18);
        expect((off < 0n ? -off : off) * 2n <= 10n ** BigInt(18 - decimals)).toBe(true);
      }),
    );
  });
});

test('products and sums are exact', () => {
  fc.assert(
    fc.property(decimal, decimal, (left, right) => {
      expect(toMinor(multiply(left, right), 36)).toBe(toMinor(left, 18) * toMinor(right, 18));
      expect(toMinor(sum([left, right]), 18)).toBe(toMinor(left, 18) + toMinor(right, 18));
    }),
  );
  expect(sum([])).toBe('0');
  expect(multiply('107.063509', '5.3218')).toBe('569.7705821962');
});
