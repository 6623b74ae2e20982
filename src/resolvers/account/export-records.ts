/** Writes out what is recorded of the transactions of a month for reports to authorities: data, not an official file. */
import { isoMillis } from '../../base/instant.ts';
import { NO_RECORD, type RecordFacts, readRecords } from '../../store/engine/transaction-records.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { statusCodeOf } from '../../templates/status.ts';
import { type Cell, CSV_FORMS, type CsvLanguage, csvLine } from '../../wire/csv.ts';
import type { Context } from '../services/context.ts';
import { batches, type TransactionFormat } from './export-transactions.ts';

/** A column: its heading in each language, and its cell. Without its Portuguese heading and its amounts, it is a member in JSON. */
type Column = readonly [en: string, pt: string, cell: (row: TransactionRow, record: RecordFacts) => Cell];

/**
 * @param month - `YYYY-MM`, of days in UTC.
 * @returns text in parts, newest first: a line for every transaction that was created in the month, also where nothing is recorded
 *   of it; the last line has the number of them, so that a part that is missing is noticed.
 * @throws {GatewayError} `FORBIDDEN`, before the first part.
 */
export function exportRecords(
  context: Context,
  month: string,
  format: TransactionFormat,
  language: CsvLanguage,
): AsyncGenerator<string> {
  return written([context], columnsOf(context.registry), { month, format, language });
}

/**
 * @param contexts - one for each account, in the order in which they are written.
 * @returns as `exportRecords`, of several accounts in one; each line begins with the id of its account.
 * @throws {GatewayError} as `exportRecords`.
 */
export function exportRecordsOf(
  contexts: readonly Context[],
  registry: Registry,
  wanted: Wanted,
): AsyncGenerator<string> {
  const account: Column = ['account_id', 'conta', (row) => String(row.accountId)];
  return written(contexts, [account, ...columnsOf(registry)], wanted);
}

/** What is to be written. */
export interface Wanted {
  /** `YYYY-MM`, of days in UTC. */
  readonly month: string;
  readonly format: TransactionFormat;
  readonly language: CsvLanguage;
}

async function* written(
  contexts: readonly Context[],
  columns: readonly Column[],
  { month, format, language }: Wanted,
): AsyncGenerator<string> {
  const form = CSV_FORMS[language];
  const line = (cells: readonly Cell[]) =>
    format === 'csv' ? csvLine(form, cells) : jsonLine(columns, cells);
  const headings = columns.map(([en, pt]) => (language === 'pt' ? pt : en));
  const head = format === 'csv' ? form.mark + csvLine(form, headings) : '';
  let count = 0;
  let isBegun = false;
  for (const context of contexts) {
    for await (const rows of batches(context, daysOf(month))) {
      const records = await recordsOf(context, rows);
      const lines = rows.map((row) =>
        line(columns.map(([, , cell]) => cell(row, records.get(row.id) ?? NO_RECORD))),
      );
      // Where the caller may not, this was refused before the first part.
      yield (isBegun ? '' : head) + lines.join('');
      isBegun = true;
      count += rows.length;
    }
  }
  if (!isBegun) yield head;
  yield format === 'csv'
    ? csvLine(form, ['COUNT', String(count), ...columns.slice(2).map(() => null)])
    : `{"type":"totals","count":${count}}\n`;
}

function daysOf(month: string) {
  const last = new Date(`${month}-01T00:00:00Z`);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return {
    dateFrom: { name: 'month', value: `${month}-01` },
    dateTo: { name: 'month', value: last.toISOString().slice(0, 10) },
  };
}

async function recordsOf({ database }: Context, rows: readonly TransactionRow[]) {
  const records = rows.length === 0 ? [] : await readRecords(database, rows);
  return new Map(records.map((record) => [record.transactionId, record]));
}

function jsonLine(columns: readonly Column[], cells: readonly Cell[]): string {
  const members = columns.map(([name], at) => {
    const cell = cells[at] ?? null;
    return [name, cell !== null && typeof cell === 'object' ? cell.amount : cell];
  });
  return `${JSON.stringify({ type: 'record', ...Object.fromEntries(members) })}\n`;
}

function columnsOf(registry: Registry): readonly Column[] {
  const amount = (text: string | null) => ({ amount: text });
  return [
    ['end2end', 'end2end', (row) => row.end2end],
    ['created_at', 'criado_em', (row) => isoMillis(row.createdAt)],
    ['template', 'modelo', (row) => row.template],
    [
      'status_code',
      'codigo_situacao',
      (row) => statusCodeOf(registry.stepOf(row.template, row.component, row.state)),
    ],
    ['source_currency', 'moeda_entrada', (row) => row.sourceCurrency],
    ['source_amount', 'valor_entrada', (row) => amount(row.sourceAmount)],
    ['target_currency', 'moeda_saida', (row) => row.targetCurrency],
    ['target_amount', 'valor_saida', (row) => amount(row.targetAmount)],
    ['client_name', 'cliente', (row) => row.clientName],
    ['client_tax_id', 'cpf_cnpj', (row) => row.clientTaxId],
    ['wallet', 'carteira', (row) => row.wallet],
    ['tx_hash', 'hash', (row) => row.txHash],
    ['wallet_custody', 'custodia_carteira', (_row, record) => record.walletCustody],
    ['wallet_holder', 'titular_carteira', (_row, record) => record.walletHolder],
    ['wallet_vasp', 'vasp_carteira', (_row, record) => record.walletVasp],
    ['wallet_country', 'pais_carteira', (_row, record) => record.walletCountry],
    ['purpose_code', 'codigo_finalidade', (_row, record) => record.purposeCode],
    ['counterparty_country', 'pais_contraparte', (_row, record) => record.counterpartyCountry],
    ['usd_value', 'valor_usd', (_row, record) => amount(record.usdValue)],
    ['usd_value_at', 'valor_usd_em', (_row, { usdValueAt }) => usdValueAt && isoMillis(usdValueAt)],
    ['usd_rate', 'cotacao_usd', (_row, record) => amount(record.usdRate)],
  ];
}
