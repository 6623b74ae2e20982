/** Reports of reconciliation as text for people. */
import { isoMillis } from '../base/time/instant.ts';
import type { Finding } from '../resolvers/reconciliation/finding.ts';
import type { Reconciliation } from '../resolvers/reconciliation/reconcile.ts';
import { table } from './output.ts';

/** @returns the counts of a report on one line, and its findings and balances as tables. */
export function reportText(report: Reconciliation): string {
  const { rail, day, matched, missingHere, missingThere, amountDiffers, detailsDiffer } = report;
  const { balancesDiffer, inSuspense, oldestOpenAt } = report;
  const counts = [
    `${matched} matched`,
    `${missingHere} missing here`,
    `${missingThere} missing there`,
    `${amountDiffers} with another amount`,
    `${detailsDiffer} elsewhere or otherwise`,
    `${balancesDiffer} balances that differ`,
    `${inSuspense} in suspense`,
  ];
  const oldest = oldestOpenAt === null ? '' : `; the oldest that is open is of ${isoMillis(oldestOpenAt)}`;
  const head = `${rail} ${day}: ${counts.join(', ')}${oldest}`;
  const balances = report.balances.map(({ currency, there, here, inFlight }) => [
    currency,
    there,
    here,
    inFlight,
  ]);
  const rows = report.findings.map(rowOf);
  const tables = [
    rows.length > 0 &&
      table([['FINDING', 'KIND', 'AT', 'CURRENCY', 'THERE', 'HERE', 'WHAT', 'WHY'], ...rows], [4, 5]),
    balances.length > 0 && table([['CURRENCY', 'THERE', 'HERE', 'IN FLIGHT'], ...balances], [1, 2, 3]),
  ];
  return [head, ...tables].filter(Boolean).join('\n');
}

function rowOf({
  finding,
  kind,
  at,
  currency,
  amountThere,
  amountHere,
  id,
  transaction,
  journal,
  why,
}: Finding): string[] {
  const what = transaction ?? id ?? (journal === null ? '' : `journal ${journal}`);
  return [finding, kind, isoMillis(at), currency, amountThere ?? '', amountHere ?? '', what, why];
}
