/** Currency and Money, and the catalogue. */
import { CURRENCIES, type Currency } from '../base/currency.ts';
import type { Builder } from './builder.ts';

/** An amount of a currency; either may be unknown yet. */
export interface Money {
  readonly amount: string | null;
  readonly currency: Currency | null;
}

/** Defines `Currency`, `Money` and `Query.currencies`. */
export function defineCurrency(builder: Builder) {
  const currency = builder.objectRef<Currency>('Currency').implement({
    description: 'An asset on a network, or BRL.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'Raw ledger code, `<ASSET>_<NETWORK>` or `BRL`.' }),
      asset: t.exposeString('asset'),
      network: t.string({
        nullable: true,
        description: 'Null for BRL.',
        resolve: ({ network }) => network || null,
      }),
      decimals: t.exposeInt('decimals', { description: 'Decimals of the smallest unit.' }),
      displayName: t.exposeString('displayName', {
        description: '`<ASSET> (<NETWORK>)`, for BRL plain `BRL`.',
      }),
    }),
  });
  const money = builder.objectRef<Money>('Money').implement({
    description: 'An exact amount and its currency.',
    fields: (t) => ({
      amount: t.expose('amount', { type: 'Decimal', nullable: true }),
      currency: t.expose('currency', { type: currency, nullable: true }),
    }),
  });
  builder.queryField('currencies', (t) =>
    t.field({
      type: [currency],
      description: 'Every currency that can be used.',
      resolve: () => [...CURRENCIES],
    }),
  );
  return { currency, money };
}

/** The types `Currency` and `Money`. */
export type CurrencyRefs = ReturnType<typeof defineCurrency>;
