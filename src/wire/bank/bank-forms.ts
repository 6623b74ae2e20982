/**
 * Forms of CSV files of banks by name, so that nothing in them is guessed. Sources: public readers of these files (decision 0089); no
 * bank confirmed them. OFX and CNAB have the same form at every bank.
 */
/** Part of a form that a bank fixes. */
export interface FixedForm {
  /** Headings by member. */
  readonly columns: Readonly<Record<string, string>>;
  readonly decimalMark: ',' | '.';
  /** Rows whose text begins with one of these words are skipped. */
  readonly skip: readonly string[];
  /** Whether amounts have a comma that is also the separator, without quotes. */
  readonly isCommaUnquoted?: boolean;
}

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
