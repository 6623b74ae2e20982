/**
 * Writes the recorded facts of the transactions that were completed in a month, for reports to authorities: data, not an
 * official file.
 */

import { BRL } from '../../base/money/currency.ts';
import { dayAfter } from '../../base/time/brasilia-day.ts';
import { isoMillis } from '../../base/time/instant.ts';
import { startOf, type Zone } from '../../base/time/zone.ts';
import { type Completed, readCompleted } from '../../store/engine/completed-transactions.ts';
import { NO_RECORD, type RecordFacts, readRecords } from '../../store/engine/transaction-records.ts';
import { findTransactions } from '../../store/engine/transactions.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { amountCell, type Cell, CSV_FORMS, csvLine, inZone } from '../../wire/csv.ts';
import { type Context, requireScope } from '../services/context.ts';
import { type TransactionForm, taxIdCell } from './export-transactions.ts';

/** A completed transaction, with its recorded facts. */
interface Recorded {
  readonly row: TransactionRow;
  readonly record: RecordFacts;
  readonly completed: Completed;
}

/** A column: its heading in each language, and its cell. Without its Portuguese heading and its amounts, it is a member in JSON. */
type Column = readonly [en: string, pt: string, cell: (recorded: Recorded) => Cell];

/** A month, `YYYY-MM`, of days in the zone of the form. */
export interface Wanted extends TransactionForm {
  readonly month: string;
}

const BATCH = 1_000;

/**
 * @returns text in parts, newest first: a line for every transaction that was completed in the month, including those without
 * recorded facts; the last line has their number, so that a missing part is noticed.
 * @throws {GatewayError} `FORBIDDEN`, before the first part.
 */
export function exportRecords(context: Context, wanted: Wanted): AsyncGenerator<string> {
  return written([context], columnsOf(context.registry, wanted), wanted);
}

/**
 * @param contexts - one for each account, in the order of output.
 * @returns as `exportRecords`, of several accounts in one; each line begins with the id of its account.
 * @throws {GatewayError} as `exportRecords`.
 */
export function exportRecordsOf(
  contexts: readonly Context[],
  registry: Registry,
  wanted: Wanted,
): AsyncGenerator<string> {
  const account: Column = ['account_id', 'Conta', ({ row }) => String(row.accountId)];
  return written(contexts, [account, ...columnsOf(registry, wanted)], wanted);
}

async function* written(
  contexts: readonly Context[],
  columns: readonly Column[],
  { month, format, language, zone }: Wanted,
): AsyncGenerator<string> {
  for (const context of contexts) requireScope(context, 'read');
  const form = CSV_FORMS[language];
  const line = (cells: readonly Cell[]) =>
    format === 'csv' ? csvLine(form, cells) : jsonLine(columns, cells);
  const headings = columns.map(([en, pt]) => (language === 'pt' ? pt : en));
  yield format === 'csv' ? form.mark + csvLine(form, headings) : '';
  let count = 0;
  for (const context of contexts)
    for await (const batch of recordedIn(context, month, zone)) {
      yield batch.map((each) => line(columns.map(([, , cell]) => cell(each)))).join('');
      count += batch.length;
    }
  yield format === 'csv'
    ? csvLine(form, ['COUNT', String(count), ...columns.slice(2).map(() => null)])
    : `{"type":"totals","count":${count}}\n`;
}

async function* recordedIn(
  { database, caller }: Context,
  month: string,
  zone: Zone,
): AsyncGenerator<readonly Recorded[]> {
  const next = dayAfter(`${month}-28`, 4).slice(0, 7);
  const [from, to] = [month, next].map((each) => new Date(startOf(zone, `${each}-01`))) as [Date, Date];
  for (let before: bigint | undefined; ; ) {
    const slice = { before, limit: BATCH };
    const found = await readCompleted(database, caller.accountId, { from, to }, slice);
    const ids = found.map(({ id }) => id);
    const rows = new Map(
      (await findTransactions(database, caller.accountId, ids)).map((row) => [row.id, row]),
    );
    const records = await readRecords(database, [...rows.values()]);
    const byId = new Map(records.map((record) => [record.transactionId, record]));
    yield found.flatMap((completed) => {
      const row = rows.get(completed.id);
      return row ? [{ row, completed, record: byId.get(completed.id) ?? NO_RECORD }] : [];
    });
    if (found.length < BATCH) return;
    before = ids.at(-1);
  }
}

