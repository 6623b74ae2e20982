/** Money that a MED case blocks: what the open dispute of its transaction holds. */
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import type { MedCase } from '../../store/rails/med-cases.ts';
import { isDisputed } from '../../templates/dispute-claims.ts';
import type { ProcessRow } from '../../templates/facts.ts';

/** @returns whether a case is the open dispute of its transaction. */
export function blocks(row: ProcessRow, { kind, reference }: Pick<MedCase, 'kind' | 'reference'>): boolean {
  return kind === 'dispute' && isDisputed(row) && row.process?.disputeId === reference;
}

/** @returns the amount that a case blocks, decimal text; null where it blocks none. */
export function blockedBy(
  row: ProcessRow | null,
  medCase: Pick<MedCase, 'kind' | 'reference'>,
): { readonly amount: string; readonly currency: Currency } | null {
  const held = row && blocks(row, medCase) ? row.process?.disputed : undefined;
  if (held === undefined || row?.targetCurrency == null) return null;
  const currency = currencyOfLedger(row.targetCurrency);
  return { amount: fromMinor(held, currency.decimals), currency };
}
