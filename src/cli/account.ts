/** `crossramp account create`. */
import { Command } from 'commander';
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
    .addOption(jsonOption())
    .action(async (options: { name: string; json?: boolean }) => {
      const templates = REGISTRY.templates.map((template) => template.name);
      const id = await withStore(({ database }) => createAccount(database, options.name, { templates }));
      answer(options, { accountId: String(id) }, `account ${id}`);
    });
  return account;
}
