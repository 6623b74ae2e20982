/** Goal: ledger accounts are named and numbered as published. Method: the example of `service.md` 2.8, and uniqueness. */
import { expect, test } from 'vitest';
import { CURRENCIES, currencyOf } from '../../src/base/money/currency.ts';
import {
  HOUSE_ACCOUNTS,
  type HouseAccount,
  houseSheet,
  SUB_ACCOUNTS,
  type SubAccount,
  subAccountSheet,
} from '../../src/ledger/chart.ts';

const subAccounts = Object.keys(SUB_ACCOUNTS) as SubAccount[];
const houses = Object.keys(HOUSE_ACCOUNTS) as HouseAccount[];

test('a sub-account has the published code and name', () => {
  const usdt = currencyOf('USDT_TRX');
  expect(usdt && subAccountSheet(100n, usdt, 'to_receive')).toEqual({
    code: '2.1.1.100.1.1.3',
    name: 'USDT (TRX) to_receive',
    currency: 'USDT_TRX',
    prettyName: 'USDT (TRX)',
    scale: 6,
    subAccount: 3,
    house: null,
  });
});

test('no two accounts of a holder have the same code', () => {
  const codes = CURRENCIES.flatMap((currency) => [
    ...subAccounts.map((name) => subAccountSheet(100n, currency, name).code),
    ...houses.map((house) => houseSheet(100n, currency, house).code),
  ]);
  expect(new Set(codes).size).toBe(codes.length);
});
