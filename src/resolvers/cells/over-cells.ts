/** Figures of the house over all cells of an operator: the answer of each, and their sums (docs/decisions/0095). */
import { sum } from '../../base/money/money.ts';
import { REVIEW_KINDS, type ReviewKind } from '../review/queue-sources.ts';
import { isVisible } from '../review/read-queue.ts';
import type { Context } from '../services/context.ts';
import type { FigureDays, FigureRequest, FigureRow, OtherCell } from '../services/other-cells.ts';
import { FIGURES, type Figure, readFigure, requireFigure } from './figures.ts';

/** Time limit of the other cells, which are queried together: a person waits for the page. Unit: ms. */
const LIMIT_MS = 2_000;

/** Answer of a cell. */
export interface CellFigures {
  readonly cell: string;
  /** Null where the cell did not answer. */
  readonly rows: readonly FigureRow[] | null;
  /** Reason for which it did not answer; null where it did. */
  readonly failure: string | null;
}

/** Answers of all cells. */
export interface FiguresOverCells {
  /** Names of the columns of names, and of those of values. */
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly cells: readonly CellFigures[];
  /** Over the cells that answered. */
  readonly sum: readonly FigureRow[];
  /** Whether all cells answered. */
  readonly isComplete: boolean;
}

/**
 * @returns a figure of this cell and of all others that the installation knows.
 * @throws {GatewayError} as `readFigure`, for this cell.
 */
export async function readOverCells(
  context: Context,
  figure: Figure,
  days: FigureDays,
): Promise<FiguresOverCells> {
  requireFigure(context, figure);
  const { own, others } = context.cells;
  const request = { mode: context.mode, scopes: context.caller.scopes, figure, days, limitMs: LIMIT_MS };
  const requested = others.map((other) => answerOf(other, request));
  const mine = { cell: own, rows: await readFigure(context, figure, days), failure: null };
  const theirs = (await Promise.all(requested)).map((answer) => shownOf(context, figure, answer));
  return overCells(figure, [mine, ...theirs]);
}

/** @returns the answer of another cell, or the reason for which there is none. */
export function answerOf({ cell, read }: OtherCell, request: FigureRequest): Promise<CellFigures> {
  return read(request).then(
    (rows) => ({ cell, rows, failure: null }),
    (error: Error) => ({ cell, rows: null, failure: error.message }),
  );
}

function shownOf(context: Context, figure: Figure, answer: CellFigures): CellFigures {
  return { ...answer, rows: answer.rows?.filter((row) => isShown(context, figure, row)) ?? null };
}

/** A cell that is queried with the operator's key shows all kinds; the role of a person may have the scopes of some alone. */
function isShown(context: Context, figure: Figure, { names: [kind] }: FigureRow): boolean {
  if (figure !== 'review_queue' || context.caller.scopes.includes('platform:figures')) return true;
  return kind !== undefined && Object.hasOwn(REVIEW_KINDS, kind) && isVisible(context, kind as ReviewKind);
}

/** @returns the answers of cells, in this order, with their exact sums. */
export function overCells(figure: Figure, cells: readonly CellFigures[]): FiguresOverCells {
  const { names, values } = FIGURES[figure];
  const all = cells.flatMap(({ rows }) => rows ?? []);
  const groups = [...Map.groupBy(all, (row) => row.names.join('\n')).values()];
  return {
    names,
    values,
    cells,
    sum: groups.map((rows) => ({
      names: rows[0]?.names ?? [],
      values: values.map((_, n) => sumOf(rows.map((row) => row.values[n] ?? null))),
    })),
    isComplete: cells.every(({ rows }) => rows !== null),
  };
}

/** The sum of what is not known is not known. */
function sumOf(values: readonly (string | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? sum(known) : null;
}
