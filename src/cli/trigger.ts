/** `crossramp trigger`: the acts of the outside world, in the sandbox. */
import { Command } from 'commander';
import { fundAccount } from '../resolvers/fund-account.ts';
import { accountNamed, answer, jsonOption } from './output.ts';
import { withStore } from './with-store.ts';

/** Sandbox scenarios. */
export function triggerCommand(): Command {
  const trigger = new Command('trigger').description('Plays the outside world for a sandbox account.');
  trigger
    .command('fund')
    .description('Gives the account an amount: an adjustment, with no transaction in the statement.')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .requiredOption('--currency <code>', 'raw code, display name, or an asset of one network')
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .addOption(jsonOption())
    .action(async (options: { account: string; currency: string; amount: string; json?: boolean }) => {
      const funding = await withStore(async ({ database }) =>
        fundAccount(database, await accountNamed(database, options.account), options),
      );
      answer(
        options,
        funding,
        `${funding.amount} ${funding.currency} credited (journal ${funding.journalId})`,
      );
    });
  return trigger;
}
