/** `crossramp account create`. */
import { Command, Option } from 'commander';
import { ACCOUNT_MODES, type AccountMode } from '../base/account-mode.ts';
import { createAccount } from '../store/accounts.ts';
import { REGISTRY } from '../templates/index.ts';
import { answer, jsonOption } from './output.ts';
import { withStore } from './with-store.ts';

/** Accounts. */
export function accountCommand(): Command {
  const account = new Command('account').description('Account holders.');
  account
    .command('create')
    .description('Adds an account.')
    .requiredOption('--name <name>', 'name of the account holder, 1 to 200 characters')
    .addOption(
      new Option('--mode <mode>', 'play money or real money; it cannot be changed later')
        .choices(ACCOUNT_MODES)
        .default('sandbox'),
    )
    .addOption(jsonOption())
    .action(async ({ name, mode, ...options }: { name: string; mode: AccountMode; json?: boolean }) => {
      const templates = REGISTRY.templates.map((template) => template.name);
      const id = await withStore(({ database }) => createAccount(database, name, { templates, mode }));
      answer(options, { accountId: String(id), mode }, `account ${id} (${mode})`);
    });
  return account;
}