function jsonLine(columns: readonly Column[], cells: readonly Cell[]): string {
  const members = columns.map(([name], at) => {
    const cell = cells[at] ?? null;
    return [name, cell !== null && typeof cell === 'object' ? textOf(cell) : cell];
  });
  return `${JSON.stringify({ type: 'record', ...Object.fromEntries(members) })}\n`;
}

function textOf(cell: Exclude<Cell, string | null>): string | null {
  if ('amount' in cell) return cell.amount;
  if ('day' in cell) return cell.day;
  return cell.time === null ? null : isoMillis(cell.time);
}

/** BRL that was paid in or out; for a withdrawal of crypto, its worth. */
function brlValueOf({ row, completed }: Recorded): string | null {
  if (row.sourceCurrency === BRL.code) return row.sourceAmount;
  return row.targetCurrency === BRL.code ? row.targetAmount : completed.worth;
}

function columnsOf(registry: Registry, { language, zone }: Wanted): readonly Column[] {
  const amount = (text: string | null) => ({ amount: text });
  return [
    ['end2end', 'Transação', ({ row }) => row.end2end],
    [
      'completed_at',
      inZone('Concluído em', zone),
      ({ completed }) => ({ time: completed.completedAt, zone }),
    ],
    ['created_at', inZone('Criado em', zone), ({ row }) => ({ time: row.createdAt, zone })],
    ['template', 'Modelo', ({ row }) => row.template],
    [
      'status_code',
      'Código da situação',
      ({ row }) => registry.stepOf(row.template, row.component, row.state).statusCode,
    ],
    ['source_currency', 'Moeda de entrada', ({ row }) => row.sourceCurrency],
    ['source_amount', 'Valor de entrada', ({ row }) => amountCell(row.sourceAmount, row.sourceCurrency)],
    ['target_currency', 'Moeda de saída', ({ row }) => row.targetCurrency],
    ['target_amount', 'Valor de saída', ({ row }) => amountCell(row.targetAmount, row.targetCurrency)],
    ['fees_brl', 'Taxas (R$)', ({ row }) => amountCell(row.fees, BRL.code)],
    ['brl_value', 'Valor (R$)', (recorded) => amountCell(brlValueOf(recorded), BRL.code)],
    ['client_name', 'Cliente', ({ row }) => row.clientName],
    ['client_tax_id', 'CPF/CNPJ', ({ row }) => taxIdCell(row.clientTaxId, language)],
    ['wallet', 'Carteira', ({ row }) => row.wallet],
    ['tx_hash', 'Hash', ({ row }) => row.txHash],
    ['wallet_custody', 'Custódia da carteira', ({ record }) => record.walletCustody],
    ['wallet_holder', 'Titular da carteira', ({ record }) => record.walletHolder],
    ['wallet_vasp', 'Prestador da carteira', ({ record }) => record.walletVasp],
    ['wallet_country', 'País da carteira', ({ record }) => record.walletCountry],
    ['purpose_code', 'Código da finalidade', ({ record }) => record.purposeCode],
    ['counterparty_country', 'País da contraparte', ({ record }) => record.counterpartyCountry],
    ['usd_value', 'Valor (US$)', ({ record }) => amount(record.usdValue)],
    ['usd_value_at', inZone('Valor (US$) em', zone), ({ record }) => ({ time: record.usdValueAt, zone })],
    ['usd_rate', 'Cotação (R$/US$)', ({ record }) => amount(record.usdRate)],
  ];
}
