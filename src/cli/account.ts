/** `crossramp account create|list|company|owner`. */
import { Command, Option } from 'commander';
import { ACCOUNT_MODES, type AccountMode } from '../base/access/account-mode.ts';
import { isoMillis } from '../base/time/instant.ts';
import { auditedIn } from '../resolvers/checks/audited.ts';
import { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { createAccount, listAccounts } from '../store/account/accounts.ts';
import { defaultSettings, setAccountSettings } from '../store/account/settings.ts';
import { accountObject } from '../store/engine/audit.ts';
import { accountCompanyCommand, companyOwnerCommand } from './account-company.ts';
import { lists, uses } from './command.ts';
import { onServices, onStore, operatorOn } from './with-store.ts';

interface NewAccount {
  readonly name: string;
  readonly mode: AccountMode;
  readonly unprotected?: boolean;
}

/** The command `account`. */
export function accountCommand(): Command {
  const account = new Command('account').description(
    'Adds and lists accounts, and stores the companies behind them.',
  );
  addCreate(account);
  lists(account.command('list').description('Lists the accounts.'), {
    on: onStore,
    run: (database) => listAccounts(database),
    row: ({ id, handle, mode, name, createdAt }) => ({
      ...{ accountId: String(id), handle, mode, name, createdAt: isoMillis(createdAt) },
    }),
    columns: { ID: 'accountId', HANDLE: 'handle', MODE: 'mode', CREATED: 'createdAt', NAME: 'name' },
    right: ['ID'],
    none: 'ID  HANDLE  MODE  CREATED  NAME',
  });
  account.addCommand(accountCompanyCommand());
  account.addCommand(companyOwnerCommand());
  return account;
}

function addCreate(account: Command): void {
  const create = account
    .command('create')
    .description('Adds an account.')
    .requiredOption('--name <name>', 'name of the account holder, 1 to 200 characters')
    .addOption(
      new Option('--mode <mode>', 'play money or real money; it cannot be changed later')
        .choices(ACCOUNT_MODES)
        .default('sandbox'),
    )
    .option(
      '--unprotected',
      'for rehearsals: no cooling time of new destinations and no ceiling of money out (docs/security.md)',
    );
  uses(create, {
    on: onServices,
    run: (services, { name, mode, unprotected: isUnprotected = false }: NewAccount) => {
      const checks = new CreationChecks({ allowsLoopback: false });
      checks.reference({ name: 'name', value: name });
      checks.refuse();
      const templates = services.registry.templates.map((template) => template.name);
      const own = services.forMode(mode);
      return own.database.withTx(async (tx) => {
        const made = await createAccount(tx, name, { templates, mode });
        if (isUnprotected) await setAccountSettings(tx, made, defaultSettings({ isSandbox: true }));
        await auditedIn(tx, operatorOn(own, made), async (_tx, writeDown) =>
          writeDown('account.create', accountObject(made), { after: { name, mode, isUnprotected } }),
        );
        return made;
      });
    },
    json: (id, { mode }) => ({ accountId: String(id), mode }),
    text: (id, { mode }) => `account ${id} (${mode})`,
  });
}
