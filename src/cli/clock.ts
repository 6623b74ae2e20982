/** `crossramp clock`: the clock of the sandbox. */
import { Command } from 'commander';
import { pino } from 'pino';
import { settle } from '../resolvers/engine/run-jobs.ts';
import { parseDuration } from '../resolvers/sandbox/play-sandbox.ts';
import { StoreError } from '../store/check-server.ts';
import { answer, jsonOption } from './output.ts';
import { withServices } from './with-store.ts';

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
    .description('Moves the sandbox clock forward by a duration such as 30m. What becomes due then happens.')
    .addOption(jsonOption())
    .action(async (duration: string, options: { json?: boolean }) => {
      const now = await withServices(async (services) => {
        if (!services.sandbox) throw new StoreError('this gateway has no sandbox');
        const nowMs = await services.sandbox.advanceClock(parseDuration(duration, 'advance'));
        // Only sandbox jobs: the clock of live accounts has not moved, and the gateway works on their jobs.
        await settle(services, pino({ level: 'silent' }), { mode: 'sandbox' });
        return nowMs;
      });
      show(options, now);
    });
  return clock;
}

function show(options: { json?: boolean }, nowMs: number): void {
  const now = new Date(nowMs).toISOString();
  answer(options, { now }, now);
}
