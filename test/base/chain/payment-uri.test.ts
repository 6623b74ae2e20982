/**
 * Goal: a wallet is asked for exactly this money. Method: tables by standard, and amounts read back by
 * property.
 */
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paymentUri } from '../../../src/base/chain/payment-uri.ts';
import { type Currency, currencyOf, currencyOfHistory } from '../../../src/base/money/currency.ts';
import { toMinor } from '../../../src/base/money/money.ts';

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const SOL = base58.encode(new Uint8Array(32).fill(7));
const REFERENCE = base58.encode(new Uint8Array(32).fill(9));
const currency = (code: string) => currencyOf(code) as Currency;
/** Not in the catalogue: the coin of Solana, which has 9 decimals. */
const SOL_SOL: Currency = { ...currency('USDC_SOL'), code: 'SOL_SOL', asset: 'SOL', decimals: 9 };

describe('forms', () => {
  test.each([
    // EIP-681: wei of the coin, units of the token.
    ['ETH_ETH', EVM, '2.014', `ethereum:${EVM}@1?value=2014000000000000000`],
    ['ETH_ETH', EVM, '0.000000000000000001', `ethereum:${EVM}@1?value=1`],
    [
      'USDT_ETH',
      EVM,
      '100.000137',
      `ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=${EVM}&uint256=100000137`,
    ],
    [
      'USDC_POLYGON',
      EVM,
      '1',
      `ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=${EVM}&uint256=1000000`,
    ],
    [
      'USDC_BASE',
      EVM,
      '0.000001',
      `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${EVM}&uint256=1`,
    ],
    [
      'USDT_BSC',
      EVM,
      '1234567.000000000000000001',
      `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${EVM}&uint256=1234567000000000000000001`,
    ],
    // BIP-21: whole bitcoins, with a point.
    ['BTC_BTC', BTC, '20.3', `bitcoin:${BTC}?amount=20.3`],
    ['BTC_BTC', BTC, '50', `bitcoin:${BTC}?amount=50`],
    ['BTC_BTC', BTC, '0.00000001', `bitcoin:${BTC}?amount=0.00000001`],
    // Solana Pay: whole units, with a zero before the point.
    [
      'USDC_SOL',
      SOL,
      '0.01',
      `solana:${SOL}?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`,
    ],
    ['USDT_SOL', SOL, '7', `solana:${SOL}?amount=7&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB`],
  ])('%s to %s of %s', (code, address, amount, uri) => {
    const known = currency(code);
    expect(paymentUri({ currency: known, address, amountMinor: toMinor(amount, known.decimals) })).toBe(uri);
  });

  test('the coin of Solana has no token', () => {
    expect(paymentUri({ currency: SOL_SOL, address: SOL, amountMinor: 1n })).toBe(
      `solana:${SOL}?amount=0.000000001`,
    );
  });

  test('only Solana has a parameter for the reference', () => {
    const request = { amountMinor: 1n, reference: REFERENCE };
    expect(paymentUri({ ...request, currency: SOL_SOL, address: SOL })).toBe(
      `solana:${SOL}?amount=0.000000001&reference=${REFERENCE}`,
    );
    expect(paymentUri({ ...request, currency: currency('USDC_SOL'), address: SOL })).toMatch(
      new RegExp(`&spl-token=[^&]+&reference=${REFERENCE}$`),
    );
    expect(paymentUri({ ...request, currency: currency('BTC_BTC'), address: BTC })).not.toContain(REFERENCE);
    expect(paymentUri({ ...request, currency: currency('USDT_ETH'), address: EVM })).not.toContain(REFERENCE);
  });

  test.each([
    ['USDT_TRX', 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'],
    ['TRX_TRX', 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'],
    ['BRL', 'fulana@example.com'],
    // History may name tokens of unknown contract: never ask for the coin of the chain instead.
    ['USDC_ARB', EVM],
    ['DAI_ETH', EVM],
    ['USDC_BTC', BTC],
  ])('%s has none', (code, address) => {
    const known = currencyOfHistory(code) ?? currency(code);
    expect(paymentUri({ currency: known, address, amountMinor: 1n })).toBeUndefined();
  });
});

describe('refusals', () => {
  test.each([
    ['USDT_ETH', SOL],
    ['ETH_ETH', EVM.replace('5aA', '5aa')],
    ['BTC_BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['BTC_BTC', `${BTC}?amount=1&`],
    ['USDC_SOL', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['TRX_TRX', EVM],
  ])('%s does not go to %s', (code, address) =>
    expect(() => paymentUri({ currency: currency(code), address, amountMinor: 1n })).toThrow(
      'expected an address of',
    ));

  test.each([0n, -1n])('%s is no amount', (amountMinor) =>
    expect(() => paymentUri({ currency: currency('BTC_BTC'), address: BTC, amountMinor })).toThrow(
      RangeError,
    ));

  test.each(['', 'order-17', `${REFERENCE}&amount=9`, EVM])('%j is no reference', (reference) =>
    expect(() => paymentUri({ currency: SOL_SOL, address: SOL, amountMinor: 1n, reference })).toThrow(
      'reference',
    ));
});

test('an amount of any size reads back to the last unit', () => {
  const cases = fc.constantFrom(
    ['ETH_ETH', EVM, /\?value=(\d+)$/],
    ['USDT_BSC', EVM, /&uint256=(\d+)$/],
    ['BTC_BTC', BTC, /\?amount=(\d+(?:\.\d+)?)$/],
    ['USDC_SOL', SOL, /\?amount=(\d+(?:\.\d+)?)&/],
  ) as fc.Arbitrary<[string, string, RegExp]>;
  fc.assert(
    fc.property(cases, fc.bigInt({ min: 1n, max: 10n ** 36n }), ([code, address, pattern], amountMinor) => {
      const known = currency(code);
      const written = pattern.exec(
        paymentUri({ currency: known, address, amountMinor }) as string,
      )?.[1] as string;
      const scale = known.network === 'BTC' || known.network === 'SOL' ? known.decimals : 0;
      expect(toMinor(written, scale)).toBe(amountMinor);
    }),
  );
});
