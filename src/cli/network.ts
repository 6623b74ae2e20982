/** `crossramp network pause|resume`. */
import { Command } from 'commander';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { pauseNetwork, resumeNetwork } from '../resolvers/rails/pause-network.ts';
import { uses } from './command.ts';
import { platformOption } from './output.ts';

/** Sending on networks. */
export function networkCommand(): Command {
  const network = new Command('network').description('Pauses and resumes sending on a network, or by PIX.');
  const pause = network
    .command('pause')
    .description(
      'Pauses sending on a network, or by PIX; signed and sent transfers are still followed to their end.',
    )
    .argument('<network>', 'such as ETH; PIX for payouts and returns by PIX')
    .requiredOption('--reason <text>', 'why; 1 to 200 characters')
    .addOption(platformOption());
  uses(pause, {
    run: (context, { reason }: { reason: string }, value: string) =>
      pauseNetwork(
        context,
        { name: '<network>', value },
        { name: '--reason', value: reason },
        checksOf(context),
      ),
    text: (_sending, _options, name) => `sending on ${name} is paused`,
  });
  const resume = network
    .command('resume')
    .description('Resumes sending on a network, or by PIX.')
    .argument('<network>', 'such as ETH, or PIX')
    .addOption(platformOption());
  uses(resume, {
    run: (context, _options: object, value: string) => resumeNetwork(context, { name: '<network>', value }),
    text: (_sending, _options, name) => `sending on ${name} goes on`,
  });
  return network;
}
