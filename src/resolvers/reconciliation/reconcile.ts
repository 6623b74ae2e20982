/**
 * Reconciles a day: compares the statement of a rail, the PIX provider or a network, with the ledger, and stores the
 * report. Nothing else changes: people look at open findings.
 */
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import { type Named, Violations } from '../../base/errors/violations.ts';
import { NETWORKS } from '../../base/money/currency.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { parseDay } from '../../base/time/instant.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import {
  addReconciliation,
  findReconciliation,
  reconciliationList,
  type StoredReconciliation,
} from '../../store/rails/reconciliation.ts';
import { audited } from '../checks/audited.ts';
import type { Attempt } from '../checks/once.ts';
import {
  authorOf,
  type Context,
  requirePermission,
  requireScope,
  type Services,
} from '../services/context.ts';
import { railsMissing } from '../services/no-rails.ts';
import type { RailStatement } from '../services/statement.ts';
import { type ComparedBalance, compareStatement } from './compare-statement.ts';
import type { Finding } from './finding.ts';
import { followRun } from './follow-run.ts';
import { refuseMatched } from './known-entries.ts';
import { BANK_FILE, PIX } from './reported-entries.ts';

/** A report. */
export interface Reconciliation extends Omit<StoredReconciliation, 'id' | 'findings' | 'balances'> {
  readonly id: string;
  /** The oldest of them, `FINDINGS_MAX` at most. */
  readonly findings: readonly Finding[];
  readonly balances: readonly ComparedBalance[];
}

/** Parameters: PIX and yesterday by default. */
export interface ReconcileInput {
  readonly rail?: Named | undefined;
  readonly day?: Named | undefined;
}

/** Rails that can have a statement, by the names of reports. */
export const RECONCILED_RAILS = [PIX, ...Object.keys(NETWORKS)];
const RAILS_FORM = `must be one of ${RECONCILED_RAILS.join(', ')}`;
const READ_FORM = `must be one of ${[...RECONCILED_RAILS, BANK_FILE].join(', ')}`;

/**
 * @param input - a Brasília day; today is reconciled up to now.
 * @throws {GatewayError} `FORBIDDEN`; `RAILS_MISSING` if there is no statement; `INVALID_PARAMETER`; `UNAVAILABLE` while the
 *   statement cannot be read.
 */
export async function reconcile(
  context: Context,
  input: ReconcileInput,
  attempt: Attempt,
): Promise<Reconciliation> {
  requirePermission(context, 'books.reconcile');
  const rail = railOf(input.rail);
  const statement = statementOf(context, rail);
  if (!statement) throw noStatement(context, rail);
  const nowMs = await context.clock.nowMs();
  const day = dayOf(input.day, nowMs);
  const { database, mode } = context;
  if (attempt.made === null) {
    const withBalances = day >= dayAfter(brasiliaDay(nowMs), -1);
    const comparison = { rail, statement, days: [day], nowMs, withBalances } as const;
    const [report] = await followRun(context, { rail, day }, (progress) =>
      compareStatement(context, { ...comparison, report: progress }),
    );
    assert(report, 'each day has a report');
    const madeBy = authorOf(context, 'books.reconcile').actorId;
    return audited(context, async (tx, writeDown) => {
      await refuseMatched({ database: tx, mode }, rail, [report]);
      const stored = await addReconciliation(tx, mode, { ...report, madeBy, source: null });
      await attempt.bind(tx, String(stored.id));
      writeDown('books.reconcile', { kind: 'book_day', id: day }, { after: { rail, ...countsOf(stored) } });
      return reportOf(stored);
    });
  }
  const stored = await findReconciliation(database, mode, BigInt(attempt.made));
  assert(stored, 'a stored report is never deleted');
  return reportOf(stored);
}

/** @returns a part of the reports, newest first. @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`. */
export async function readReconciliations(
  context: Context,
  { day, rail }: ReconcileInput,
  slice: IdSlice,
): Promise<IdPart<Reconciliation>> {
  requireScope(context, 'platform:books');
  const violations = new Violations();
  if (rail && ![...RECONCILED_RAILS, BANK_FILE].includes(rail.value))
    violations.add({ parameter: rail.name, message: READ_FORM });
  const { dateFrom } = violations.days(day, undefined);
  violations.refuse();
  const filter = [context.mode, dateFrom ?? null, rail?.value ?? null];
  const { rows, ...part } = await reconciliationList(context.database, filter, slice);
  return { rows: rows.map(reportOf), ...part };
}

const ID = /^[1-9]\d{0,17}$/;

/** @returns a report; null where the caller's mode has none. @throws {GatewayError} `FORBIDDEN`. */
export async function readReconciliation(context: Context, id: string): Promise<Reconciliation | null> {
  requireScope(context, 'platform:books');
  const { database, mode } = context;
  const stored = ID.test(id) ? await findReconciliation(database, mode, BigInt(id)) : undefined;
  return stored ? reportOf(stored) : null;
}

/** @returns whether a person has to check the report. */
export function isOpen(report: Pick<StoredReconciliation, keyof ReturnType<typeof countsOf>>): boolean {
  const { matched: _, ...open } = countsOf(report);
  return Object.values(open).some((count) => count > 0);
}

/** @returns the statement of a rail; undefined where it has none. */
export function statementOf({ rails }: Pick<Services, 'rails'>, rail: string): RailStatement | undefined {
  return rail === PIX ? rails.pix.statement : rails.chain.statementOf?.(rail);
}

/** @returns the numbers of a report. */
export function countsOf(
  report: {
    readonly [Name in
      | 'matched'
      | 'missingHere'
      | 'missingThere'
      | 'amountDiffers'
      | 'detailsDiffer'
      | 'balancesDiffer'
      | 'inSuspense']: number;
  },
) {
  const { matched, missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer, inSuspense } =
    report;
  return { matched, missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer, inSuspense };
}

function noStatement({ mode }: Context, rail: string): GatewayError {
  if (mode === 'live') return railsMissing([rail]);
  return new GatewayError('RAILS_MISSING', `${rail} is simulated in this process, and has no statement`);
}

function railOf(input: Named | undefined): string {
  if (!input) return PIX;
  if (RECONCILED_RAILS.includes(input.value)) return input.value;
  throw invalidParameters([{ parameter: input.name, message: RAILS_FORM }]);
}

/** No rail is older. */
const FIRST_DAY = '2000-01-01';

function dayOf(input: Named | undefined, nowMs: number): string {
  const today = brasiliaDay(nowMs);
  if (!input) return dayAfter(today, -1);
  const day = parseDay(input.value);
  const refuse = (message: string) => invalidParameters([{ parameter: input.name, message }]);
  if (!day || day < FIRST_DAY) throw refuse(`must be an existing day from ${FIRST_DAY} on, YYYY-MM-DD`);
  if (day > today) throw refuse(`must be ${today} or before`);
  return day;
}

/** @returns a report in its stored form. */
export function reportOf({ id, findings, balances, ...report }: StoredReconciliation): Reconciliation {
  return {
    ...report,
    id: String(id),
    findings: findings as readonly Finding[],
    balances: balances as readonly ComparedBalance[],
  };
}
