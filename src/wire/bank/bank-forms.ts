/**
 * Forms of banks' CSV files by bank name. Sources: public readers of these files (decision 0089); no bank confirmed
 * them. OFX and CNAB have the same form at every bank.
 */
/** The part of a CSV form that is the same in all files of a bank. */
export interface FixedForm {
  /** Headings by member of a row. */
  readonly columns: Readonly<Record<string, string>>;
  readonly decimalMark: ',' | '.';
  /** Rows whose text begins with one of these words are skipped. */
  readonly skip: readonly string[];
  /** Whether the separator is a comma and amounts contain a comma without quotes. */
  readonly isCommaUnquoted?: boolean;
}

/** Form with the usual headings, and amounts such as `1.234,56`. */
const COMMA: FixedForm = { columns: {}, decimalMark: ',', skip: [] };
/** Form with the usual headings, and amounts such as `1234.56`. */
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
/** Names of all banks with a form. */
export const BANK_FORM_NAMES = Object.keys(BANK_FORMS) as readonly BankFormName[];
