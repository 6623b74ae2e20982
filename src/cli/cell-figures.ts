/** `crossramp cell figures`: figures of the house in each cell, and their sums (docs/scaling.md). */
import { Argument, type Command, Option } from 'commander';
import { cellName, FIRST_CELL } from '../base/ids/cell.ts';
import { cellHere, cellsElsewhere } from '../compose/other-cells.ts';
import type { Config } from '../config.ts';
import { FIGURES, type Figure } from '../resolvers/cells/figures.ts';
import {
  answerOf,
  type CellFigures,
  type FiguresOverCells,
  overCells,
} from '../resolvers/cells/over-cells.ts';
import type { FigureRequest } from '../resolvers/services/other-cells.ts';
import { answer, jsonOption, platformOption, table } from './output.ts';
import { allCells, servicesOn } from './with-store.ts';

interface Options {
  readonly live?: boolean;
  readonly json?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly day?: string;
}

const UNKNOWN = 'not valued';
/** Time limit of a cell: a command has more time than a page. Unit: ms. */
const LIMIT_MS = 10_000;

/** Adds the command. */
export function addFigures(cell: Command): void {
  cell
    .command('figures')
    .description(
      'Shows a figure of the house in each cell of CELLS_FILE, and the exact sums; fails when a cell does not answer.',
    )
    .addArgument(
      new Argument('<figure>', 'the figure').choices(
        Object.keys(FIGURES).map((name) => name.replaceAll('_', '-')),
      ),
    )
    .addOption(platformOption())
    .option(
      '--from <day>',
      'first day of a period in Brasília, YYYY-MM-DD (default: first of the month of --to)',
    )
    .option('--to <day>', 'last day of a period in Brasília, YYYY-MM-DD (default: today)')
    .addOption(new Option('--day <day>', 'day of reports of reconciliation, YYYY-MM-DD (default: yesterday)'))
    .addOption(jsonOption())
    .action(async (name: string, options: Options) => {
      const figure = name.replaceAll('-', '_') as Figure;
      const { from, to, day, live } = options;
      const mode = live ? 'live' : 'sandbox';
      const days = { from, to, day };
      const request = { mode, scopes: ['platform:figures'], figure, days, limitMs: LIMIT_MS } as const;
      const found = overCells(figure, await readAll(request));
      answer(options, found, textOf(found));
      if (!found.isComplete) process.exitCode = 1;
    });
}

async function readAll(request: FigureRequest): Promise<readonly CellFigures[]> {
  const { served, elsewhere, operatorKeys } = allCells({ withoutCell: true });
  return Promise.all([
    ...served.map((config) => readServed(config, request)),
    ...cellsElsewhere({ elsewhere, operatorKeys }).map((other) => answerOf(other, request)),
  ]);
}

function readServed(config: Config, request: FigureRequest): Promise<CellFigures> {
  const code = config.cell ?? FIRST_CELL;
  return servicesOn(config, (services) =>
    answerOf(
      cellHere(code, () => services),
      request,
    ),
  ).catch((error: Error) => ({ cell: cellName(code), rows: null, failure: error.message }));
}

function textOf({ names, values, cells, sum, isComplete }: FiguresOverCells): string {
  const missing = cells.filter(({ rows }) => rows === null);
  const of = isComplete ? 'all cells' : `all but ${missing.map(({ cell }) => cell).join(', ')}`;
  const parts = [...cells.map(({ cell, rows }) => ({ of: cell, rows: rows ?? [] })), { of, rows: sum }];
  const heading = ['CELL', ...names, ...values].map((name) => name.toUpperCase());
  const lines = parts.flatMap(({ of: cell, rows }) =>
    rows.map((row) => [cell, ...row.names, ...row.values.map((value) => value ?? UNKNOWN)]),
  );
  const right = values.map((_, n) => 1 + names.length + n);
  const shown = lines.length === 0 ? 'there are no figures' : table([heading, ...lines], right);
  return [shown, ...missing.map(({ cell, failure }) => `cell ${cell} is not reachable: ${failure}`)].join(
    '\n',
  );
}
