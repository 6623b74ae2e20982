/** `crossramp reconcile`. */
import { Command } from 'commander';
import { invalidParameters } from '../base/errors/errors.ts';
import type { Named } from '../base/errors/violations.ts';
import { isOpen, reconcile } from '../resolvers/reconciliation/reconcile.ts';
import { type BankFileOptions, bankFileOptions, fileReports } from './bank-file.ts';
import { onceAs } from './once-as.ts';
import { answer, jsonOption } from './output.ts';
import { reportText } from './reconciliation-text.ts';
import { asPlatform } from './with-store.ts';

interface Options extends BankFileOptions {
  readonly file?: string;
  readonly rail?: string;
  readonly day?: string;
  readonly idempotencyKey?: string;
}

/** Compares the statement of a day with the ledger; fails when something is open. */
export function reconcileCommand(): Command {
  const command = new Command('reconcile')
    .description(
      'Compares the statement of a rail for a day with the ledger, and stores the report; fails when something is open.',
    )
    .option('--day <day>', 'day in Brasília, YYYY-MM-DD, from 2000-01-01 on (default: yesterday)')
    .option('--rail <rail>', 'pix, or the name of a network such as TRX', 'pix')
    .option(
      '--file <file>',
      'a statement file of the bank, OFX, CSV or CNAB 240, instead of the statement of a rail; each of its days gets a report',
    )
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .option(
      '--idempotency-key <key>',
      'the same command with the same key reconciles once; kept for 24 hours',
    )
    .addOption(jsonOption());
  return bankFileOptions(command).action(async ({ day, rail, file, idempotencyKey, ...options }: Options) => {
    if (file !== undefined) return fileReports(options, file);
    if (options.preview) throw invalidParameters([{ parameter: '--preview', message: 'needs --file' }]);
    const report = await asPlatform(options, (context) => {
      const body = { day, rail, live: options.live === true };
      const input = { day: namedOf('--day', day), rail: namedOf('--rail', rail) };
      return onceAs(context, 'books.reconcile', { idempotencyKey, body }, (attempt) =>
        reconcile(context, input, attempt),
      );
    });
    answer(options, { ...report, isOpen: isOpen(report) }, reportText(report));
    if (isOpen(report)) process.exitCode = 1;
  });
}

function namedOf(name: string, value: string | undefined): Named | undefined {
  return value === undefined ? undefined : { name, value };
}
