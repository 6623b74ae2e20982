/**
 * Goal: an amount is read however it was pasted, and never as another one. Method: one amount in the notations of both languages, with
 * blanks and signs around and inside; texts that are no amount.
 */
import { describe, expect, test } from 'vitest';
import { isDecimal } from '../../src/base/money/money.ts';
import { decimalOf } from '../../src/console/action.ts';
import { readBrl } from '../../src/ui/figures.ts';

const NOTATIONS = [
  '1.234,50',
  'R$ 1.234,50',
  'R$\u00a01.234,50',
  '1 234,50',
  '1234,50',
  ' 1234.50\u200b',
  '1,234.50',
  '1234,50 R$',
];

describe.each(['pt', 'en'] as const)('in %s', (language) => {
  test.each(NOTATIONS)('%j is 1234.50', (text) => {
    expect(readBrl(text, language)).toBe('1234.50');
    expect(decimalOf('amount', text, language)).toBe('1234.50');
  });

  test.each([
    '',
    'R$',
    '1.2.3',
    '12,34,56',
    '1.234,50,00',
    '-5',
    '5-',
    '１２',
    '1e3',
  ])('%j is no amount', (text) => {
    const plain = readBrl(text, language);
    expect(isDecimal(plain) && !plain.startsWith('-')).toBe(false);
  });

  test.each([
    '1.234',
    '1,234',
    'R$ 1.234',
    '1.234\u00a0',
  ])('%j can be read in two ways, and the console asks', (text) =>
    expect(() => decimalOf('amount', text, language)).toThrow());
});
