/** `crossramp reconcile`. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { invalidParameters } from '../base/errors.ts';
import { isoMillis } from '../base/instant.ts';
import type { Named } from '../base/violations.ts';
import { once } from '../resolvers/checks/once.ts';
import type { Finding } from '../resolvers/rails/finding.ts';
import { isOpen, type Reconciliation, reconcile } from '../resolvers/rails/reconcile.ts';
import { reconcileFile } from '../resolvers/rails/reconcile-file.ts';
import { requireAct } from '../resolvers/services/context.ts';
import { type BankColumns, DEFAULT_COLUMNS } from '../wire/bank-file.ts';
import { answer, jsonOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

interface Options {
  readonly file?: string;
  readonly columns?: string;
  readonly rail?: string;
  readonly day?: string;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly idempotencyKey?: string;
}

const COLUMN = /^(date|amount|id|text)=(.+)$/;

/** Holds the statement of a day against the ledger; fails when something is open. */
export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description(
      'Compares the statement of a rail for a day with the ledger, and keeps the report; fails when something is open.',
    )
    .option('--day <day>', 'day in Brasília, YYYY-MM-DD, from 2000-01-01 on (default: yesterday)')
    .option('--rail <rail>', 'pix, or the name of a network such as TRX', 'pix')
    .option(
      '--file <file>',
      'a statement file of the bank, OFX or CSV, instead of the statement of a rail; each of its days gets a report',
    )
    .option('--columns <names>', 'columns of a CSV file: date=Data,amount=Valor,id=Documento,text=Histórico')
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .option(
      '--idempotency-key <key>',
      'the same command with the same key reconciles once; kept for 24 hours',
    )
    .addOption(jsonOption())
    .action(async ({ day, rail, file, columns, idempotencyKey, ...options }: Options) => {
      if (file !== undefined) return fileReports(options, file, columns);
      const report: Reconciliation = await asPlatform(options, async (context) => {
        requireAct(context, 'books.reconcile');
        const request = {
          key: idempotencyKey,
          parameter: '--idempotency-key',
          route: 'crossramp books.reconcile',
          body: JSON.stringify({ day, rail, live: options.live === true }),
        };
        const input = { day: namedOf('--day', day), rail: namedOf('--rail', rail) };
        const done = await once(context, request, async (attempt) => ({
          status: 200,
          answer: JSON.stringify(await reconcile(context, input, attempt)),
        }));
        return JSON.parse(done.answer);
      });
      answer(options, { ...report, isOpen: isOpen(report) }, textOf(report));
      if (isOpen(report)) process.exitCode = 1;
    });
}

/** The same file again prints the reports of before. */
async function fileReports(options: Options, path: string, columns: string | undefined): Promise<void> {
  const file = { parameter: '--file', bytes: readFileSync(path), columns: columnsOf(columns) };
  const reports = await asPlatform(options, (context) => reconcileFile(context, file));
  const told = reports.map((report) => ({ ...report, isOpen: isOpen(report) }));
  answer(options, { reports: told }, reports.map(textOf).join('\n'));
  if (told.some((report) => report.isOpen)) process.exitCode = 1;
}

function columnsOf(text: string | undefined): BankColumns {
  const given = (text ?? '').split(',').filter(Boolean);
  const named = given.map((each): [string, string] => {
    const [, member, name] = COLUMN.exec(each) ?? [];
    if (member === undefined || name === undefined)
      throw invalidParameters([
        { parameter: '--columns', message: 'must be such as date=Data,amount=Valor,id=Documento,text=Memo' },
      ]);
    return [member, name];
  });
  return { ...DEFAULT_COLUMNS, ...Object.fromEntries(named) };
}

function namedOf(name: string, value: string | undefined): Named | undefined {
  return value === undefined ? undefined : { name, value };
}

function textOf(report: Reconciliation): string {
  const { rail, day, matched, missingHere, missingThere, amountDiffers, detailsDiffer } = report;
  const { balancesDiffer, inSuspense, oldestOpenAt } = report;
  const counts = [
    `${matched} matched`,
    `${missingHere} missing here`,
    `${missingThere} missing there`,
    `${amountDiffers} with another amount`,
    `${detailsDiffer} elsewhere or otherwise`,
    `${balancesDiffer} balances that differ`,
    `${inSuspense} in suspense`,
  ];
  const oldest = oldestOpenAt === null ? '' : `; the oldest that is open is of ${isoMillis(oldestOpenAt)}`;
  const head = `${rail} ${day}: ${counts.join(', ')}${oldest}`;
  const balances = report.balances.map(({ currency, there, here, inFlight }) => [
    currency,
    there,
    here,
    inFlight,
  ]);
  const rows = report.findings.map(rowOf);
  const tables = [
    rows.length > 0 &&
      table([['FINDING', 'KIND', 'AT', 'CURRENCY', 'THERE', 'HERE', 'WHAT', 'WHY'], ...rows], [4, 5]),
    balances.length > 0 && table([['CURRENCY', 'THERE', 'HERE', 'IN FLIGHT'], ...balances], [1, 2, 3]),
  ];
  return [head, ...tables].filter(Boolean).join('\n');
}

function rowOf({
  finding,
  kind,
  at,
  currency,
  amountThere,
  amountHere,
  id,
  transaction,
  journal,
  why,
}: Finding): string[] {
  const what = transaction ?? id ?? (journal === null ? '' : `journal ${journal}`);
  return [finding, kind, isoMillis(at), currency, amountThere ?? '', amountHere ?? '', what, why];
}
