/** Lists the transactions of a family. */
import { type GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import type { MergedFilter } from '../../store/engine/merged-lists.ts';
import { filtersOf } from '../../store/engine/transaction-filters.ts';
import {
  type ListFilter,
  listTransactions as listRows,
  type Page,
  type TransactionPage,
} from '../../store/engine/transactions.ts';
import type { Family } from '../../templates/define.ts';
import { currenciesKnown } from '../checks/check-filter.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';
import type { ListFilterInput, MergedFilterInput } from './filter-input.ts';

/**
 * Reads a page and the exact total, from one snapshot (C-10, C-11, C-14, C-16).
 *
 * @param violations - of the interface; reported together with those found here.
 * @param options - `counted`: whether the total is requested, default yes.
 * @throws {GatewayError} `INVALID_PARAMETER`, naming every bad value.
 */
export async function listTransactions(
  context: Context,
  family: Family,
  input: ListFilterInput,
  page: Page,
  violations: Violations = new Violations(),
  options: { counted: boolean } = { counted: true },
): Promise<TransactionPage> {
  requireScope(context, 'read');
  const filter = await checkFilter(context, input, violations);
  violations.refuse();
  const found = await listRows(context.database, context.caller.accountId, family, filter, page, options);
  if (!found) throw badCursor(page);
  return found;
}

/** @returns the refusal of a cursor that is not one of the list. */
export function badCursor(page: Page): GatewayError {
  const cursors = (['after', 'before'] as const).filter(
    (name) => 'isBackward' in page && page[name] !== undefined,
  );
  return invalidParameters(cursors.map((parameter) => ({ parameter, message: BAD_CURSOR })));
}

/** Error of a cursor that is from no page of a list. */
export const BAD_CURSOR = 'must be a cursor of this list';

const TEXTS = filtersOf('text');

/** @returns the filters of a text, a paid-out currency and days; their violations are added to `violations`. */
export async function checkFilter(
  context: Context,
  input: MergedFilterInput,
  violations: Violations,
): Promise<ListFilter & Pick<MergedFilter, 'text'>> {
  const texts = TEXTS.map((name) => [name, violations.text(input[name])] as const);
  const [targetCurrency, ...others] =
    (await currenciesKnown(context, violations, input.targetCurrency)) ?? [];
  const target =
    targetCurrency !== undefined && others.length > 0
      ? { severalTargets: [targetCurrency, ...others] }
      : { targetCurrency };
  const filters = [...texts, ...Object.entries(target)].filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(filters), ...violations.days(input.dateFrom, input.dateTo) };
}
