/** `crossramp clock`: the clock of the sandbox. */
import { Command } from 'commander';
import { pino } from 'pino';
import { settle } from '../resolvers/engine/run-jobs.ts';
import { settleSettings } from '../resolvers/engine/settle-settings.ts';
import { advanceClock } from '../resolvers/sandbox/play-sandbox.ts';
import { platformAccount } from '../store/account/accounts.ts';
import { StoreError } from '../store/check-server.ts';
import { answer, jsonOption } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

/** Shows the sandbox clock, and moves it forward. */
export function clockCommand(): Command {
  const clock = new Command('clock').description('Shows the sandbox clock and moves it forward.');
  clock
    .command('show')
    .description('Prints the time in the sandbox.')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const now = await withServices((services) => services.clock.nowMs());
      show(options, now);
    });
  clock
    .command('advance <duration>')
    .description(
      'Moves the sandbox clock forward by a duration such as 30m. Everything that is due by then happens.',
    )
    .addOption(jsonOption())
    .action(async (duration: string, options: { json?: boolean }) => {
      const now = await withServices(async (services) => {
        if (!services.sandbox) throw new StoreError('this gateway has no sandbox');
        const platform = await platformAccount(services.database, 'sandbox');
        const now = await advanceClock(await operatorContext(services, platform), duration);
        // The clock of live accounts has not moved: their jobs are the gateway's.
        await settle(services, pino({ level: 'silent' }), { mode: 'sandbox' });
        await settleSettings(services);
        return now.getTime();
      });
      show(options, now);
    });
  return clock;
}

function show(options: { json?: boolean }, nowMs: number): void {
  const now = new Date(nowMs).toISOString();
  answer(options, { now }, now);
}
