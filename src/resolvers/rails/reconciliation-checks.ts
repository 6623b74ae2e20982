/** Reconciliation status of the configured rails, for `doctor` and the console. */
import { listReconciliations } from '../../store/rails/reconciliation.ts';
import { readNight } from '../../store/rails/reconciliation-night.ts';
import { countsOf, isOpen, statementOf } from '../reconciliation/reconcile.ts';
import type { Services } from '../services/context.ts';
import type { NamedCheck } from './rail-checks.ts';

/** @returns of each configured rail that can be reconciled whether its newest report has something open, and whether the night's came. */
export async function reconciliationChecks(own: Services): Promise<readonly NamedCheck[]> {
  const rails = own.railParts.map(({ name }) => name).filter((name) => statementOf(own, name));
  return Promise.all(rails.map((rail) => checkOf(own, rail)));
}

async function checkOf({ database, mode }: Services, rail: string): Promise<NamedCheck> {
  const said = (ok: boolean, detail: string) => ({ rail, check: 'reconciliation', ok, detail });
  const night = await readNight(database, { mode, rail });
  if (night?.trouble) return said(false, `${night.day} has no report yet: ${night.trouble}`);
  const [report] = await listReconciliations(database, mode, { rail, day: undefined, limit: 1 });
  if (!report) return said(true, 'no report yet');
  if (!isOpen(report)) return said(true, `${report.day}: all agrees`);
  const { matched: _, ...counts } = countsOf(report);
  const open = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []));
  return said(false, `${report.day}: ${open.join(', ')}`);
}
