/** What the house owns and should buy or sell: `Query.positions`. */
import { listPositions, type PositionToBalance } from '../resolvers/ledger/list-positions.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';

/** Defines `HousePosition` and `Query.positions`. */
export function definePositions(builder: Builder, { currency }: CurrencyRefs): void {
  const position = builder.objectRef<PositionToBalance>('HousePosition').implement({
    description: 'What the house owns of a currency, and what brings that to its target.',
    fields: (t) => ({
      currency: t.field({ type: currency, description: 'The currency.', resolve: (row) => row.currency }),
      owned: t.expose('owned', {
        type: 'Decimal',
        description: 'What the house owns itself, without what it owes to others; below zero what it lacks.',
      }),
      target: t.expose('target', { type: 'Decimal', description: 'What it should own.' }),
      long: t.expose('long', { type: 'Decimal', description: 'Conversions never bring it to own more.' }),
      short: t.expose('short', { type: 'Decimal', description: 'Conversions never bring it to lack more.' }),
      isWithin: t.exposeBoolean('isWithin', { description: 'Whether it is within both limits now.' }),
      buy: t.expose('buy', {
        type: 'Decimal',
        nullable: true,
        description: 'How much is to be bought to be at the target; null where nothing is.',
      }),
      sell: t.expose('sell', {
        type: 'Decimal',
        nullable: true,
        description: 'How much is to be sold to be at the target; null where nothing is.',
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
      type: [position],
      complexity: 20,
      description:
        'What the house owns of each currency that its inventory converts, in your mode, and what is to be bought or sold. Nothing where conversions are made elsewhere. Needs the scope `platform:books`.',
      resolve: async (_root, _args, context) => [...(await listPositions(context))],
    }),
  );
}
