/** The amounts of a transaction as its journals need them: minor units, conversions, network moves. */
import { known } from '../base/errors/assert.ts';
import { BRL, type Currency, currencyOfLedger } from '../base/money/currency.ts';
import { toMinor } from '../base/money/money.ts';
import type { Conversion, DepositConversion, NetworkMove } from '../ledger/journals.ts';
import type { ProcessRow } from './facts.ts';

/** The facts of a conversion to crypto. */
export type ConvertedFacts = Pick<
  ProcessRow,
  'sourceAmount' | 'targetCurrency' | 'targetAmount' | 'fees' | 'networkFee'
>;

/** @returns an amount of BRL in cents. */
export function cents(amount: string | null | undefined): bigint {
  return toMinor(known(amount, 'an amount of BRL'), BRL.decimals);
}

/** @returns the amount paid in or debited: its currency, and minor units. */
export function sourceOf(row: ProcessRow): { currency: Currency; amount: bigint } {
  return sideOf(row.sourceCurrency, row.sourceAmount);
}

/** @returns the resulting amount: its currency, and minor units. */
export function targetOf(row: Pick<ProcessRow, 'targetCurrency' | 'targetAmount'>): {
  currency: Currency;
  amount: bigint;
} {
  return sideOf(row.targetCurrency, row.targetAmount);
}

/** @returns the conversion of a ramp to crypto; the crypto includes the network's fee. */
export function conversionIn(row: ConvertedFacts): Conversion {
  const { currency, amount } = targetOf(row);
  return {
    brl: cents(row.sourceAmount),
    fee: cents(row.fees),
    crypto: amount + networkFeeOf(row, currency),
    currency,
  };
}

/** @returns the conversion of a ramp to BRL; `brl` is the payee's amount and the fee together. */
export function conversionOut(row: ProcessRow): Conversion {
  const { currency, amount } = sourceOf(row);
  const fee = cents(row.fees);
  return { brl: cents(row.targetAmount) + fee, fee, crypto: amount, currency };
}

/** @returns the conversion of a deposit: the amount beyond the price is the suffix of its exact amount. */
export function conversionOfDeposit(row: ProcessRow): DepositConversion {
  const conversion = conversionOut(row);
  return { ...conversion, suffix: depositOf(row).amount - conversion.crypto };
}

/** @returns a transfer to an external wallet: the whole amount, which includes the network's fee. */
export function deliveryOf(row: ProcessRow): NetworkMove {
  const { currency, amount } = targetOf(row);
  const networkFee = networkFeeOf(row, currency);
  return { amount: amount + networkFee, networkFee };
}

/** @returns the deposit that arrived. */
export function depositOf(row: ProcessRow): { currency: Currency; amount: bigint } {
  return sideOf(row.sourceCurrency, known(row.process?.deposit, 'a deposit').amount);
}

/** @returns the network's fee in the currency itself; zero when none is known. */
export function networkFeeOf({ networkFee }: Pick<ProcessRow, 'networkFee'>, currency: Currency): bigint {
  return networkFee === null ? 0n : toMinor(networkFee, currency.decimals);
}

function sideOf(code: string | null, amount: string | null): { currency: Currency; amount: bigint } {
  const currency = currencyOfLedger(known(code, 'a currency'));
  return { currency, amount: toMinor(known(amount, 'an amount'), currency.decimals) };
}
