/** Goal: figures and moments that cannot be misread in either language. Method: the functions alone, on written values. */
import { expect, test } from 'vitest';
import { BRL, type Currency, currencyOf, networkName } from '../../src/base/money/currency.ts';
import { showAmount, showAsset, showExact, showFigure, showPercent, showRate } from '../../src/ui/figures.ts';

const USDT = currencyOf('USDT_TRX') as Currency;
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

test.each([
  ['en', '25.501537 USDT (TRON)', 'R$1,234.50', '1 USDT = R$5.375018'],
  ['pt', '25,501537 USDT (TRON)', 'R$ 1.234,50', '1 USDT = R$ 5,375018'],
] as const)('amounts in %s have the decimal sign of the language, and crypto no groups', (language, crypto, brl, rate) => {
  expect(showAmount('25.501537000000', USDT, language)).toBe(crypto);
  expect(plain(showAmount('1234.5', BRL, language))).toBe(brl);
  expect(plain(showRate('5.375018', USDT, language))).toBe(rate);
  expect(showAsset('1234567.5', USDT, language)).toBe(
    language === 'en' ? '1234567.5 USDT' : '1234567,5 USDT',
  );
});

test('an exact amount keeps its last zero, by which it is recognised', () => {
  expect(showExact('95.870630', USDT, 'en')).toBe('95.870630 USDT');
  expect(showExact('95.870630', USDT, 'pt')).toBe('95,870630 USDT');
});

test('figures of tables keep every digit, in groups', () => {
  expect(showFigure('1204911.08', 'en')).toBe('1,204,911.08');
  expect(showFigure('1204911.123456789012345678', 'pt')).toBe('1.204.911,123456789012345678');
  expect(showFigure('-150', 'en')).toBe('-150.00');
});

test.each(['en', 'pt'] as const)('figures in %s are those of the language’s own format', (language) => {
  const amounts = [
    '0',
    '-0',
    '0.0',
    '00012.5',
    '7',
    '-7.1',
    '999',
    '1000',
    '-1234567',
    '12.500000',
    '0.000000',
  ];
  const long = ['123456789012345', '1234567890123456.5', '1e21', '0.00000000000000000001', '-999999.999999'];
  for (const decimals of [0, 2, 6]) {
    const format = new Intl.NumberFormat(language === 'pt' ? 'pt-BR' : 'en', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: 20,
    });
    for (const amount of [...amounts, ...long])
      expect([amount, showFigure(amount, language, decimals)]).toEqual([
        amount,
        format.format(amount as Intl.StringNumericLiteral),
      ]);
  }
});

test('a fraction is a percentage with every digit', () => {
  expect(['0.01', '0.0125', '0', '0.000000000001'].map((each) => showPercent(each, 'en'))).toEqual([
    '1%',
    '1.25%',
    '0%',
    '0.0000000001%',
  ]);
  expect(plain(showPercent('0.0125', 'pt'))).toBe('1,25%');
});

test('networks are called as wallets call them; a coin has no standard', () => {
  const named = ['USDT_TRX', 'TRX_TRX', 'USDC_ETH', 'ETH_ETH', 'USDT_BSC', 'USDC_BASE', 'BTC_BTC'].map(
    (code) => networkName(currencyOf(code) as Currency),
  );
  expect(named).toEqual([
    ...[
      'TRON (TRC-20)',
      'TRON',
      'Ethereum (ERC-20)',
      'Ethereum',
      'BNB Smart Chain (BEP-20)',
      'Base',
      'Bitcoin',
    ],
  ]);
});
