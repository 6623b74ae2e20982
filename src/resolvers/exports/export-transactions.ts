/** Writes the transactions of a filter out, newest first: as CSV for spreadsheets, or in the published form, line by line. */

import { Violations } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { isWithin, utcDaysOf, type Zone } from '../../base/time/zone.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { amountCell, type Cell, CSV_FORMS, type CsvLanguage, csvLine, inZone } from '../../wire/csv.ts';
import { envelopeWriter, labelOf } from '../../wire/envelope.ts';
import type { Context } from '../services/context.ts';
import type { MergedFilterInput } from '../transactions/filter-input.ts';
import { filterTransactions } from '../transactions/filter-transactions.ts';

/** Formats of a list of transactions. */
export type TransactionFormat = 'csv' | 'jsonl';

/** Form of a file. */
export interface TransactionForm {
  readonly format: TransactionFormat;
  readonly language: CsvLanguage;
  /** Zone of days and times. */
  readonly zone: Zone;
}

const BATCH = 1_000;
const EXACT = { exactIntegers: true, exactInstants: true };

/** A column: its heading in each language, and its cell. */
type Column = readonly [en: string, pt: string, cell: (row: TransactionRow) => Cell];

/** Incoming and outgoing sums by currency, decimal text. */
type Sums = Map<string, { readonly source: string; readonly target: string }>;

/**
 * @returns text in parts; the last lines have the sums by currency and the number of transactions, so that a part that is
 *   missing is noticed.
 * @throws {GatewayError} as `filterTransactions`, before the first part.
 */
export async function* exportTransactions(
  context: Context,
  input: MergedFilterInput,
  { format, language, zone }: TransactionForm,
): AsyncGenerator<string> {
  const { registry } = context;
  const sums: Sums = new Map();
  let count = 0;
  let isBegun = false;
  const writer = format === 'csv' ? csvWriter(registry, language, zone) : jsonWriter(registry);
  for await (const rows of batches(context, input, zone)) {
    if (!isBegun) yield writer.head;
    isBegun = true;
    for (const row of rows) addUp(sums, row);
    count += rows.length;
    yield rows.map(writer.line).join('');
  }
  yield writer.tail(sums, count);
}

/** Yields the transactions of a filter, newest first: at least one batch, which may be empty. */
async function* batches(
  context: Context,
  input: MergedFilterInput,
  zone: Zone,
): AsyncGenerator<readonly TransactionRow[]> {
  const violations = new Violations();
  const range = violations.days(input.dateFrom, input.dateTo);
  violations.refuse();
  const wide = zone === 'UTC' ? input : { ...input, ...namedDays(input, utcDaysOf(zone, range)) };
  for (let after: string | undefined; ; ) {
    const slice = { limit: BATCH, after };
    const { rows, cutAt } = await filterTransactions(context, wide, slice, { counted: false });
    yield rows.filter(({ createdAt }) => isWithin(zone, range, createdAt));
    if (rows.length < BATCH && cutAt === null) return;
    after = cutAt ?? rows.at(-1)?.end2end;
  }
}

/** Days under the names of the caller's days. */
function namedDays(
  { dateFrom, dateTo }: MergedFilterInput,
  days: ReturnType<typeof utcDaysOf>,
): Pick<MergedFilterInput, 'dateFrom' | 'dateTo'> {
  return {
    ...(dateFrom && days.dateFrom && { dateFrom: { ...dateFrom, value: days.dateFrom } }),
    ...(dateTo && days.dateTo && { dateTo: { ...dateTo, value: days.dateTo } }),
  };
}

function addUp(sums: Sums, row: TransactionRow): void {
  const add = (code: string | null, side: 'source' | 'target', amount: string | null) => {
    if (code === null || amount === null) return;
    const before = sums.get(code) ?? { source: '0', target: '0' };
    sums.set(code, { ...before, [side]: sum([before[side], amount]) });
  };
  add(row.sourceCurrency, 'source', row.sourceAmount);
  add(row.targetCurrency, 'target', row.targetAmount);
}

