/** Balances: `Query.balances`. */
import { currencyOfLedger } from '../base/currency.ts';
import { type Balance, readBalances } from '../resolvers/read-balances.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';

/** Defines `Balance` and `Query.balances`. */
export function defineBalances(builder: Builder, { currency }: CurrencyRefs) {
  const balance = builder.objectRef<Balance>('Balance').implement({
    description: 'What the account holds in one currency.',
    fields: (t) => ({
      currency: t.field({ type: currency, resolve: (held) => currencyOfLedger(held.currency) }),
      available: t.expose('available', { type: 'Decimal', description: 'Immediately withdrawable.' }),
      inTransit: t.expose('inTransit', { type: 'Decimal', description: 'Sent; awaiting confirmation.' }),
      toReceive: t.expose('toReceive', { type: 'Decimal', description: 'Pending inbound.' }),
      blocked: t.expose('blocked', { type: 'Decimal', description: 'Frozen for compliance or dispute.' }),
      calculatedBrl: t.expose('calculatedBrl', {
        type: 'Decimal',
        nullable: true,
        description: 'The available part in BRL at the last known mid-market rate; null when none is known.',
      }),
    }),
  });
  builder.queryField('balances', (t) =>
    t.field({
      type: [balance],
      description: 'Balances of every currency that the account has a ledger account in.',
      args: {
        at: t.arg({ type: 'DateTime', description: 'The balances of a past moment; now when not given.' }),
      },
      resolve: async (_root, { at }, context) => [...(await readBalances(context, at ?? undefined)).balances],
    }),
  );
  return balance;
}

/** The type `Balance`. */
export type BalanceRef = ReturnType<typeof defineBalances>;
