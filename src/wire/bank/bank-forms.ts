/**
 * Forms of CSV files of banks by name, so that nothing in them is guessed. Sources: public readers of these files (decision 0089); no
 * bank confirmed them. OFX and CNAB have the same form at every bank.
 */
import type { BankForm } from './bank-row.ts';

/** Part of a form that a bank fixes. */
type FixedForm = Pick<BankForm, 'columns' | 'decimalMark' | 'skip'> & {
  /** Whether amounts have a comma that is also the separator, without quotes. */
  readonly isCommaUnquoted?: boolean;
};

/** Columns have usual headings, and amounts are such as `1.234,56`. */
const COMMA: FixedForm = { columns: {}, decimalMark: ',', skip: [] };
/** Amounts are such as `1234.56`. */
const POINT: FixedForm = { columns: {}, decimalMark: '.', skip: [] };

/** Forms by the name of the bank. */
export const BANK_FORMS = {
  bb: { ...COMMA, isCommaUnquoted: true },
  bradesco: { ...COMMA, skip: ['COD. LANC. 0'] },
  btg: COMMA,
  c6: POINT,
  caixa: {
    ...POINT,
    columns: {
      account: 'Conta',
      date: 'Data_Mov',
      id: 'Nr_Doc',
      text: 'Historico',
      amount: 'Valor',
      direction: 'Deb_Cred',
    },
  },
  inter: COMMA,
  itau: COMMA,
  nubank: POINT,
  santander: COMMA,
  sicoob: COMMA,
} as const satisfies Readonly<Record<string, FixedForm>>;
/** Name of a bank with a form. */
export type BankFormName = keyof typeof BANK_FORMS;
/** All of them. */
export const BANK_FORM_NAMES = Object.keys(BANK_FORMS) as readonly BankFormName[];

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
  const { isCommaUnquoted = false }: FixedForm = bank === undefined ? COMMA : BANK_FORMS[bank];
  if (!isCommaUnquoted || amountAt === undefined || record.length !== width + 1) return record;
  const cents = record[amountAt + 1] ?? '';
  return CENTS.test(cents) ? record.toSpliced(amountAt, 2, `${record[amountAt]},${cents}`) : record;
}
