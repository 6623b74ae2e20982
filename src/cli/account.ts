/** `crossramp account create|list`. */
import { Command, Option } from 'commander';
import { ACCOUNT_MODES, type AccountMode } from '../base/account-mode.ts';
import { auditedIn } from '../resolvers/checks/audited.ts';
import { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { createAccount, listAccounts } from '../store/account/accounts.ts';
import { accountObject } from '../store/engine/audit.ts';
import { REGISTRY } from '../templates/index.ts';
import { answer, jsonOption, table } from './output.ts';
import { operatorOn, withServices, withStore } from './with-store.ts';

/** The command `account`. */
export function accountCommand(): Command {
  const account = new Command('account').description('Adds and lists accounts.');
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
      const checks = new CreationChecks({ allowsLoopback: false });
      checks.reference({ name: 'name', value: name });
      checks.refuse();
      const templates = REGISTRY.templates.map((template) => template.name);
      const id = await withServices(async (services) => {
        const own = services.forMode(mode);
        return own.database.withTx(async (tx) => {
          const made = await createAccount(tx, name, { templates, mode });
          await auditedIn(tx, operatorOn(own, made), async (_tx, writeDown) =>
            writeDown('account.create', accountObject(made), { after: { name, mode } }),
          );
          return made;
        });
      });
      answer(options, { accountId: String(id), mode }, `account ${id} (${mode})`);
    });
  account
    .command('list')
    .description('Lists the accounts.')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const accounts = await withStore(({ database }) => listAccounts(database));
      const shown = accounts.map(({ id, handle, mode, name, createdAt }) => ({
        accountId: String(id),
        handle,
        mode,
        name,
        createdAt: createdAt.toISOString(),
      }));
      const rows = shown.map((each) => [
        each.accountId,
        each.handle ?? '',
        each.mode,
        each.createdAt,
        each.name,
      ]);
      answer(options, shown, table([['ID', 'HANDLE', 'MODE', 'CREATED', 'NAME'], ...rows], [0]));
    });
  return account;
}
