/** Figures of the house in a form that can be added up over cells: rows of names and exact decimals (docs/decisions/0095). */

import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { HOLDERS } from '../../ledger/chart.ts';
import { type BookKind, profitAndLoss, readTreasury, trialBalance } from '../ledger/read-books.ts';
import { countsOf, readReconciliations } from '../reconciliation/reconcile.ts';
import { countReviewQueue } from '../review/read-queue.ts';
import { type Context, requireOneOf } from '../services/context.ts';
import type { FigureDays, FigureRow } from '../services/other-cells.ts';

/** A figure with the names of its columns. */
interface FigureTraits {
  readonly description: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly read: (context: Context, days: FigureDays) => Promise<readonly FigureRow[]>;
}

const OF_BOOK = ['account', 'currency'];
/** More than there are rails, each of which can be reconciled again. */
const REPORTS_MAX = 500;

/** Figures by name. */
export const FIGURES = {
  treasury: {
    description: 'Assets, debts and earnings of the house, as they stand now.',
    names: OF_BOOK,
    values: ['balance', 'brl'],
    read: async (context) =>
      (await readTreasury(context, undefined)).map((line) => row(line, line.balance, line.calculatedBrl)),
  },
  trial_balance: {
    description: 'Movements of a period.',
    names: OF_BOOK,
    values: ['opening', 'debits', 'credits', 'closing'],
    read: async (context, days) =>
      (await trialBalance(context, periodOf(days))).lines.map((line) =>
        row(line, line.opening, line.debits, line.credits, line.closing),
      ),
  },
  profit_and_loss: {
    description: 'Earnings and expenses of a period.',
    names: OF_BOOK,
    values: ['amount', 'brl'],
    read: async (context, days) =>
      (await profitAndLoss(context, periodOf(days))).lines.map((line) =>
        row(line, line.amount, line.calculatedBrl),
      ),
  },
  review_queue: {
    description: 'Cases that wait for a person, by kind.',
    names: ['kind'],
    values: ['count'],
    read: async (context) =>
      (await countReviewQueue(context)).map(({ kind, count }) => ({
        names: [kind],
        values: [String(count)],
      })),
  },
  reconciliation: {
    description: 'Newest reports of reconciliation of a day, by rail.',
    names: ['rail'],
    values: [
      ...['reports', 'matched', 'missingHere', 'missingThere', 'amountDiffers'],
      ...['detailsDiffer', 'balancesDiffer', 'inSuspense'],
    ],
    read: async (context, { day }) => {
      const value = day ?? dayAfter(brasiliaDay(await context.clock.nowMs()), -1);
      const slice = { limit: REPORTS_MAX, below: null, above: null, isBackward: false };
      const { rows } = await readReconciliations(context, { day: { name: 'day', value } }, slice);
      // The newest report of each rail comes first.
      const newest = [...Map.groupBy(rows, ({ rail }) => rail).values()].flatMap(([report]) => report ?? []);
      return newest.map((report) => ({
        names: [report.rail],
        values: [1, ...Object.values(countsOf(report))].map(String),
      }));
    },
  },
} as const satisfies Readonly<Record<string, FigureTraits>>;

/** Name of a figure. */
export type Figure = keyof typeof FIGURES;

/**
 * @returns a figure of this cell, of the caller's mode.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for days.
 */
export function readFigure(
  context: Context,
  figure: Figure,
  days: FigureDays,
): Promise<readonly FigureRow[]> {
  requireFigure(context, figure);
  return FIGURES[figure].read(readerOf(context), days);
}

/** @throws {GatewayError} `FORBIDDEN` for a caller that does not see the figure. */
export function requireFigure(context: Pick<Context, 'caller'>, figure: Figure): void {
  const own = figure === 'review_queue' ? PLATFORM_SCOPES : (['platform:books'] as const);
  requireOneOf(context, [...own, 'platform:figures']);
}

/** The scope of figures shows them all, and nothing that they are made of. */
function readerOf(context: Context): Context {
  const { caller } = context;
  if (!caller.scopes.includes('platform:figures')) return context;
  return { ...context, caller: { ...caller, scopes: ['read', ...PLATFORM_SCOPES] } };
}

function row({ house, currency }: BookKind, ...values: readonly (string | null)[]): FigureRow {
  return { names: [house ?? HOLDERS, currencyOfLedger(currency).code], values };
}

function periodOf({ from, to }: FigureDays) {
  return { from: named('from', from), to: named('to', to), account: undefined };
}

function named(name: string, value: string | null | undefined) {
  return value == null ? undefined : { name, value };
}
