/** Lists the transactions of a family. */
import { type GatewayError, invalidParameters } from '../../base/errors.ts';
import { type Named, Violations } from '../../base/violations.ts';
import {
  type ListFilter,
  listTransactions as listRows,
  type Page,
  type TransactionPage,
} from '../../store/engine/transactions.ts';
import type { Family } from '../../templates/define.ts';
import { currencyKnown } from '../checks/check-filter.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';

/** Filters as the caller wrote them, each under the caller's own name for it. */
export interface ListFilterInput {
  readonly pixE2e?: Named;
  readonly clientTaxId?: Named;
  readonly address?: Named;
  readonly groupId?: Named;
  readonly externalCode?: Named;
  readonly targetCurrency?: Named;
  readonly dateFrom?: Named;
  readonly dateTo?: Named;
}

/**
 * Reads a page and the exact total, from one snapshot (C-10, C-11, C-14, C-16).
 *
 * @param violations - what the edge found wrong already; reported together with what is found here.
 * @param options - `counted`: whether the total is wanted, default yes.
 * @throws {GatewayError} `INVALID_PARAMETER` or `CURRENCY_AMBIGUOUS`, naming every bad value.
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

/** What is said of a cursor that no page of a list gave. */
export const BAD_CURSOR = 'must be a cursor of this list';

/** @returns the filter, with what is wrong with it noted in `violations`. */
export async function checkFilter(
  context: Context,
  input: ListFilterInput,
  violations: Violations,
): Promise<ListFilter> {
  const texts = {
    pixE2e: violations.text(input.pixE2e),
    clientTaxId: violations.text(input.clientTaxId),
    address: violations.text(input.address),
    groupId: violations.text(input.groupId),
    externalCode: violations.text(input.externalCode),
    targetCurrency: await currencyKnown(context, violations, input.targetCurrency),
  };
  return { ...(texts as ListFilter), ...violations.days(input.dateFrom, input.dateTo) };
}
