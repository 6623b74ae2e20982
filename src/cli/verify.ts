/** `crossramp verify`. */
import { Command } from 'commander';
import { allAccounts } from '../store/accounts.ts';
import { type Defect, verifyLedger } from '../store/ledger.ts';
import { accountNamed, answer, jsonOption } from './output.ts';
import { withStore } from './with-store.ts';

/** The auditor. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('Recomputes the whole ledger and every list; fails when anything differs, and names it.')
    .option('--account <id>', 'only this account: its id, or "sandbox"')
    .addOption(jsonOption())
    .action(async (options: { account?: string; json?: boolean }) => {
      const { checked, defects } = await withStore(async ({ database }) => {
        const accounts = options.account
          ? [await accountNamed(database, options.account)]
          : await allAccounts(database);
        const result = { checked: 0, defects: [] as ReturnType<typeof shownDefect>[] };
        for (const accountId of accounts) {
          // All of an account is checked in one snapshot.
          const account = await database.withTx((tx) => verifyLedger(tx, accountId));
          result.checked += account.checked;
          result.defects.push(...account.defects.map((defect) => shownDefect(accountId, defect)));
        }
        return result;
      });
      const lines = defects.map((each) => `account ${each.accountId}: ${each.defect}: ${each.detail}`);
      answer(
        options,
        { checked, defects },
        [...lines, `${checked} ledger lines checked, ${defects.length} defects`].join('\n'),
      );
      if (defects.length > 0) process.exitCode = 1;
    });
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
