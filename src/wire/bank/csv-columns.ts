/** Finds the heading row of a bank's CSV file, and the columns of each member. */
import { BankFileError, type BankForm, COLUMN_MEMBERS, type ColumnMember, folded } from './bank-row.ts';

/** Indexes of the columns of each member; only `text` may have several. */
export type CsvColumns = Readonly<Record<ColumnMember, readonly number[]>>;

/**
 * Usual headings, folded. If a file has several headings of the list for the day, the first of the list is the day of
 * the movement.
 */
const USUAL: Readonly<Record<ColumnMember, readonly string[]>> = {
  date: [
    'date',
    'data lancamento',
    'data do lancamento',
    'data movimento',
    'data do movimento',
    'data mov.',
    'data',
    'data/hora',
    'data e hora',
  ],
  amount: ['amount', 'valor', 'valor (r$)', 'valor r$', 'valor(r$)'],
  credit: [
    'credit',
    'credito',
    'credito (r$)',
    'credito(r$)',
    'creditos',
    'entrada',
    'entrada (r$)',
    'entrada(r$)',
    'entradas',
  ],
  debit: [
    'debit',
    'debito',
    'debito (r$)',
    'debito(r$)',
    'debitos',
    'saida',
    'saida (r$)',
    'saida(r$)',
    'saidas',
  ],
  balance: [
    'balance',
    'saldo',
    'saldo (r$)',
    'saldo r$',
    'saldo(r$)',
    'saldos',
    'saldos (r$)',
    'saldo do dia',
    'saldo do dia(r$)',
    'saldo do dia (r$)',
  ],
  direction: ['d/c', 'c/d', 'debito/credito', 'credito/debito', 'natureza'],
  id: [
    'id',
    'identificador',
    'documento',
    'docto.',
    'docto',
    'numero do documento',
    'n documento',
    'no documento',
    'line',
    'linha',
  ],
  text: [
    'text',
    'memo',
    'historico',
    'descricao',
    'lancamento',
    'detalhes',
    'titulo',
    'transaction',
    'transacao',
  ],
  currency: ['currency', 'moeda'],
  account: ['sub_account', 'subconta'],
};
const AMOUNT_MEMBERS = ['amount', 'credit', 'debit'] as const;
/** Members of which the first usual heading counts. */
const FIRST_OF: readonly ColumnMember[] = ['date', 'id', 'balance'];
const NUMBER = /^#([1-9]\d{0,2})$/;

/** @returns the columns of a file without a heading, if its form has column numbers; otherwise undefined. */
export function numberedColumns({ columns }: BankForm): CsvColumns | undefined {
  const used = Object.values(columns);
  if (!used.some((each) => NUMBER.test(each))) return undefined;
  return eachMember((member) => {
    const name = columns[member];
    return name === undefined ? [] : [Number(NUMBER.exec(name)?.[1]) - 1];
  });
}

/**
 * @returns the columns if the row is the heading, otherwise undefined.
 * @throws {BankFileError} if a required column occurs twice.
 */
export function columnsOf(row: readonly string[], form: BankForm): CsvColumns | undefined {
  const named = row.map(folded);
  if (missingNames(row, form).length > 0) return undefined;
  const hasAmount = AMOUNT_MEMBERS.some((member) => form.columns[member] !== undefined);
  const found = eachMember((member) => {
    const used = form.columns[member];
    if (used !== undefined) return positions(named, folded(used));
    if (hasAmount && (AMOUNT_MEMBERS as readonly string[]).includes(member)) return [];
    const usual = USUAL[member].map((name) => positions(named, name)).filter((each) => each.length > 0);
    return FIRST_OF.includes(member) ? (usual[0] ?? []) : usual.flat();
  });
  const { date, amount, credit, debit } = found;
  if (date.length === 0 || amount.length + credit.length + debit.length === 0) return undefined;
  for (const member of COLUMN_MEMBERS) {
    const [first, second] = found[member];
    // A balance only checks the movements: two columns of it are no reason to refuse a file.
    if (first === undefined || second === undefined || member === 'balance') continue;
    if (member !== 'text' || named[first] === named[second])
      throw new BankFileError(
        `the columns ${row[first]} (${first + 1}) and ${row[second]} (${second + 1}) may both be ${member}: name one by --columns, or correct the heading`,
      );
  }
  if (amount.length > 0 && credit.length + debit.length > 0)
    throw new BankFileError(
      `there are ${[...amount, ...credit, ...debit].map((at) => row[at]).join(', ')}: name amount, or credit and debit, by --columns`,
    );
  return found;
}

/** @returns headings of the form that are missing in the row. */
export function missingNames(row: readonly string[], { columns }: BankForm): readonly string[] {
  const named = row.map(folded);
  return Object.values(columns).filter((name) => !named.includes(folded(name)));
}

function eachMember(positionsOf: (member: ColumnMember) => readonly number[]): CsvColumns {
  return Object.fromEntries(COLUMN_MEMBERS.map((member) => [member, positionsOf(member)])) as Record<
    ColumnMember,
    readonly number[]
  >;
}

function positions(row: readonly string[], name: string): readonly number[] {
  return row.flatMap((each, at) => (each === name ? [at] : []));
}
