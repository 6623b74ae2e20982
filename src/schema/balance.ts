/** Balances: `Query.balances`. */
import { currencyOfLedger } from '../base/money/currency.ts';
import {
  type Balance,
  type BalanceWorth,
  readBalances,
  readBalanceWorth,
} from '../resolvers/ledger/read-balances.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { isoOf } from './iso-of.ts';

/** Defines `Balance` and `Query.balances`. */
export function defineBalances(builder: Builder, { currency }: CurrencyRefs) {
  const balance = builder.objectRef<Balance>('Balance').implement({
    description: 'Balance of the account in one currency.',
    fields: (t) => ({
      currency: t.field({
        type: currency,
        description: 'The currency of all amounts except `calculatedBrl`.',
        resolve: (held) => currencyOfLedger(held.currency),
      }),
      available: t.expose('available', { type: 'Decimal', description: 'Can be spent or withdrawn now.' }),
      inTransit: t.expose('inTransit', {
        type: 'Decimal',
        description: 'Reserved for or sent by transactions under way.',
      }),
      toReceive: t.expose('toReceive', { type: 'Decimal', description: 'Expected, not yet settled.' }),
      blocked: t.expose('blocked', {
        type: 'Decimal',
        description: 'Held by compliance, a dispute, or a deposit of a wrong amount.',
      }),
      calculatedBrl: t.expose('calculatedBrl', {
        type: 'Decimal',
        nullable: true,
        description:
          '`available` in BRL at the last known mid-market rate, rounded half up to cents; null when no rate was ever known.',
      }),
    }),
  });
  builder.queryField('balances', (t) =>
    t.field({
      type: [balance],
      description: 'The balances of every currency that the account has ever held.',
      args: {
        at: t.arg({ type: 'DateTime', description: 'Time for which the balances were read. Default: now.' }),
      },
      resolve: async (_root, { at }, context) => [...(await readBalances(context, at ?? undefined)).balances],
    }),
  );
  defineWorth(builder, currency);
  return balance;
}

function defineWorth(builder: Builder, currency: CurrencyRefs['currency']): void {
  const worth = builder.objectRef<BalanceWorth>('BalanceWorth').implement({
    description: 'Worth of the account’s balances, in BRL at the last known mid-market rates.',
    fields: (t) => ({
      total: t.expose('total', {
        type: 'Decimal',
        description: 'All parts of all balances that have a rate, each rounded half up to cents.',
      }),
      available: t.expose('available', { type: 'Decimal', description: 'The available part of it.' }),
      ratesAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the oldest rate that was used; null if only BRL is held.',
        resolve: ({ ratesAt }) => ratesAt && isoOf(ratesAt),
      }),
      unpriced: t.field({
        type: [currency],
        description: 'Currencies without a rate, which are not in the total.',
        resolve: ({ unpriced }) => unpriced.map(currencyOfLedger),
      }),
    }),
  });
  builder.queryField('balanceWorth', (t) =>
    t.field({
      type: worth,
      complexity: 20,
      description: 'Current worth of the balances, in BRL.',
      resolve: (_root, _args, context) => readBalanceWorth(context),
    }),
  );
}

/** The type `Balance`. */
export type BalanceRef = ReturnType<typeof defineBalances>;
