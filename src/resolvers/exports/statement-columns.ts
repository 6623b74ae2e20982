/** Columns of a statement in CSV: the movement, its payer or payee, and its reason. */
import { BRL } from '../../base/money/currency.ts';
import type { Zone } from '../../base/time/zone.ts';
import { SUB_ACCOUNTS, type SubAccount } from '../../ledger/chart.ts';
import type { LedgerLineRow } from '../../store/ledger/ledger.ts';
import type { Family } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { amountCell, type Cell, type CsvLanguage, inZone } from '../../wire/csv.ts';
import { lineAmounts } from '../../wire/statement.ts';
import { taxIdCell } from './export-transactions.ts';

/** A line with the transaction that posted it. */
export interface Movement {
  readonly line: LedgerLineRow;
  readonly transaction: TransactionRow | null;
}

/** Amounts of a line, or of all lines of one part of the balance. */
export interface StatementAmounts {
  readonly debit: string;
  readonly credit: string;
  readonly balance: string;
}

/** Lines of the file. */
export interface StatementColumns {
  readonly headings: readonly string[];
  readonly cells: (movement: Movement) => readonly Cell[];
  readonly total: (line: LedgerLineRow, amounts: StatementAmounts) => readonly Cell[];
  readonly count: (count: number) => readonly Cell[];
}

/** Cells of the transaction: heading in each language, and value. */
type Fact = readonly [en: string, pt: string, cell: (row: TransactionRow) => Cell];

const HEADINGS = {
  en: ['line', 'date', 'sub_account', 'currency', 'debit', 'credit', 'balance', 'journal', 'transaction'],
  pt: ['Linha', 'Data', 'Subconta', 'Moeda', 'Débito', 'Crédito', 'Saldo', 'Lançamento', 'Transação'],
} as const;
const FAMILIES: Readonly<Record<Family, Readonly<Record<CsvLanguage, string>>>> = {
  checkouts: { en: 'checkout', pt: 'checkout' },
  onramps: { en: 'crypto purchase', pt: 'compra de cripto' },
  offramps: { en: 'crypto sale', pt: 'venda de cripto' },
  withdrawals: { en: 'withdrawal', pt: 'saque' },
};
/** Parts of the balance, as the console names them; programs read the names of the ledger. */
const PARTS_PT: Readonly<Record<SubAccount, string>> = {
  available: 'Disponível',
  in_transit: 'Em trânsito',
  to_receive: 'A receber',
  blocked: 'Bloqueado',
};
const ADJUSTMENT = { en: 'adjustment', pt: 'ajuste' } as const;

/** @returns the columns in a language. */
export function statementColumns(registry: Registry, language: CsvLanguage, zone: Zone): StatementColumns {
  const facts = factsOf(registry, language);
  const empty = facts.map(() => null);
  return {
    headings: [
      ...HEADINGS[language].map((name) => (name === 'Data' ? inZone(name, zone) : name)),
      ...facts.map(([en, pt]) => (language === 'pt' ? pt : en)),
    ],
    cells: ({ line, transaction }) => [
      String(line.id),
      { time: line.postedAt, zone },
      ...amountCells(line, lineAmounts(line, line.ledgerAccount.scale), language),
      String(line.journalId),
      transaction?.end2end ?? null,
      ...(transaction
        ? facts.map(([, , cell]) => cell(transaction))
        : [ADJUSTMENT[language], ...empty.slice(1)]),
    ],
    total: (line, amounts) => ['TOTAL', null, ...amountCells(line, amounts, language), null, null, ...empty],
    count: (count) => [
      'COUNT',
      ...[null, null, null],
      { amount: String(count) },
      ...[null, null, null, null],
      ...empty,
    ],
  };
}

/** The description comes first. Fees of the whole transaction, on each of its lines. */
function factsOf(registry: Registry, language: CsvLanguage): readonly Fact[] {
  return [
    ['description', 'Descrição', (row) => descriptionOf(registry, row, language)],
    ['client_name', 'Cliente', (row) => row.clientName],
    ['client_tax_id', 'CPF/CNPJ', (row) => taxIdCell(row.clientTaxId, language)],
    ['external_code', 'Referência', (row) => row.externalCode],
    ['pix_e2e', 'PIX (EndToEndId)', (row) => row.pixE2e],
    ['fees_brl', 'Taxas da transação (R$)', (row) => amountCell(row.fees, BRL.code)],
  ];
}

function descriptionOf(registry: Registry, row: TransactionRow, language: CsvLanguage): string {
  const { family } = registry.of(row.template);
  return [FAMILIES[family][language], row.notes].filter(Boolean).join(': ');
}

function amountCells(
  { ledgerAccount }: LedgerLineRow,
  { debit, credit, balance }: StatementAmounts,
  language: CsvLanguage,
): readonly Cell[] {
  const { subAccount, currency } = ledgerAccount;
  const parts = Object.keys(SUB_ACCOUNTS) as SubAccount[];
  const part = parts.find((each) => SUB_ACCOUNTS[each] === subAccount) ?? 'available';
  return [
    language === 'pt' ? PARTS_PT[part] : part,
    currency,
    ...[debit, credit, balance].map((amount) => amountCell(amount, currency)),
  ];
}
