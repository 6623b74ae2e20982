/** The day to close next, and the open work before it: reconciliations of the rails, suspense, manual journals. */
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { readSuspenseToDecide } from '../../store/engine/review-sources.ts';
import { readLastClose } from '../../store/ledger/book-closes.ts';
import { readManualJournals } from '../../store/ledger/manual-journals.ts';
import { listReconciliations } from '../../store/rails/reconciliation.ts';
import { type RunProgress, readRuns } from '../../store/rails/reconciliation-run.ts';
import { type Context, requireScope } from '../services/context.ts';
import { RECONCILED_RAILS, type Reconciliation, reportOf, statementOf } from './reconcile.ts';

/** A rail that has a statement, with its newest report of the day, null before the first; and the progress of one that is made now. */
export interface RailOfDay {
  readonly rail: string;
  readonly report: Reconciliation | null;
  readonly run: RunProgress | null;
}

/** Work before a day is closed. */
export interface CloseChecklist {
  /** `YYYY-MM-DD` in Brasília. */
  readonly day: string;
  /** Whether the day is over. */
  readonly isOver: boolean;
  readonly rails: readonly RailOfDay[];
  readonly suspense: number;
  readonly journals: number;
}

/** Maximum number of records of each kind that are counted. */
export const CHECKLIST_MAX = 100;

/**
 * @returns the checklist of the day after the last closed one; before the first close, of yesterday.
 * @throws {GatewayError} `FORBIDDEN` without `platform:books`.
 */
export async function readCloseChecklist(context: Context): Promise<CloseChecklist> {
  requireScope(context, 'platform:books');
  const { database, mode, clock } = context;
  const today = brasiliaDay(await clock.nowMs());
  const last = await readLastClose(database, mode);
  const day = last ? dayAfter(last.day) : dayAfter(today, -1);
  const limit = CHECKLIST_MAX;
  const [reports, suspense, journals, runs] = await Promise.all([
    listReconciliations(database, mode, { day, rail: undefined, limit }),
    readSuspenseToDecide(database, { mode, accountId: null, limit }),
    readManualJournals(database, mode, { state: 'proposed', limit }),
    readRuns(database, { mode, day }, database.nowMs()),
  ]);
  const rails = RECONCILED_RAILS.filter((rail) => statementOf(context, rail) !== undefined);
  return {
    day,
    isOver: day < today,
    rails: rails.map((rail) => {
      const report = reports.find((each) => each.rail === rail);
      return { rail, report: report ? reportOf(report) : null, run: runs.get(rail) ?? null };
    }),
    suspense: suspense.length,
    journals: journals.length,
  };
}
