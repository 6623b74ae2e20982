/** Writes the trial balance of a period out, for accountants: by class, with values in BRL and their sums. */
import { BRL } from '../../base/money/currency.ts';
import { sum } from '../../base/money/money.ts';
import type { LedgerAccountClass } from '../../ledger/chart.ts';
import { ACCOUNT_LABELS, CLASS_LABELS, CLASS_ORDER } from '../../ui/account-labels.ts';
import { amountCell, type Cell, CSV_FORMS, type CsvLanguage, csvLine } from '../../wire/csv.ts';
import { type PeriodInput, type TrialBalance, type TrialLine, trialBalance } from '../ledger/read-books.ts';
import type { Context } from '../services/context.ts';

/** A column: its heading in each language, and its cell. */
type Column = readonly [en: string, pt: string, cell: (line: TrialLine, books: TrialBalance) => Cell];

/**
 * @returns text in parts: a line for each kind of ledger account and currency, then a `TOTAL` in BRL for each class, empty if
 * a line has no value, one of debits and credits for each currency, and `COUNT`.
 * @throws {GatewayError} as `trialBalance`, before the first part.
 */
export async function* exportBooks(
  context: Context,
  input: PeriodInput,
  language: CsvLanguage,
): AsyncGenerator<string> {
  const books = await trialBalance(context, input);
  const form = CSV_FORMS[language];
  const columns = columnsOf(language);
  const at = (heading: string) => columns.findIndex(([en]) => en === heading);
  const trailer = (cells: Readonly<Record<string, Cell>>) => {
    const line: Cell[] = columns.map(() => null);
    for (const [heading, cell] of Object.entries(cells)) line[at(heading)] = cell;
    return csvLine(form, line);
  };
  const headings = columns.map(([en, pt]) => (language === 'pt' ? pt : en));
  yield form.mark + csvLine(form, headings);
  for (const line of byClass(books.lines))
    yield csvLine(
      form,
      columns.map(([, , cell]) => cell(line, books)),
    );
  for (const [kind, value] of classSums(books.lines))
    yield trailer({
      date_from: 'TOTAL',
      class: classText(kind, language),
      closing_brl: amountCell(value, BRL.code),
    });
  for (const [code, { debits, credits }] of currencySums(books.lines))
    yield trailer({
      ...{ date_from: 'TOTAL', currency: code },
      ...{ debits: amountCell(debits, code), credits: amountCell(credits, code) },
    });
  yield trailer({ date_from: 'COUNT', opening: { amount: String(books.lines.length) } });
}

function byClass(lines: readonly TrialLine[]): readonly TrialLine[] {
  const position = (line: TrialLine) => CLASS_ORDER.indexOf(line.class);
  return lines.toSorted((one, other) => position(one) - position(other));
}

/** @returns the debits and credits of each currency, which are equal. */
function currencySums(
  lines: readonly TrialLine[],
): readonly (readonly [string, Pick<TrialLine, 'debits' | 'credits'>])[] {
  return [...new Set(lines.map(({ currency }) => currency))].map((code) => {
    const own = lines.filter(({ currency }) => currency === code);
    const sumOf = (side: 'debits' | 'credits') => sum(own.map((line) => line[side]));
    return [code, { debits: sumOf('debits'), credits: sumOf('credits') }] as const;
  });
}

/** @returns the closing balances of each class in BRL; null if one of them has no rate. */
function classSums(lines: readonly TrialLine[]): readonly (readonly [LedgerAccountClass, string | null])[] {
  return CLASS_ORDER.flatMap((each) => {
    const values = lines.filter((line) => line.class === each).map(({ calculatedBrl }) => calculatedBrl);
    if (values.length === 0) return [];
    const known = values.filter((value) => value !== null);
    return [[each, known.length === values.length ? sum(known) : null] as const];
  });
}

function columnsOf(language: CsvLanguage): readonly Column[] {
  return [
    ['date_from', 'De', (_line, { from }) => ({ day: from })],
    ['date_to', 'Até', (_line, { to }) => ({ day: to })],
    ['class', 'Classe', (line) => classText(line.class, language)],
    ['account', 'Conta', ({ house }) => house],
    ['account_name', 'Nome da conta', ({ house }) => ACCOUNT_LABELS[house ?? 'holders'][language]],
    ['currency', 'Moeda', ({ currency }) => currency],
    ['opening', 'Saldo inicial', ({ opening, currency }) => amountCell(opening, currency)],
    ['debits', 'Débitos', ({ debits, currency }) => amountCell(debits, currency)],
    ['credits', 'Créditos', ({ credits, currency }) => amountCell(credits, currency)],
    ['closing', 'Saldo final', ({ closing, currency }) => amountCell(closing, currency)],
    ['closing_brl', 'Saldo final (R$)', ({ calculatedBrl }) => amountCell(calculatedBrl, BRL.code)],
  ];
}

function classText(kind: LedgerAccountClass, language: CsvLanguage): string {
  return language === 'pt' ? CLASS_LABELS[kind].pt : kind;
}