interface Writer {
  readonly head: string;
  readonly line: (row: TransactionRow) => string;
  readonly tail: (sums: Sums, count: number) => string;
}

function jsonWriter(registry: Registry): Writer {
  const { envelope } = envelopeWriter(registry, EXACT);
  return {
    head: '',
    line: (row) => `{"type":"transaction",${envelope(row).slice(1)}\n`,
    tail: (sums, count) =>
      `{"type":"totals","count":${count},"sums":[${[...sums]
        .map(
          ([code, { source, target }]) =>
            `{"currency":${JSON.stringify(code)},"source":${source},"target":${target}}`,
        )
        .join(',')}]}\n`,
  };
}

function csvWriter(registry: Registry, language: CsvLanguage, zone: Zone): Writer {
  const form = CSV_FORMS[language];
  const columns = columnsOf(registry, language, zone);
  const at = (heading: string) => columns.findIndex(([en]) => en === heading);
  const trailer = (cells: Readonly<Record<string, Cell>>) => {
    const line: Cell[] = columns.map(() => null);
    for (const [heading, cell] of Object.entries(cells)) line[at(heading)] = cell;
    return csvLine(form, line);
  };
  return {
    head:
      form.mark +
      csvLine(
        form,
        columns.map(([en, pt]) => (language === 'pt' ? pt : en)),
      ),
    line: (row) =>
      csvLine(
        form,
        columns.map(([, , cell]) => cell(row)),
      ),
    tail: (sums, count) =>
      [...sums]
        .map(([code, { source, target }]) =>
          trailer({
            end2end: 'TOTAL',
            source_currency: code,
            source_amount: amountCell(source, code),
            target_currency: code,
            target_amount: amountCell(target, code),
          }),
        )
        .join('') + trailer({ end2end: 'COUNT', source_amount: { amount: String(count) } }),
  };
}

function columnsOf(registry: Registry, language: CsvLanguage, zone: Zone): readonly Column[] {
  return [
    ['end2end', 'Transação', (row) => row.end2end],
    ['created_at', inZone('Criado em', zone), (row) => ({ time: row.createdAt, zone })],
    ['updated_at', inZone('Atualizado em', zone), (row) => ({ time: row.updatedAt, zone })],
    ['template', 'Modelo', (row) => row.template],
    ['status', 'Situação', (row) => labelOf(registry, row, 'status')[language]],
    [
      'status_code',
      'Código da situação',
      (row) => registry.stepOf(row.template, row.component, row.state).statusCode,
    ],
    ['substatus', 'Etapa', (row) => labelOf(registry, row, 'substatus')[language]],
    ['source_currency', 'Moeda de entrada', (row) => row.sourceCurrency],
    ['source_amount', 'Valor de entrada', (row) => amountCell(row.sourceAmount, row.sourceCurrency)],
    ['target_currency', 'Moeda de saída', (row) => row.targetCurrency],
    ['target_amount', 'Valor de saída', (row) => amountCell(row.targetAmount, row.targetCurrency)],
    ['fees_brl', 'Taxas (R$)', (row) => amountCell(row.fees, BRL.code)],
    ['client_name', 'Cliente', (row) => row.clientName],
    ['client_tax_id', 'CPF/CNPJ', (row) => taxIdCell(row.clientTaxId, language)],
    ['external_code', 'Referência', (row) => row.externalCode],
    ['pix_e2e', 'PIX (EndToEndId)', (row) => row.pixE2e],
    ['tx_hash', 'Hash', (row) => row.txHash],
    ['wallet', 'Carteira', (row) => row.wallet],
    ['notes', 'Observações', (row) => row.notes],
  ];
}

/** A tax id with its punctuation is text to every spreadsheet; without it, it is a number that loses its zeros. */
export function taxIdCell(taxId: string | null, language: CsvLanguage): Cell {
  return taxId !== null && language === 'pt' ? formatTaxId(taxId) : taxId;
}
