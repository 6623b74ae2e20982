/** `crossramp migrate`. */
import { Command } from 'commander';
import type { WithStore } from './main.ts';
import { answer, jsonOption } from './output.ts';

/** Migrations. */
export function migrateCommand(withStore: WithStore): Command {
  return new Command('migrate')
    .description('Brings the database to the schema of this version; every other command does so first, too.')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const applied = await withStore(async (store) => store.applied);
      answer(options, { applied }, applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply');
    });
}
