/** `crossramp`: what the operator does from a shell, beside a running gateway or without one. */
import { Command } from 'commander';
import { describeFailure } from '../server/describe-failure.ts';
import { accountCommand } from './account.ts';
import { clockCommand } from './clock.ts';
import { doctorCommand } from './doctor.ts';
import { eventsCommand, listenCommand } from './events.ts';
import { exportCommand, importCommand } from './history.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { triggerCommand } from './trigger.ts';
import { verifyCommand } from './verify.ts';
import { webhookCommand } from './webhook.ts';

const program = new Command('crossramp')
  .description('Operates a Crossramp Gateway.')
  .showHelpAfterError()
  // An option behind a subcommand is the subcommand's.
  .enablePositionalOptions();
for (const make of [
  importCommand,
  exportCommand,
  accountCommand,
  keyCommand,
  migrateCommand,
  doctorCommand,
  verifyCommand,
  triggerCommand,
  clockCommand,
  eventsCommand,
  listenCommand,
  webhookCommand,
]) {
  program.addCommand(make());
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}
// The migration engine leaves a timer behind that would keep the process for ten seconds.
process.exit();
