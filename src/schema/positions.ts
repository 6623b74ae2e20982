/** Holdings of the house and proposed trades: `Query.positions`. */
import { listPositions, type PositionToBalance } from '../resolvers/ledger/list-positions.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** Defines `HousePosition` and `Query.positions`. */
export function definePositions(builder: Builder, { currency }: CurrencyRefs): void {
  const position = builder.objectRef<PositionToBalance>('HousePosition').implement({
    description:
      'The position of the house in a currency, and the amount to buy or sell to reach its target.',
    fields: (t) => ({
      currency: t.field({ type: currency, description: 'The currency.', resolve: (row) => row.currency }),
      owned: t.expose('owned', {
        type: 'Decimal',
        description: 'The house’s own amount, without what it owes to others; negative if it lacks some.',
      }),
      target: t.expose('target', { type: 'Decimal', description: 'Amount that the house should own.' }),
      long: t.expose('long', {
        type: 'Decimal',
        description: 'The maximum amount after a conversion.',
      }),
      short: t.expose('short', {
        type: 'Decimal',
        description: 'The maximum shortfall after a conversion.',
      }),
      isWithin: t.exposeBoolean('isWithin', { description: 'Whether it is within both limits now.' }),
      buy: t.expose('buy', {
        type: 'Decimal',
        nullable: true,
        description: 'Amount to buy to reach the target; null if there is none.',
      }),
      sell: t.expose('sell', {
        type: 'Decimal',
        nullable: true,
        description: 'Amount to sell to reach the target; null if there is none.',
      }),
      worth: t.expose('worth', {
        type: 'Decimal',
        nullable: true,
        description: 'BRL that this is worth at the last known rate; null where none is known.',
      }),
    }),
  });
  builder.queryField('positions', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [position],
      complexity: 20,
      description:
        'The position of the house in each currency that its inventory converts, in your mode, and the amount to buy or sell. Empty if conversions are made elsewhere. Needs the scope `platform:books`.',
      resolve: async (_root, _args, context) => [...(await listPositions(context))],
    }),
  );
}
