/** Applies the known CSV form of a bank to the caller's form and to the rows of a file. */
import { BANK_FORMS, type FixedForm } from './bank-forms.ts';
import type { BankForm } from './bank-row.ts';

const CENTS = /^\d\d$/;

/** @returns the caller's form, completed by the form of its bank; members set by the caller win. */
export function csvForm(form: BankForm): BankForm {
  if (form.bank === undefined) return form;
  const { columns, decimalMark, skip }: FixedForm = BANK_FORMS[form.bank];
  return {
    ...form,
    columns: { ...columns, ...form.columns },
    decimalMark: form.decimalMark ?? decimalMark,
    skip: [...skip, ...form.skip],
  };
}

/**
 * @returns the cells of a row. An amount that the CSV reader split at its comma is joined again, for banks that write
 *   amounts without quotes.
 */
export function wholeCells(
  record: readonly string[],
  { bank }: BankForm,
  { width, amountAt }: { readonly width: number; readonly amountAt: number | undefined },
): readonly string[] {
  const fixed: FixedForm | undefined = bank && BANK_FORMS[bank];
  if (!fixed?.isCommaUnquoted || amountAt === undefined || record.length !== width + 1) return record;
  const cents = record[amountAt + 1] ?? '';
  return CENTS.test(cents) ? record.toSpliced(amountAt, 2, `${record[amountAt]},${cents}`) : record;
}
