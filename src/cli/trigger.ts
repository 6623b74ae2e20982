/** `crossramp trigger`: plays scenarios in the sandbox, such as a payment by the customer. */

import { Command } from 'commander';
import { pino } from 'pino';
import { invalidParameters } from '../base/errors/errors.ts';
import { typedCurrency } from '../base/money/currency.ts';
import { settle } from '../resolvers/engine/run-jobs.ts';
import { fundSandbox, playScenario } from '../resolvers/sandbox/play-sandbox.ts';
import type { Context, Services } from '../resolvers/services/context.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { uses } from './command.ts';
import { answer, jsonOption } from './output.ts';
import { stepOf, stepText, transactionNamed } from './step.ts';
import { operatorContext, withServices } from './with-store.ts';

interface TriggerOptions {
  readonly amount?: string;
  readonly json?: boolean;
}

/** The command `trigger`. */
export function triggerCommand(): Command {
  const trigger = new Command('trigger')
    .description(
      'Plays a scenario: the outside world does something to a sandbox transaction. Without arguments, lists the scenarios.',
    )
    .argument('[scenario]', 'name of the scenario')
    .argument('[end2end]', 'id of the transaction')
    .option(
      '--amount <decimal>',
      'amount that is paid or deposited; by default, the amount that was asked for',
    )
    .addOption(jsonOption())
    .action(async (scenario: string | undefined, end2end: string | undefined, options: TriggerOptions) => {
      if (scenario === undefined) return list(options);
      const shown = await withServices((services) => play(services, scenario, end2end, options));
      return answer(options, shown, stepText(shown));
    });
  const fund = new Command('fund')
    .description('Credits an amount to an account. The statement shows it without a transaction.')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
      typedCurrency,
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has');
  uses(fund, {
    run: (context, options: { currency: string; amount: string }) => fundSandbox(inSandbox(context), options),
    text: ({ amount, currency, journalId }) => `${amount} ${currency} credited (journal ${journalId})`,
  });
  // Without this, the options of `fund` would be parsed as options of `trigger`.
  return trigger.enablePositionalOptions().addCommand(fund);
}

async function list(options: TriggerOptions): Promise<void> {
  const scenarios = await withServices(async ({ sandbox }) => sandbox?.scenarios ?? []);
  answer(options, scenarios, scenarios.map(({ name, doc }) => `${name.padEnd(20)} ${doc}`).join('\n'));
}

async function play(
  services: Services,
  scenario: string,
  end2end: string | undefined,
  { amount }: TriggerOptions,
) {
  if (end2end === undefined)
    throw invalidParameters([
      { parameter: 'end2end', message: 'is required, as in: crossramp trigger SCENARIO END2END' },
    ]);
  const { accountId } = await transactionNamed(services.database, end2end);
  const context = inSandbox(await operatorContext(services, accountId));
  const row = await playScenario(context, { scenario, end2end, amount });
  const key = { accountId: row.accountId, transactionId: row.id };
  // Due jobs of the transaction run here, because perhaps no gateway is running.
  await settle(services, pino({ level: 'silent' }), { only: key });
  const [now = row] = await readProcesses(services.database, [key]);
  return stepOf(services.registry, now);
}

/** @throws {StoreError} for a live account. */
function inSandbox(context: Context): Context {
  if (context.sandbox) return context;
  throw new StoreError(`account ${context.caller.accountId} is live: the sandbox plays nothing on it`);
}
