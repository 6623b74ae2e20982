/** `crossramp`: what the operator does from a shell, beside a running gateway or without one. */
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { describeFailure } from '../describe-failure.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { accountCommand } from './account.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand, importCommand } from './history.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { verifyCommand } from './verify.ts';

/** Runs the work on the database that the environment names, and closes it again. */
export type WithStore = <Result>(work: (store: Store) => Promise<Result>) => Promise<Result>;

/** @returns all commands. */
export function commands(withStore: WithStore): Command {
  const program = new Command('crossramp').description('Operates a Crossramp Gateway.').showHelpAfterError();
  for (const make of [
    importCommand,
    exportCommand,
    accountCommand,
    keyCommand,
    migrateCommand,
    doctorCommand,
    verifyCommand,
  ]) {
    program.addCommand(make(withStore));
  }
  return program;
}

const withStore: WithStore = async (work) => {
  const store = await openStore({ ...readConfig(process.env), databaseConnections: 4 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

try {
  await commands(withStore).parseAsync();
} catch (error) {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}
// The migration engine leaves a timer behind that would keep the process for ten seconds.
process.exit();
