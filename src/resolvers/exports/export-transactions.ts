/** Writes the transactions of a filter out, newest first: as CSV for spreadsheets, or in the published form, line by line. */

import { BRL } from '../../base/money/currency.ts';
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import type { Zone } from '../../base/time/zone.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import { openSteps } from '../../templates/open-steps.ts';
import type { Registry } from '../../templates/registry.ts';
import { FINISHED, UNDONE } from '../../templates/status.ts';
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

/** Incoming and outgoing sums, and those of the fees, which are BRL. Decimal text. */
interface Sides {
  readonly source: string;
  readonly target: string;
  readonly fees: string;
}
/** Sums by currency. */
type Sums = Map<string, Sides>;

/** Sums of all transactions, of the successful, and of those that ended without success; the rest is under way. */
interface Totals {
  readonly all: Sums;
  readonly succeeded: Sums;
  readonly failed: Sums;
}
/** Mark of the lines of each sum, and its description. */
const TOTALS = {
  all: { mark: 'TOTAL', en: 'all transactions', pt: 'todas as transações' },
  succeeded: { mark: 'TOTAL_SUCCEEDED', en: 'succeeded', pt: 'concluídas com sucesso' },
  failed: { mark: 'TOTAL_FAILED', en: 'ended without success', pt: 'encerradas sem sucesso' },
} as const satisfies Readonly<Record<keyof Totals, Readonly<Record<'mark' | CsvLanguage, string>>>>;
const NOTHING: Sides = { source: '0', target: '0', fees: '0' };

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
  const totals: Totals = { all: new Map(), succeeded: new Map(), failed: new Map() };
  const open = openSteps(registry);
  let count = 0;
  let isBegun = false;
  const writer = format === 'csv' ? csvWriter(registry, language, zone) : jsonWriter(registry);
  for await (const rows of batches(context, { ...input, zone })) {
    if (!isBegun) yield writer.head;
    isBegun = true;
    for (const row of rows) for (const name of totalsOf(registry, open, row)) addUp(totals[name], row);
    count += rows.length;
    yield rows.map(writer.line).join('');
  }
  yield writer.tail(totals, count);
}

/** Yields the transactions of a filter, newest first: at least one batch, which may be empty. */
async function* batches(
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

/** @returns the sums that contain a transaction, as those of the list. */
function totalsOf(
  registry: Registry,
  open: ReadonlySet<string>,
  { template, component, state }: TransactionRow,
): readonly (keyof Totals)[] {
  if (open.has(`${component}/${state}`)) return ['all'];
  const { statusCode } = registry.stepOf(template, component, state);
  if (FINISHED.includes(statusCode)) return ['all', 'succeeded'];
  return UNDONE.includes(statusCode) ? ['all', 'failed'] : ['all'];
}

function addUp(sums: Sums, row: TransactionRow): void {
  const add = (code: string | null, side: keyof Sides, amount: string | null) => {
    if (code === null || amount === null) return;
    const before = sums.get(code) ?? NOTHING;
    sums.set(code, { ...before, [side]: sum([before[side], amount]) });
  };
  add(row.sourceCurrency, 'source', row.sourceAmount);
  add(row.targetCurrency, 'target', row.targetAmount);
  add(BRL.code, 'fees', row.fees);
}

interface Writer {
  readonly head: string;
  readonly line: (row: TransactionRow) => string;
  readonly tail: (totals: Totals, count: number) => string;
}

function jsonWriter(registry: Registry): Writer {
  const { envelope } = envelopeWriter(registry, EXACT);
  return {
    head: '',
    line: (row) => `{"type":"transaction",${envelope(row).slice(1)}\n`,
    tail: (totals, count) => {
      const sums = [...totals.all].map(([code, own]) => {
        const [succeeded, failed] = [totals.succeeded, totals.failed].map(
          (each) => `{${sidesJson(code, each.get(code) ?? NOTHING)}}`,
        );
        return `{"currency":${JSON.stringify(code)},${sidesJson(code, own)},"succeeded":${succeeded},"failed":${failed}}`;
      });
      return `{"type":"totals","count":${count},"sums":[${sums.join(',')}]}\n`;
    },
  };
}

function sidesJson(code: string, { source, target, fees }: Sides): string {
  return `"source":${source},"target":${target}${code === BRL.code ? `,"fees":${fees}` : ''}`;
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
    tail: (totals, count) => {
      const lines = Object.entries(TOTALS).flatMap(([name, { mark, [language]: status }]) =>
        [...totals[name as keyof Totals]].map(([code, { source, target, fees }]) =>
          trailer({
            ...{ end2end: mark, status },
            ...{ source_currency: code, source_amount: amountCell(source, code) },
            ...{ target_currency: code, target_amount: amountCell(target, code) },
            ...(code === BRL.code && { fees_brl: amountCell(fees, code) }),
          }),
        ),
      );
      return lines.join('') + trailer({ end2end: 'COUNT', source_amount: { amount: String(count) } });
    },
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
