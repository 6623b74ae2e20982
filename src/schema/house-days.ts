/** Volume and margin of the house by day: `Query.houseDays`. */
import { inProse } from '../resolvers/checks/lengths.ts';
import { HOUSE_DAYS_MAX, type HouseDay, listHouseDays } from '../resolvers/ledger/read-house-days.ts';
import { HOUSE_LINES_MAX } from '../store/ledger/house-days.ts';
import type { Builder } from './builder.ts';
import { COUNT_POINTS } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** Defines `HouseDay` and `Query.houseDays`. */
export function defineHouseDays(builder: Builder): void {
  const day = builder.objectRef<HouseDay>('HouseDay').implement({
    description: 'Movements and earnings of the house on one day, in BRL.',
    fields: (t) => ({
      day: t.expose('day', { type: 'Date', description: 'Day in Brasília.' }),
      pixIn: t.expose('pixIn', {
        type: 'Decimal',
        description: 'BRL that came in: debits of `A.pix` without capital (docs/ledger.md).',
      }),
      pixOut: t.expose('pixOut', {
        type: 'Decimal',
        description: 'BRL that went out, including refunds to payers: credits of `A.pix` without capital.',
      }),
      margin: t.expose('margin', {
        type: 'Decimal',
        nullable: true,
        description:
          'Revenue less expenses, each at the newest rate and rounded half up to cents; without the spread, which is in the open position. Null where a currency has no rate.',
      }),
    }),
  });
  builder.queryField('houseDays', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [day],
      nullable: true,
      complexity: { field: COUNT_POINTS, multiplier: 1 },
      description: `Volume and margin of the house by Brasília day, over all accounts of your mode, oldest first; the last day is today. Null if more than ${inProse(HOUSE_LINES_MAX)} ledger lines would have to be added up. Needs the scope \`platform:books\`.`,
      args: {
        days: t.arg.int({
          required: true,
          description: `Number of days, including today: 1 to ${HOUSE_DAYS_MAX}.`,
        }),
      },
      resolve: async (_root, { days }, context) => {
        const found = await listHouseDays(context, days);
        return found && [...found];
      },
    }),
  );
}
