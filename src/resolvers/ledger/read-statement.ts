/** Reads the account's statement. */

import { type Named, Violations } from '../../base/errors/violations.ts';
import type { Zone } from '../../base/time/zone.ts';
import { SUB_ACCOUNTS, type SubAccount } from '../../ledger/chart.ts';
import type { Database } from '../../store/connection/database.ts';
import { findStatementLine, type StatementFilter } from '../../store/ledger/ledger.ts';
import { currenciesKnown } from '../checks/check-filter.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';

/** Filters in the caller's form, each under the caller's own name for it. */
export interface StatementFilterInput {
  readonly currency?: Named;
  readonly subAccount?: Named;
  readonly dateFrom?: Named;
  readonly dateTo?: Named;
  /** Zone of the days, UTC by default: a member of ZONES. */
  readonly zone?: Named;
}

/** Reader of the lines: `readStatementLines`, or `readStatementEntries` where each needs its transaction. */
export type StatementReader<Window, Page> = (
  database: Database,
  accountId: bigint,
  filter: StatementFilter,
  window: Window,
) => Promise<Page>;

/**
 * Reads a page and the exact total, from one snapshot (C-10, C-11, C-16).
 *
 * @param violations - of the interface; reported together with those found here.
 * @throws {GatewayError} `INVALID_PARAMETER`, naming every bad value.
 */
export async function readStatement<Window, Page>(
  context: Context,
  read: StatementReader<Window, Page>,
  input: StatementFilterInput,
  window: Window,
  violations: Violations = new Violations(),
): Promise<Page> {
  requireScope(context, 'read');
  const filter = await checkStatementFilter(context, input, violations);
  violations.refuse();
  return read(context.database, context.caller.accountId, filter, window);
}

/**
 * @returns the id of the line with a number, counted from 1, the newest first; of the oldest if there are fewer. @throws as
 * `readStatement`.
 */
export async function findLine(
  context: Context,
  input: StatementFilterInput,
  number: number,
): Promise<bigint | undefined> {
  requireScope(context, 'read');
  const violations = new Violations();
  const filter = await checkStatementFilter(context, input, violations);
  violations.refuse();
  return findStatementLine(context.database, context.caller.accountId, filter, number);
}

/** @returns the filter; its violations are added to `violations`. */
export async function checkStatementFilter(
  context: Context,
  input: StatementFilterInput,
  violations: Violations,
): Promise<StatementFilter> {
  const currencies = await currenciesKnown(context, violations, input.currency);
  const subAccount = checkSubAccount(input.subAccount, violations);
  return {
    ...(currencies && { currencies }),
    ...(subAccount && { subAccount }),
    ...violations.days(input.dateFrom, input.dateTo),
    ...(input.zone && { zone: input.zone.value as Zone }),
  };
}

function checkSubAccount(input: Named | undefined, violations: Violations): number | undefined {
  if (!input) return undefined;
  if (Object.hasOwn(SUB_ACCOUNTS, input.value)) return SUB_ACCOUNTS[input.value as SubAccount];
  return violations.add({
    parameter: input.name,
    message: `must be one of ${Object.keys(SUB_ACCOUNTS).join(', ')}`,
  });
}
