/** Applies the form of a bank to the form and to the rows of a CSV file. */
import { BANK_FORMS, type FixedForm } from './bank-forms.ts';
import type { BankForm } from './bank-row.ts';

const CENTS = /^\d\d$/;

/** @returns the form with what its bank fixes; members that the caller gave count first. */
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

/** @returns the cells of a row; an amount that was cut at its comma is whole again, where the bank writes it so. */
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
