/** `crossramp trigger`: plays scenarios in the sandbox, such as a payment by the customer. */
import { Command } from 'commander';
import { pino } from 'pino';
import { invalidParameters } from '../base/errors.ts';
import { settle } from '../resolvers/engine/run-jobs.ts';
import { fundSandbox, playScenario } from '../resolvers/sandbox/play-sandbox.ts';
import type { Services } from '../resolvers/services/context.ts';
import type { Sandbox } from '../resolvers/services/sandbox.ts';
import { StoreError } from '../store/check-server.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { accountNamed, answer, jsonOption } from './output.ts';
import { answerStep, stepOf, transactionNamed } from './step.ts';
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
    .action((scenario: string | undefined, end2end: string | undefined, options: TriggerOptions) =>
      scenario === undefined ? list(options) : play(scenario, end2end, options),
    );
  // Otherwise the options of `fund` would be parsed as options of `trigger`.
  return trigger.enablePositionalOptions().addCommand(fundCommand());
}

async function list(options: TriggerOptions): Promise<void> {
  const scenarios = await withServices(async ({ sandbox }) => sandbox?.scenarios ?? []);
  answer(options, scenarios, scenarios.map(({ name, doc }) => `${name.padEnd(20)} ${doc}`).join('\n'));
}

async function play(scenario: string, end2end: string | undefined, options: TriggerOptions): Promise<void> {
  if (end2end === undefined)
    throw invalidParameters([
      { parameter: 'end2end', message: 'is required, as in: crossramp trigger SCENARIO END2END' },
    ]);
  const result = await withServices(async (services) => {
    const { database, registry } = services;
    const named = await transactionNamed(database, end2end);
    await sandboxOf(services, named.accountId);
    const context = await operatorContext(services, named.accountId);
    const row = await playScenario(context, { scenario, end2end, amount: options.amount });
    const key = { accountId: row.accountId, transactionId: row.id };
    // Due jobs of the transaction are run here, in case no gateway is running.
    await settle(services, pino({ level: 'silent' }), { only: key });
    const [now = row] = await readProcesses(database, [key]);
    return stepOf(registry, now);
  });
  answerStep(options, result);
}

/** @throws {StoreError} for a live account. */
async function sandboxOf(services: Services, accountId: bigint): Promise<Sandbox> {
  const { sandbox } = await services.forAccount(accountId);
  if (!sandbox) throw new StoreError(`account ${accountId} is live: the sandbox plays nothing on it`);
  return sandbox;
}

function fundCommand(): Command {
  return new Command('fund')
    .description('Credits an amount to an account. The statement shows it without a transaction.')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .addOption(jsonOption())
    .action(async (options: { account: string; currency: string; amount: string; json?: boolean }) => {
      const funding = await withServices(async (services) => {
        const accountId = await accountNamed(services.database, options.account);
        await sandboxOf(services, accountId);
        return fundSandbox(await operatorContext(services, accountId), options);
      });
      answer(
        options,
        funding,
        `${funding.amount} ${funding.currency} credited (journal ${funding.journalId})`,
      );
    });
}
