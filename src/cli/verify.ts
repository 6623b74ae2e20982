/** `crossramp verify`. */
import { Command } from 'commander';
import { ACCOUNT_MODES } from '../base/access/account-mode.ts';
import { allAccounts } from '../store/account/accounts.ts';
import type { Database } from '../store/connection/database.ts';
import { readBrokenCloses } from '../store/ledger/book-closes.ts';
import { clearingDefects, type Defect, verifyLedger } from '../store/ledger/verify.ts';
import { answer, jsonOption, progressWriter } from './output.ts';
import { accountNamed, withStore } from './with-store.ts';

/** The command `verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'Recomputes the whole ledger, every list, the volumes and the money out that limits are compared with, and the audit log; names every difference, and fails when there is one.',
    )
    .option('--account <id>', 'only this account: its id, or "sandbox"')
    .addOption(jsonOption())
    .action(async (options: { account?: string; json?: boolean }) => {
      const progress = progressWriter<{ lines: number }>(
        options,
        ({ lines }) => `${lines.toLocaleString('en-US')} lines checked`,
      );
      const { checked, defects } = await withStore(async ({ database }) => {
        const accounts = options.account
          ? [await accountNamed(database, options.account)]
          : await allAccounts(database);
        const result = { checked: 0, defects: [] as ReturnType<typeof shownDefect>[] };
        for (const accountId of accounts) {
          const account = await verifyLedger(database, accountId, {
            onProgress: (lines) => progress.report({ lines: result.checked + lines }),
          });
          result.checked += account.checked;
          result.defects.push(...account.defects.map((defect) => shownDefect(accountId, defect)));
        }
        const clearing = options.account ? [] : await clearingDefects(database);
        result.defects.push(...clearing.map(shownClearing));
        const closes = options.account ? [] : await brokenCloses(database);
        result.defects.push(...closes);
        return result;
      });
      progress.end();
      const lines = defects.map((each) => `account ${each.accountId}: ${each.defect}: ${each.detail}`);
      answer(
        options,
        { checked, defects },
        [...lines, `${checked} ledger lines checked, ${defects.length} defects`].join('\n'),
      );
      if (defects.length > 0) process.exitCode = 1;
    });
}

/** Closed days whose hash does not follow from the day before and from what moved. */
async function brokenCloses(database: Database) {
  const days = await Promise.all(ACCOUNT_MODES.map((mode) => readBrokenCloses(database, mode)));
  return days.flat().map((day) => ({
    accountId: 'all',
    defect: 'hash of a closed day',
    ledgerAccountId: null,
    at: null,
    detail: `that of ${day} does not follow from what moved`,
  }));
}

/** A defect of no account alone. */
function shownClearing({ currency, sum }: { readonly currency: string; readonly sum: string }) {
  const detail = `${currency} is ${sum} over all accounts`;
  return { accountId: 'all', defect: 'clearing is not zero', ledgerAccountId: null, at: null, detail };
}

function shownDefect(accountId: bigint, { defect, ledgerAccountId, at, detail }: Defect) {
  const number = (value: bigint | null) => (value === null ? null : Number(value));
  return {
    accountId: String(accountId),
    defect,
    ledgerAccountId: number(ledgerAccountId),
    at: number(at),
    detail,
  };
}
