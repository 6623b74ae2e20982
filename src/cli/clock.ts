/** `crossramp clock`: the clock of the sandbox. */
import { Command } from 'commander';
import { pino } from 'pino';
import { settle } from '../resolvers/engine/run-jobs.ts';
import { settleSettings } from '../resolvers/engine/settle-settings.ts';
import { advanceClock } from '../resolvers/sandbox/play-sandbox.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { uses } from './command.ts';
import { onServices } from './with-store.ts';

/** Shows the sandbox clock, and moves it forward. */
export function clockCommand(): Command {
  const clock = new Command('clock').description('Shows the sandbox clock and moves it forward.');
  const shown = {
    json: (now: Date) => ({ now: now.toISOString() }),
    text: (now: Date) => now.toISOString(),
  };
  uses(clock.command('show').description('Prints the time in the sandbox.'), {
    on: onServices,
    run: async ({ clock: ofSandbox }) => new Date(await ofSandbox.nowMs()),
    ...shown,
  });
  const advance = clock
    .command('advance <duration>')
    .description(
      'Moves the sandbox clock forward by a duration such as 30m. Everything that is due by then happens.',
    );
  uses(advance, {
    run: async (context, _options: object, duration: string) => {
      if (!context.sandbox) throw new StoreError('this gateway has no sandbox');
      const now = await advanceClock(context, duration);
      // The clock of live accounts has not moved, so the gateway runs their jobs.
      await settle(context, pino({ level: 'silent' }), { mode: 'sandbox' });
      await settleSettings(context);
      return now;
    },
    ...shown,
  });
  return clock;
}
