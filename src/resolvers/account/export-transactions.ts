/** Writes the transactions of a filter out, newest first: as CSV for spreadsheets, or in the published form, line by line. */
import { isoMillis } from '../../base/instant.ts';
import { sum } from '../../base/money.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { statusCodeOf } from '../../templates/status.ts';
import { type Cell, CSV_FORMS, type CsvLanguage, csvLine } from '../../wire/csv.ts';
import { envelopeWriter, labelOf } from '../../wire/envelope.ts';
import type { Context } from '../services/context.ts';
import { filterTransactions, type MergedFilterInput } from '../transactions/filter-transactions.ts';

/** How a list of transactions can be written. */
export type TransactionFormat = 'csv' | 'jsonl';

const BATCH = 1_000;
const EXACT = { exactIntegers: true, exactInstants: true };

/** A column: its heading in each language, and its cell. */
type Column = readonly [en: string, pt: string, cell: (row: TransactionRow) => Cell];

/** What goes in and comes out by currency, decimal text. */
type Sums = Map<string, { readonly source: string; readonly target: string }>;

/**
 * @returns text in parts; the last lines have the sums by currency and the number of transactions, so that a part that is
 *   missing is noticed.
 * @throws {GatewayError} as `filterTransactions`, before the first part.
 */
export async function* exportTransactions(
  context: Context,
  input: MergedFilterInput,
  format: TransactionFormat,
  language: CsvLanguage,
): AsyncGenerator<string> {
  const { registry } = context;
  const sums: Sums = new Map();
  let count = 0;
  let isBegun = false;
  const writer = format === 'csv' ? csvWriter(registry, language) : jsonWriter(registry);
  for await (const rows of batches(context, input)) {
    if (!isBegun) yield writer.head;
    isBegun = true;
    for (const row of rows) addUp(sums, row);
    count += rows.length;
    yield rows.map(writer.line).join('');
  }
  yield writer.tail(sums, count);
}

/** @returns the transactions of a filter, newest first: at least one batch, which may be empty. */
export async function* batches(
  context: Context,
  input: MergedFilterInput,
): AsyncGenerator<readonly TransactionRow[]> {
  for (let after: string | undefined; ; ) {
    const slice = { limit: BATCH, after };
    const { rows, cutAt } = await filterTransactions(context, input, slice, { counted: false });
    yield rows;
    if (rows.length < BATCH && cutAt === null) return;
    after = cutAt ?? rows.at(-1)?.end2end;
  }
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

function csvWriter(registry: Registry, language: CsvLanguage): Writer {
  const form = CSV_FORMS[language];
  const columns = columnsOf(registry, language);
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
            source_amount: { amount: source },
            target_currency: code,
            target_amount: { amount: target },
          }),
        )
        .join('') + trailer({ end2end: 'COUNT', source_amount: { amount: String(count) } }),
  };
}

function columnsOf(registry: Registry, language: CsvLanguage): readonly Column[] {
  const amount = (text: string | null) => ({ amount: text });
  return [
    ['end2end', 'end2end', (row) => row.end2end],
    ['created_at', 'criado_em', (row) => isoMillis(row.createdAt)],
    ['updated_at', 'atualizado_em', (row) => isoMillis(row.updatedAt)],
    ['template', 'modelo', (row) => row.template],
    ['status', 'situacao', (row) => labelOf(registry, row, 'status')[language]],
    [
      'status_code',
      'codigo_situacao',
      (row) => statusCodeOf(registry.stepOf(row.template, row.component, row.state)),
    ],
    ['substatus', 'etapa', (row) => labelOf(registry, row, 'substatus')[language]],
    ['source_currency', 'moeda_entrada', (row) => row.sourceCurrency],
    ['source_amount', 'valor_entrada', (row) => amount(row.sourceAmount)],
    ['target_currency', 'moeda_saida', (row) => row.targetCurrency],
    ['target_amount', 'valor_saida', (row) => amount(row.targetAmount)],
    ['fees_brl', 'taxas_brl', (row) => amount(row.fees)],
    ['client_name', 'cliente', (row) => row.clientName],
    ['client_tax_id', 'cpf_cnpj', (row) => row.clientTaxId],
    ['external_code', 'referencia', (row) => row.externalCode],
    ['pix_e2e', 'pix_e2e', (row) => row.pixE2e],
    ['tx_hash', 'hash', (row) => row.txHash],
    ['wallet', 'carteira', (row) => row.wallet],
    ['notes', 'observacoes', (row) => row.notes],
  ];
}
