/** `crossramp import` and `crossramp export`. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { exportAccount } from '../resolvers/export-account.ts';
import { importAccount } from '../resolvers/import-account.ts';
import { REGISTRY } from '../templates/index.ts';
import { accountNamed, answer, jsonOption } from './output.ts';
import { withStore } from './with-store.ts';

/** Takes history in (C-70). */
export function importCommand(): Command {
  return new Command('import')
    .description('Takes an account’s history in: the file whole, or nothing of it.')
    .argument('<file>', 'NDJSON in the published form')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .addOption(jsonOption())
    .action(async (file: string, options: { account: string; json?: boolean }) => {
      const text = readFileSync(file, 'utf8');
      const summary = await withStore(async ({ database }) =>
        importAccount(
          database,
          REGISTRY,
          await accountNamed(database, options.account),
          basename(file),
          text,
        ),
      );
      const { transactions, entries } = summary;
      answer(
        options,
        summary,
        `${transactions.taken} transactions and ${entries.taken} statement entries taken` +
          ` (${transactions.known} and ${entries.known} were known already)`,
      );
    });
}

/** Writes history out (C-70). */
export function exportCommand(): Command {
  return new Command('export')
    .description('Writes an account’s history to standard output, in the form that import takes.')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .option('--json', 'accepted everywhere; an export is always one JSON value a line')
    .action(async (options: { account: string }) => {
      await withStore(async ({ database }) => {
        const accountId = await accountNamed(database, options.account);
        for await (const line of exportAccount(database, REGISTRY, accountId)) {
          if (!process.stdout.write(line)) await once(process.stdout, 'drain');
        }
      });
    });
}
