/** Currency and Money, and the catalogue. */
import { CURRENCIES, type Currency } from '../base/money/currency.ts';
import { trimDecimal } from '../base/money/money.ts';
import type { Builder } from './builder.ts';

/** An amount of a currency. Null if either is unknown. */
export interface Money {
  readonly amount: string;
  readonly currency: Currency;
}

/** @returns the money; null while the amount or the currency is unknown. */
export function moneyOf(amount: string | null, currency: Currency | null): Money | null {
  return amount === null || currency === null ? null : { amount: trimDecimal(amount), currency };
}

/** Defines `Currency`, `Money` and `Query.currencies`. */
export function defineCurrency(builder: Builder) {
  const currency = builder.objectRef<Currency>('Currency').implement({
    description: 'A currency: an asset on a network, or BRL.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'Raw ledger code: `<ASSET>_<NETWORK>`, or `BRL`.' }),
      asset: t.exposeString('asset', { description: 'The asset without its network, such as `USDT`.' }),
      network: t.string({
        nullable: true,
        description: 'The network, such as `TRX`; null for BRL.',
        resolve: ({ network }) => network || null,
      }),
      decimals: t.exposeInt('decimals', {
        description: 'Maximum number of decimals of an amount, 2 to 18. It depends on asset and network.',
      }),
      displayName: t.exposeString('displayName', {
        description: 'Name shown to people: `<ASSET> (<NETWORK>)`, or `BRL`.',
      }),
    }),
  });
  const money = builder.objectRef<Money>('Money').implement({
    description: 'An exact amount and its currency.',
    fields: (t) => ({
      amount: t.expose('amount', { type: 'Decimal', description: 'The amount, in units of the currency.' }),
      currency: t.expose('currency', { type: currency, description: 'Its currency.' }),
    }),
  });
  builder.queryField('currencies', (t) =>
    t.field({
      type: [currency],
      description: 'The catalogue: every currency that transactions can use.',
      resolve: () => [...CURRENCIES],
    }),
  );
  return { currency, money };
}

/** The types `Currency` and `Money`. */
export type CurrencyRefs = ReturnType<typeof defineCurrency>;
