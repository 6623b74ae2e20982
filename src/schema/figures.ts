/** Figures of the house that can be added up over cells: `Query.figures` and `Query.figuresOverCells`. */
import { FIGURES, type Figure, readFigure } from '../resolvers/cells/figures.ts';
import { type CellFigures, type FiguresOverCells, readOverCells } from '../resolvers/cells/over-cells.ts';
import type { FigureRow } from '../resolvers/services/other-cells.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { COUNT_POINTS } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const SCOPE =
  'Needs the scope `platform:figures` or `platform:books`; for the review queue, a scope of the platform.';
/** Documents with these figures also read the figures of this cell, at full cost. */
const COST = { field: COUNT_POINTS / 4, multiplier: 1 };

/** Defines both queries and their types. */
export function defineFigures(builder: Builder): void {
  const figure = builder.enumType('Figure', {
    description: 'A figure of the house.',
    values: describedValues(
      Object.fromEntries(Object.entries(FIGURES).map(([name, { description }]) => [name, description])),
    ),
  });
  const row = defineRow(builder);
  const over = defineOverCells(builder, row);
  builder.queryField('figures', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [row],
      description: `A figure of this cell, over all accounts of your mode, as rows that can be added to those of other cells. ${SCOPE}`,
      args: argumentsOf(t.arg, figure),
      complexity: COST,
      resolve: async (_root, { figure, ...days }, context) => [
        ...(await readFigure(context, figure as Figure, days)),
      ],
    }),
  );
  builder.queryField('figuresOverCells', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: over,
      description: `A figure of each cell of the installation, and the exact sums. A cell that does not answer is named, and is in no sum. ${SCOPE}`,
      args: argumentsOf(t.arg, figure),
      complexity: COST,
      resolve: (_root, { figure, ...days }, context) => readOverCells(context, figure as Figure, days),
    }),
  );
}

function defineRow(builder: Builder) {
  return builder.objectRef<FigureRow>('FigureRow').implement({
    description: 'A row of a figure.',
    fields: (t) => ({
      names: t.stringList({
        description: 'Its subject, such as a ledger account and a currency.',
        resolve: ({ names }) => [...names],
      }),
      values: t.field({
        type: ['Decimal'],
        nullable: { list: false, items: true },
        description: 'Its values, in the order of `FiguresOverCells.values`; null for an unknown value.',
        resolve: ({ values }) => [...values],
      }),
    }),
  });
}

function defineOverCells(builder: Builder, row: ReturnType<typeof defineRow>) {
  const cell = builder.objectRef<CellFigures>('CellFigures').implement({
    description: 'Figures of a cell.',
    fields: (t) => ({
      cell: t.exposeString('cell', { description: 'Code of the cell; `first` for the first.' }),
      rows: t.field({
        type: [row],
        nullable: true,
        description: 'Its rows; null if it did not answer.',
        resolve: ({ rows }) => rows && [...rows],
      }),
      failure: t.exposeString('failure', {
        nullable: true,
        description: 'Reason why it did not answer; null if it did.',
      }),
    }),
  });
  return builder.objectRef<FiguresOverCells>('FiguresOverCells').implement({
    description: 'Figures of all cells of an installation.',
    fields: (t) => ({
      names: t.stringList({
        description: 'Names of the members of `FigureRow.names`.',
        resolve: ({ names }) => [...names],
      }),
      values: t.stringList({
        description: 'Names of the members of `FigureRow.values`.',
        resolve: ({ values }) => [...values],
      }),
      cells: t.field({
        type: [cell],
        description: 'Every cell, this one first.',
        resolve: ({ cells }) => [...cells],
      }),
      sum: t.field({
        type: [row],
        description: 'Exact sums over the cells that answered; null if the value of a cell is unknown.',
        resolve: ({ sum }) => [...sum],
      }),
      isComplete: t.exposeBoolean('isComplete', { description: 'Whether every cell answered.' }),
    }),
  });
}

type ArgumentFields = Parameters<Parameters<Builder['queryField']>[1]>[0]['arg'];

function argumentsOf(t: ArgumentFields, figure: ReturnType<Builder['enumType']>) {
  return {
    figure: t({ type: figure, required: true, description: 'The figure.' }),
    from: t({
      type: 'Date',
      description: 'First day of a period, in Brasília. Default: the first of the month of `to`.',
    }),
    to: t({ type: 'Date', description: 'Last day of a period, in Brasília. Default: today.' }),
    day: t({
      type: 'Date',
      description: 'Day of reports of reconciliation, in Brasília. Default: yesterday.',
    }),
  };
}
