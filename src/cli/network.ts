/** `crossramp network pause|resume`. */
import { Command } from 'commander';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { pauseNetwork, resumeNetwork, type Sending } from '../resolvers/rails/pause-network.ts';
import type { Context } from '../resolvers/services/context.ts';
import { accountOrPlatform, answer, jsonOption } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

interface Options {
  readonly live?: boolean;
  readonly json?: boolean;
}

/** What is sent on networks. */
export function networkCommand(): Command {
  const network = new Command('network').description('Pauses and resumes sending on a network.');
  network
    .command('pause')
    .description(
      'Pauses sending on a network; transfers that are already signed are still followed to their end.',
    )
    .argument('<network>', 'such as ETH')
    .requiredOption('--reason <text>', 'why; 1 to 200 characters')
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption())
    .action(pause);
  network
    .command('resume')
    .description('Resumes sending on a network.')
    .argument('<network>', 'such as ETH')
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption())
    .action(resume);
  return network;
}

async function pause(value: string, { reason, ...options }: Options & { reason: string }): Promise<void> {
  const given = { name: '--reason', value: reason };
  const paused = await asPlatform(options, (context) =>
    pauseNetwork(context, { name: '<network>', value }, given, checksOf(context)),
  );
  answer(options, paused, `sending on ${value} is paused`);
}

async function resume(value: string, options: Options): Promise<void> {
  const resumed = await asPlatform(options, (context) =>
    resumeNetwork(context, { name: '<network>', value }),
  );
  answer(options, resumed, `sending on ${value} goes on`);
}

function asPlatform(
  { live = false }: Options,
  work: (context: Context) => Promise<Sending>,
): Promise<Sending> {
  return withServices(async (services) => {
    const platform = await accountOrPlatform(services.database, { account: 'platform', live });
    return work(await operatorContext(services, platform));
  });
}
