/** Reconciliation status of the configured rails, for `doctor` and the console. */

import { readNightlyRun } from '../../store/rails/nightly-run.ts';
import { listReconciliations } from '../../store/rails/reconciliation.ts';
import { countsOf, isOpen, statementOf } from '../reconciliation/reconcile.ts';
import type { Services } from '../services/context.ts';
import type { NamedCheck } from './rail-checks.ts';

/**
 * @returns for each configured rail that can be reconciled whether its newest report has open findings, and whether the
 * nightly report exists.
 */
export async function reconciliationChecks(own: Services): Promise<readonly NamedCheck[]> {
  const rails = own.railParts.map(({ name }) => name).filter((name) => statementOf(own, name));
  return Promise.all(rails.map((rail) => checkOf(own, rail)));
}

async function checkOf({ database, mode }: Services, rail: string): Promise<NamedCheck> {
  const result = (ok: boolean, detail: string) => ({ rail, check: 'reconciliation', ok, detail });
  const run = await readNightlyRun(database, { mode, rail });
  if (run?.trouble) return result(false, `${run.day} has no report yet: ${run.trouble}`);
  const [report] = await listReconciliations(database, mode, { rail, day: undefined, limit: 1 });
  if (!report) return result(true, 'no report yet');
  if (!isOpen(report)) return result(true, `${report.day}: all agrees`);
  const { matched: _, ...counts } = countsOf(report);
  const open = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []));
  return result(false, `${report.day}: ${open.join(', ')}`);
}
