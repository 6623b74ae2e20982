/**
 * Disputes and MED cases in the review queue: a dispute that blocks money is listed as a dispute, any other as a MED case.
 */
import { isoMillis } from '../../base/time/instant.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import { readOpenAtSteps } from '../../store/engine/review-sources.ts';
import { type MedCase, readWaitingMedCases } from '../../store/rails/med-cases.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { blocks } from '../med/blocked.ts';
import { CASES_MAX, type CaseReader, caseOf, type FoundCase, scopeOf } from './found-case.ts';

/** @returns payments that a dispute blocks, each due when the first of its cases has to be answered. */
export async function readDisputes({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, mode, registry } = context;
  const [rows, cases] = await Promise.all([
    readOpenAtSteps(database, scopeOf(context, accountId), disputedSteps(registry)),
    readWaitingMedCases(database, mode, accountId, CASES_MAX),
  ]);
  return rows.map((row) => {
    const due = cases.find((each) => isAbout(each, row))?.dueAt;
    return { ...caseOf(row), dueAt: due === undefined ? null : isoMillis(due) };
  });
}

/** @returns cases that wait for an answer and block no money. */
export async function readMedQueue({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, mode } = context;
  const cases = await readWaitingMedCases(database, mode, accountId, CASES_MAX);
  const keys = cases.flatMap(({ accountId: account, transactionId }) =>
    transactionId === null ? [] : [{ accountId: account, transactionId }],
  );
  const rows = keys.length === 0 ? [] : await readProcesses(database, keys);
  return cases.flatMap((each) => {
    const row = rows.find((one) => isAbout(each, one)) ?? null;
    return row && blocks(row, each) ? [] : [foundOf(each, row)];
  });
}

function foundOf(medCase: MedCase, row: ProcessRow | null): FoundCase {
  const { id, accountId, amount, openedAt, dueAt, reason, pixE2e } = medCase;
  return {
    accountId: row ? accountId : null,
    reference: String(id),
    since: isoMillis(openedAt),
    dueAt: isoMillis(dueAt),
    money: amount === null ? null : { currency: 'BRL', amount },
    row,
    detail: row?.clientName ?? reason ?? pixE2e,
  };
}

function isAbout({ accountId, transactionId }: MedCase, row: ProcessRow): boolean {
  return accountId === row.accountId && transactionId === row.id;
}

/** Steps at which a dispute is decided elsewhere. */
function disputedSteps(registry: Registry): readonly string[] {
  const steps = registry.templates.flatMap(({ machine }) =>
    machine.transitions
      .filter(({ on, to }) => on === 'dispute_accepted' && to !== 'stay')
      .flatMap(({ from }) => from),
  );
  return [...new Set(steps)].filter((step) => step !== 'start');
}
