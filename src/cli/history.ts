/** `crossramp import` and `crossramp export`. */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { auditedIn } from '../resolvers/checks/audited.ts';
import { exportAccount, exportJournals } from '../resolvers/exports/export-account.ts';
import {
  type ImportOptions,
  type ImportProgress,
  importAccount,
} from '../resolvers/history/import-account.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { Tx } from '../store/connection/database.ts';
import { accountObject } from '../store/engine/audit.ts';
import { withSnapshot } from '../store/ledger/long-transaction.ts';
import { REGISTRY } from '../templates/index.ts';
import { answer, jsonOption, progressWriter, writePart } from './output.ts';
import { untilInterrupted } from './until-interrupted.ts';
import { accountNamed, operatorContext, withServices, withStore } from './with-store.ts';

const PHASES = {
  reading: 'lines read',
  waiting: 'seconds: waiting for another writer of the account',
  transactions: 'transactions taken',
  entries: 'statement entries taken',
};

/** The command `import` (C-70). */
export function importCommand(): Command {
  return new Command('import')
    .description(
      'Imports the history of an account: the whole file, or nothing. Ctrl-C cancels it, and nothing is imported.',
    )
    .argument('<file>', 'NDJSON in the published form')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .addOption(jsonOption())
    .action(async (path: string, options: { account: string; json?: boolean }) => {
      const progress = progressWriter<ImportProgress>(options, ({ phase, done, of }) => {
        return `${done.toLocaleString('en-US')}${of === null ? '' : ` of ${of.toLocaleString('en-US')}`} ${PHASES[phase]}`;
      });
      const file = await open(path);
      const summary = await untilInterrupted('nothing was taken', (signal) =>
        withServices(async (services) => {
          const { database } = services;
          const accountId = await accountNamed(database, options.account);
          const atomically = writtenDown(await operatorContext(services, accountId), basename(path));
          const follow = { onProgress: progress.report, atomically, signal };
          return importAccount(database, REGISTRY, accountId, basename(path), linesOf(file), follow);
        }),
      ).finally(() => {
        progress.end();
        return file.close();
      });
      const { transactions, entries } = summary;
      answer(
        options,
        summary,
        `${transactions.taken} transactions and ${entries.taken} statement entries taken` +
          ` (${transactions.known} and ${entries.known} were known already)`,
      );
    });
}

/** @returns a function that records an import in the audit log; an import without changes leaves no record. */
function writtenDown(context: Context, file: string): NonNullable<ImportOptions['atomically']> {
  return async (tx, { transactions, entries }) => {
    if (transactions.taken + entries.taken === 0) return;
    const after = { file, transactions: transactions.taken, entries: entries.taken };
    const object = accountObject(context.caller.accountId);
    await auditedIn(tx, context, async (_tx, writeDown) => writeDown('account.import', object, { after }));
  };
}

/** Starts to read when the first line is requested: Node's reader loses lines that it reads earlier. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  yield* file.readLines();
}

/** Writers of an export, by the name of its format. */
const FORMATS = {
  history: (tx: Tx, accountId: bigint) => exportAccount(tx, REGISTRY, accountId),
  journals: exportJournals,
} as const;

/** Exports history (C-70) or journals. */
export function exportCommand(): Command {
  return new Command('export')
    .description(
      'Exports an account to standard output, as of one instant: its history, in the form that import reads, or its journals with both sides of each, for accountants.',
    )
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .addOption(
      new Option('--format <format>', 'what to export')
        .choices(Object.keys(FORMATS))
        .default('history' satisfies keyof typeof FORMATS),
    )
    .option('--json', 'no effect: an export is always one JSON value per line')
    .action(async (options: { account: string; format: keyof typeof FORMATS }) => {
      await withStore(async ({ database }) => {
        const accountId = await accountNamed(database, options.account);
        await withSnapshot(database, async (tx) => {
          for await (const line of FORMATS[options.format](tx, accountId)) await writePart(line);
        });
      });
    });
}
