/** `crossramp verify`. */
import { Command } from 'commander';
import { answer, jsonOption, progressWriter } from './output.ts';
import { defectText, verifyAccounts, verifyBooks } from './verify-books.ts';
import { accountNamed, withStore } from './with-store.ts';

/** The command `verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'Recomputes the whole ledger, every list, the volumes and outgoing amounts that limits use, and the audit log; names every difference, and fails when there is one.',
    )
    .option('--account <id>', 'only this account: its id, or "sandbox"')
    .addOption(jsonOption())
    .action(async (options: { account?: string; json?: boolean }) => {
      const progress = progressWriter<{ lines: number }>(
        options,
        ({ lines }) => `${lines.toLocaleString('en-US')} lines checked`,
      );
      const onProgress = (lines: number) => progress.report({ lines });
      const { checked, defects } = await withStore(async ({ database }) =>
        options.account
          ? verifyAccounts(database, [await accountNamed(database, options.account)], onProgress)
          : verifyBooks(database, onProgress),
      );
      progress.end();
      answer(
        options,
        { checked, defects },
        [...defects.map(defectText), `${checked} ledger lines checked, ${defects.length} defects`].join('\n'),
      );
      if (defects.length > 0) process.exitCode = 1;
    });
}
